import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  DEFAULT_POLICY,
  decide,
  identifyOffline,
  type Model,
  makeKnowledge,
  type Policy,
  subjectOf,
  type Verdict,
} from '@portcullis/engine';
import { servedFacts } from '../judge/served-facts.ts';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL, loadModel } from '../server/src/models/model-file.ts';
import { BLIND_ATTACKS } from '../server/test/fixtures/blind/blind-scenarios.ts';
import {
  ATTACKS,
  attackTraffic,
  type Item,
  legitimateTraffic,
  STYLES,
} from '../server/test/fixtures/unseen-scenarios.ts';
import { BACKGROUNDS } from '../server/test/fixtures/unseen-world.ts';

/**
 * Measures the shipped model and signals on traffic that is independent of the training data. Prints the share of each attack
 * that is detected once it is under way, and the false positive rate on legitimate traffic.
 *
 *   node scripts/unseen.ts [--seed N]… [--blind] [--only TEXT] [--model FILE] [--explain] [--record FILE | --facts FILE]
 *
 * `--blind` measures attacks whose author knew nothing of the detection, instead of those whose author knew the signals.
 * `--record` writes the facts of the measured items to a file. With `--facts`, another model is measured on them without a replay.
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['11', '12', '13'] },
    blind: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    model: { type: 'string' },
    explain: { type: 'boolean', default: false },
    record: { type: 'string' },
    facts: { type: 'string' },
  },
});
const seeds = options.seed.map(Number);
if (seeds.some((seed) => !Number.isInteger(seed))) throw new Error('--seed must be an integer.');

const model: Model | undefined =
  options.model !== undefined ? loadModel(options.model) : existsSync(BASE_MODEL) ? loadModel(BASE_MODEL) : undefined;
/** One column per policy. Without a model, the rules alone. */
const policies: Readonly<Record<string, Policy>> = {
  ...(model === undefined ? {} : { model: { ...DEFAULT_POLICY, model, points: {} } }),
  rules: DEFAULT_POLICY,
  ...(model === undefined ? {} : { both: { ...DEFAULT_POLICY, model } }),
};
const columns = Object.keys(policies);
const last = columns.at(-1) as string;

const source = openKnowledge(
  { ipDatabase: undefined, torExitList: undefined, proxyList: undefined } as Parameters<typeof openKnowledge>[0],
  (message) => process.stderr.write(`${message}\n`),
);
const knowledge = makeKnowledge();

const attacks = options.blind ? BLIND_ATTACKS : ATTACKS;
const traffic = options.blind ? 'unseen blind' : 'unseen';
const served = servedFacts(options, `${traffic} ${[...seeds, options.only].join(' ')}`.trim());

type Verdicts = Readonly<Record<string, Verdict>>;
/** Replays all items into a history. Items that count in the result are also decided. */
const replay = (items: readonly Item[], onVerdict: (item: Item, verdicts: Verdicts) => void): void => {
  const walk = served.startWalk(Number.POSITIVE_INFINITY);
  for (const item of items) {
    source.lookUp(item.request, knowledge);
    const subject = subjectOf(identifyOffline, item.kind, item.request, item.occurred_at, knowledge);
    const unlabelled = { subject, label: undefined, labelReason: undefined };
    const walked = walk.factsOf(unlabelled);
    if (item.isCounted) {
      const facts = served.next(walked);
      const verdicts = columns.map((name) => [name, decide(policies[name] as Policy, subject, facts)] as const);
      onVerdict(item, Object.fromEntries(verdicts));
    }
    walk.next(unlabelled);
  }
};

const makeTally = () => ({
  items: 0,
  flagged: Object.fromEntries(columns.map((name) => [name, 0])),
  blocked: Object.fromEntries(columns.map((name) => [name, 0])),
});
const count = (tally: ReturnType<typeof makeTally>, verdicts: Verdicts): void => {
  tally.items++;
  for (const name of columns) {
    const { decision } = verdicts[name] as Verdict;
    if (decision !== 'allow') tally.flagged[name] = (tally.flagged[name] as number) + 1;
    if (decision === 'block') tally.blocked[name] = (tally.blocked[name] as number) + 1;
  }
};

