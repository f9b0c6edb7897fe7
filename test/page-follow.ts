import { makeComparison } from './page-answers.ts';
import { type Block, blocksOf } from './page-blocks.ts';
import type { openShell } from './page-shell.ts';

/** An answer stands right behind its command, with at most a paragraph between. */
const LINES_BETWEEN = 6;
const ASK_AGAIN_MS = 50;
const SHOWN_ID = /"(([a-z]+)_[0-9a-z]{20,26})"/g;

/** One answer a line: several commands of a block would else run together. */
const CURL = 'curl() { command curl "$@" && echo; }';

const answerTo = (blocks: readonly Block[], command: Block): Block | undefined => {
  const next = blocks[blocks.indexOf(command) + 1];
  const end = command.line + command.text.split('\n').length;
  return next?.language === 'json' && next.line - end <= LINES_BETWEEN ? next : undefined;
};

/**
 * Runs the commands of a page from top to bottom, as a reader does, and says what came out otherwise than printed. Where a command says `rule_…`, the reader
 * pastes the last such id that was answered; what is under way is asked again until it has ended.
 */
export const followPage = async (
  markdown: string,
  how: {
    readonly shell: ReturnType<typeof openShell>;
    readonly runs: (command: Block) => boolean;
    /** What else a reader puts in place of what is printed. */
    readonly typed?: (text: string) => string;
    /** Members whose numbers may be others than printed. */
    readonly counted?: readonly string[];
  },
): Promise<{ commands: number; answers: number; faults: string[] }> => {
  const { shell, runs, typed = (text) => text, counted } = how;
  const differences = makeComparison(counted);
  const blocks = blocksOf(markdown);
  const commands = blocks.filter((block) => block.language === 'sh' && runs(block));
  const ids = new Map<string, string>();
  const faults: string[] = [];
  let answers = 0;

  const pasted = (text: string): string =>
    typed(text).replaceAll(/\b([a-z]+)_…/g, (placeholder, kind: string) => ids.get(kind) ?? placeholder);
  const run = async (command: Block, isEnd: boolean): Promise<unknown[]> => {
    for (;;) {
      const printed = await shell.run(pasted(command.text));
      if (!command.text.includes('curl ')) return [];
      // Of several in one answer the first: lists have the newest first.
      for (const [, id, kind] of [...printed.matchAll(SHOWN_ID)].reverse()) ids.set(kind as string, id as string);
      const lines = printed.split('\n').filter((line) => line !== '');
      const told = lines.map((line) => JSON.parse(line) as { error?: unknown; status?: unknown });
      if (!isEnd || told.at(-1)?.status !== 'running') return told;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  };

  await shell.run(CURL);
  for (const command of commands) {
    const answer = answerTo(blocks, command);
    const printed = answer === undefined ? undefined : JSON.parse(answer.text);
    const told = await run(command, printed?.status === 'done');
    const tell = (fault: string): void => void faults.push(`line ${command.line}: ${fault}`);
    for (const one of told as { error?: unknown }[])
      if (one.error !== undefined && printed?.error === undefined) tell(JSON.stringify(one));
    if (answer === undefined) continue;
    answers++;
    for (const difference of differences(printed, told.at(-1))) tell(difference);
  }
  return { commands: commands.length, answers, faults };
};
