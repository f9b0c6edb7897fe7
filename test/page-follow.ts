import { expect } from 'vitest';
import { makeComparison } from './page-answers.ts';
import { type Block, blocksOf } from './page-blocks.ts';
import { withValues } from './page-json.ts';
import type { openShell } from './page-shell.ts';
import { isUpdating, readPage, withBlocks, writePage } from './page-update.ts';

/** A response follows its command, with at most a paragraph between. */
const LINES_BETWEEN = 6;
const POLL_MS = 50;
const SHOWN_ID = /"(([a-z]+)_[0-9a-z]{20,26})"/g;

/** Prints one response per line, so that several commands of a block can be responses apart. */
const CURL = 'curl() { command curl "$@" && echo; }';

const answerTo = (blocks: readonly Block[], command: Block): Block | undefined => {
  const next = blocks[blocks.indexOf(command) + 1];
  const end = command.line + command.text.split('\n').length;
  return next?.language === 'json' && next.line - end <= LINES_BETWEEN ? next : undefined;
};

/**
 * Runs the commands of a page from top to bottom, as a reader does, and expects the printed responses. `rule_…` in a command is replaced by
 * the last such id of a response. A request for running work is repeated until it is done.
 */
export const followPage = async (
  page: string,
  how: {
    readonly shell: ReturnType<typeof openShell>;
    readonly runs: (command: Block) => boolean;
    /** Further replacements that a reader makes. */
    readonly typed?: (text: string) => string;
    /** Fields whose numbers may differ. */
    readonly counted?: readonly string[];
  },
): Promise<{ commands: number; answers: number }> => {
  const { shell, runs, typed = (text) => text, counted } = how;
  const differences = makeComparison(counted);
  const blocks = blocksOf(readPage(page));
  const commands = blocks.filter((block) => block.language === 'sh' && runs(block));
  const ids = new Map<string, string>();
  const errors: string[] = [];
  const changes: { block: Block; text: string }[] = [];
  let answers = 0;

  const pasted = (text: string): string =>
    typed(text).replaceAll(/\b([a-z]+)_…/g, (placeholder, kind: string) => ids.get(kind) ?? placeholder);
  const run = async (command: Block, isEnd: boolean): Promise<unknown[]> => {
    for (;;) {
      const printed = await shell.run(pasted(command.text));
      if (!command.text.includes('curl ')) return [];
      // Of several ids in one response the first counts: lists have the newest first.
      for (const [, id, kind] of [...printed.matchAll(SHOWN_ID)].reverse()) ids.set(kind as string, id as string);
      const lines = printed.split('\n').filter((line) => line !== '');
      const responses = lines.map((line) => JSON.parse(line) as { error?: unknown; status?: unknown });
      if (!isEnd || responses.at(-1)?.status !== 'running') return responses;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };

  await shell.run(CURL);
  for (const command of commands) {
    const answer = answerTo(blocks, command);
    const printed = answer === undefined ? undefined : JSON.parse(answer.text);
    const responses = await run(command, printed?.status === 'done');
    const report = (error: string): void => void errors.push(`line ${command.line}: ${error}`);
    for (const one of responses as { error?: unknown }[])
      if (one.error !== undefined && printed?.error === undefined) report(JSON.stringify(one));
    if (answer === undefined) continue;
    answers++;
    const found = differences(printed, responses.at(-1));
    const paths = found.map(({ path }) => path);
    if (!isUpdating) for (const { message } of found) report(message);
    else if (paths.length > 0) changes.push({ block: answer, text: withValues(answer.text, responses.at(-1), paths) });
  }
  expect(errors).toEqual([]);
  if (isUpdating) writePage(page, withBlocks(readPage(page), changes));
  return { commands: commands.length, answers };
};