const share = (part: number, whole: number, digits = 0): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(digits)}%`;
const printLine = (text: string): void => void process.stdout.write(`${text}\n`);
const print = (first: string, cells: readonly string[]): void =>
  printLine(first.padEnd(58) + cells.map((cell) => cell.padStart(9)).join(''));
const printRow = (name: string, tally: ReturnType<typeof makeTally>, digits = 0): void =>
  print(name, [
    `${tally.items}`,
    ...columns.flatMap((of) => [
      share(tally.flagged[of] as number, tally.items, digits),
      share(tally.blocked[of] as number, tally.items, digits),
    ]),
  ]);
const printHead = (title: string, of: string): void =>
  print(`\n${title}`, [of, ...columns.flatMap((name) => [name, 'blocked'])]);

const factorsOf = ({ factors, baseScore }: Verdict): string =>
  [`base ${baseScore}`, ...factors.slice(0, 7).map(({ name, contribution }) => `${name} ${contribution}`)].join(', ');
const formatItem = ({ kind, request, oddity }: Item, verdicts: Verdicts): string => {
  const { metadata, billing_address, shipping_address, ...rest } = request as Record<string, unknown>;
  const scores = columns.map((name) => `${name} ${(verdicts[name] as Verdict).score}`).join(' ');
  const text = `${kind} ${JSON.stringify(rest)}${oddity === undefined ? '' : ` (${oddity})`}`;
  return `    ${scores}: ${factorsOf(verdicts[last] as Verdict)}\n      ${text}`;
};
const EXAMPLES = 3;
/** The most frequent entries. */
const top = (counts: ReadonlyMap<string, number>, most = 8): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

printLine(`Model: ${model?.version ?? 'none'}. Seeds: ${seeds.join(', ')}. Flagged means review or block.`);
printHead('Attacks under way', 'items');
const legitimateDuringAttacks = makeTally();
const totals = new Map(BACKGROUNDS.map((background) => [background, makeTally()]));
for (const attack of attacks.filter(({ name }) => name.includes(options.only))) {
  for (const background of BACKGROUNDS) {
    if (attack.notIn?.includes(background)) continue;
    const tally = makeTally();
    const missed: string[] = [];
    for (const seed of seeds) {
      replay(attackTraffic(attack, background, seed), (item, verdicts) => {
        if (item.attack === undefined) return count(legitimateDuringAttacks, verdicts);
        count(tally, verdicts);
        count(totals.get(background) as typeof tally, verdicts);
        if (verdicts[last]?.decision === 'allow') missed.push(formatItem(item, verdicts));
      });
    }
    printRow(`${attack.name} (${background})`, tally);
    const step = Math.max(1, Math.floor(missed.length / EXAMPLES));
    if (options.explain)
      for (let i = 0; i < EXAMPLES && i * step < missed.length; i++) printLine(missed[i * step] as string);
  }
}
for (const [background, tally] of totals) printRow(`all (${background})`, tally);

printHead('Legitimate traffic', 'items');
for (const style of STYLES) {
  const tally = makeTally();
  const reasons = new Map<string, number>();
  const oddities = new Map<string, number>();
  const falsePositives: string[] = [];
  for (const seed of seeds) {
    replay(legitimateTraffic(style, seed), (item, verdicts) => {
      count(tally, verdicts);
      const verdict = verdicts[last] as Verdict;
      if (verdict.decision === 'allow') return;
      for (const { name, contribution } of verdict.factors.slice(0, 5)) if (contribution > 2) increment(reasons, name);
      increment(oddities, item.oddity ?? 'nothing unusual');
      falsePositives.push(formatItem(item, verdicts));
    });
  }
  printRow(style, tally, 2);
  if (falsePositives.length > 0) printLine(`    why: ${top(reasons)}\n    of:  ${top(oddities)}`);
  if (options.explain) printLine(falsePositives.slice(0, EXAMPLES).join('\n'));
}
printRow('during attacks', legitimateDuringAttacks, 2);
served.end();
