import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  DEFAULT_POLICY,
  decide,
  type Facts,
  type Model,
  makeKnowledge,
  makeStream,
  type Policy,
  type Subject,
  subjectOf,
  type Verdict,
} from '@portcullis/engine';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL, loadModel } from '../server/src/models/load.ts';
import { ATTACKS, attacked, type Item, ordinary, STYLES } from '../server/test/unseen-scenarios.ts';
import { BACKGROUNDS } from '../server/test/unseen-world.ts';

/**
 * How the shipped model and rules do on traffic they were not made for. Prints what share of each attack is caught once it is under way, and
 * what share of honest traffic is stopped for nothing.
 *
 *   node scripts/unseen.ts [--seed N]… [--only TEXT] [--model FILE] [--explain]
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['11', '12', '13'] },
    only: { type: 'string', default: '' },
    model: { type: 'string' },
    explain: { type: 'boolean', default: false },
  },
});
const seeds = options.seed.map(Number);
if (seeds.some((seed) => !Number.isInteger(seed))) throw new Error('--seed takes a whole number');

const model: Model | undefined =
  options.model !== undefined ? loadModel(options.model) : existsSync(BASE_MODEL) ? loadModel(BASE_MODEL) : undefined;
/** Each has a column of its own; without a model there are the rules alone. */
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

type Verdicts = Readonly<Record<string, Verdict>>;
/** Every item is measured and counted in, as in serving; only those that count are decided. */
const replay = (
  items: readonly Item[],
  see: (item: Item, verdicts: Verdicts, facts: Facts, subject: Subject) => void,
): void => {
  const stream = makeStream();
  for (const item of items) {
    source.look(item.request, knowledge);
    const subject = subjectOf(item.kind, item.request, item.occurred_at, knowledge);
    const facts = stream.measure(subject);
    if (item.isCounted) {
      const verdicts = columns.map((name) => [name, decide(policies[name] as Policy, subject, facts)] as const);
      see(item, Object.fromEntries(verdicts), facts, subject);
    }
    stream.observe(subject);
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
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const print = (first: string, cells: readonly string[]): void =>
  say(first.padEnd(58) + cells.map((cell) => cell.padStart(9)).join(''));
const tell = (name: string, tally: ReturnType<typeof makeTally>, digits = 0): void =>
  print(name, [
    `${tally.items}`,
    ...columns.flatMap((of) => [
      share(tally.flagged[of] as number, tally.items, digits),
      share(tally.blocked[of] as number, tally.items, digits),
    ]),
  ]);
const head = (title: string, of: string): void =>
  print(`\n${title}`, [of, ...columns.flatMap((name) => [name, 'blocked'])]);

const factorsOf = ({ factors, baseScore }: Verdict): string =>
  [`base ${baseScore}`, ...factors.slice(0, 7).map(({ name, contribution }) => `${name} ${contribution}`)].join(', ');
const sayItem = ({ kind, request, oddity }: Item, verdicts: Verdicts): string => {
  const { metadata, billing_address, shipping_address, ...rest } = request as Record<string, unknown>;
  const scores = columns.map((name) => `${name} ${(verdicts[name] as Verdict).score}`).join(' ');
  const what = `${kind} ${JSON.stringify(rest)}${oddity === undefined ? '' : ` (${oddity})`}`;
  return `    ${scores}: ${factorsOf(verdicts[last] as Verdict)}\n      ${what}`;
};
const EXAMPLES = 3;
/** The most frequent first. */
const top = (counts: ReadonlyMap<string, number>, most = 8): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
const raise = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

say(`Model: ${model?.version ?? 'none'}. Seeds: ${seeds.join(', ')}. Flagged is review or block.`);
head('Attacks, once under way', 'items');
const honestBeside = makeTally();
const totals = new Map(BACKGROUNDS.map((background) => [background, makeTally()]));
for (const attack of ATTACKS.filter(({ name }) => name.includes(options.only))) {
  for (const background of BACKGROUNDS) {
    if (attack.notIn?.includes(background)) continue;
    const tally = makeTally();
    const missed: string[] = [];
    for (const seed of seeds) {
      replay(attacked(attack, background, seed), (item, verdicts) => {
        if (item.attack === undefined) return count(honestBeside, verdicts);
        count(tally, verdicts);
        count(totals.get(background) as typeof tally, verdicts);
        if (verdicts[last]?.decision === 'allow') missed.push(sayItem(item, verdicts));
      });
    }
    tell(`${attack.name} (${background})`, tally);
    const step = Math.max(1, Math.floor(missed.length / EXAMPLES));
    if (options.explain) for (let i = 0; i < EXAMPLES && i * step < missed.length; i++) say(missed[i * step] as string);
  }
}
for (const [background, tally] of totals) tell(`all (${background})`, tally);

head('Honest traffic', 'items');
for (const style of STYLES) {
  const tally = makeTally();
  const reasons = new Map<string, number>();
  const oddities = new Map<string, number>();
  const alarms: string[] = [];
  for (const seed of seeds) {
    replay(ordinary(style, seed), (item, verdicts) => {
      count(tally, verdicts);
      const verdict = verdicts[last] as Verdict;
      if (verdict.decision === 'allow') return;
      for (const { name, contribution } of verdict.factors.slice(0, 5)) if (contribution > 2) raise(reasons, name);
      raise(oddities, item.oddity ?? 'nothing unusual');
      alarms.push(sayItem(item, verdicts));
    });
  }
  tell(style, tally, 2);
  if (alarms.length > 0) say(`    why: ${top(reasons)}\n    of:  ${top(oddities)}`);
  if (options.explain) say(alarms.slice(0, EXAMPLES).join('\n'));
}
tell('beside attacks', honestBeside, 2);
