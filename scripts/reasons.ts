import { parseArgs } from 'node:util';
import {
  actorKinds,
  DEFAULT_POLICY,
  decide,
  explain,
  type Facts,
  identifyOffline,
  makeInMemoryHistory,
  makeKnowledge,
  type Policy,
  recomputeFactors,
  type Subject,
  subjectOf,
  summarize,
} from '@portcullis/engine';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL, loadModel } from '../server/src/models/model-file.ts';
import { ATTACKS, attackTraffic, type Item, legitimateTraffic } from '../server/test/fixtures/unseen-scenarios.ts';

/**
 * Prints twenty decisions of different kinds with their reasons, to be read as a fraud analyst would. The traffic is
 * independent of the training data.
 *
 *   npm run reasons -- [--seed N] [--model FILE] [--only TEXT]
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '11' },
    model: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const seed = Number(options.seed);
const policy: Policy & { model: NonNullable<Policy['model']> } = {
  ...DEFAULT_POLICY,
  model: loadModel(options.model ?? BASE_MODEL),
};
const knowledge = openKnowledge(
  { ipDatabase: undefined, torExitList: undefined, proxyList: undefined },
  (message) => void process.stderr.write(`${message}\n`),
);

/** A decision to print: one item of some traffic, by its position among those that fit. */
interface Scene {
  readonly name: string;
  readonly traffic: () => readonly Item[];
  readonly fits: (item: Item) => boolean;
  readonly share: number;
  /** Whether each fraud is reported before the next item. */
  readonly isReported?: boolean;
}

const attack = (name: string, background: 'plain' | 'rich', share = 0.7, isReported = false): Scene => ({
  name: isReported ? `${name}, frauds reported at once` : name,
  traffic: () => {
    const found = ATTACKS.find((of) => of.name === name);
    if (found === undefined) throw new Error(`there is no attack named ${name}`);
    return attackTraffic(found, background, seed);
  },
  fits: ({ attack: of }) => of !== undefined,
  share,
  isReported,
});
const ordinary = (oddity: string | undefined, kind: Item['kind'] = 'transaction'): Scene => ({
  name: `legitimate: ${oddity ?? 'an ordinary payment'}`,
  traffic: () => legitimateTraffic('rich', seed),
  fits: (item) => item.isCounted && item.oddity === oddity && item.kind === kind,
  share: 0.7,
});

const SCENES: readonly Scene[] = [
  attack('account takeover', 'rich'),
  attack('quiet takeover and payout', 'rich', 0.95),
  attack('impossible travel, then payment', 'rich'),
  attack('50 times the amount, new device abroad', 'rich'),
  attack('dormant account wakes', 'rich'),
  attack('brute force on one account', 'rich'),
  attack('stuffing from one address', 'plain'),
  attack('signup farm on one device', 'rich'),
  attack('many accounts on one device', 'rich'),
  attack('card testing burst, guests', 'plain'),
  attack('card testing, slow, rotating addresses', 'rich', 0.9),
  attack('stolen card across accounts', 'rich', 0.95),
  attack('stolen card across accounts', 'rich', 0.95, true),
  attack('mule paid by many victims', 'rich', 0.9),
  attack('fresh account, large order, mismatched addresses', 'rich'),
  attack('bare velocity', 'plain', 0.9),
  ordinary('trip abroad'),
  ordinary('big purchase'),
  ordinary('new phone'),
  ordinary(undefined),
];

/** Replays the traffic until the item of a scene, and returns it with its facts. */
const play = ({ traffic, fits, share, isReported = false }: Scene): { subject: Subject; facts: Facts } => {
  const items = traffic();
  const fitting = items.filter(fits);
  const chosen = fitting[Math.floor((fitting.length - 1) * share)];
  const history = makeInMemoryHistory();
  for (const item of items) {
    const known = makeKnowledge();
    knowledge.lookUp(item.request, known);
    const subject = subjectOf(identifyOffline, item.kind, item.request, item.occurred_at, known);
    const facts = history.measure(subject);
    if (item === chosen) return { subject, facts };
    history.observe(subject);
    if (isReported && fits(item))
      history.label(subject.hashes, { fraud: true, at: item.occurred_at, actors: actorKinds(subject, facts) });
  }
  throw new Error('no item fits');
};

const nameItem = ({ type, request }: Subject): string =>
  type === 'transaction'
    ? `payment of ${request.currency} ${request.amount.toFixed(2)} by ${request.user_id}`
    : `${request.outcome === 'failed' ? 'failed ' : ''}${request.type} by ${request.user_id}`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const scenes = SCENES.filter(({ name }) => name.includes(options.only));
for (const [i, scene] of scenes.entries()) {
  const { subject, facts } = play(scene);
  const verdict = decide(policy, subject, facts);
  // As for a reader of the decision: low scores are explained on request.
  const shown = { ...verdict, ...recomputeFactors(verdict, policy.model, subject, facts, false) };
  print(`\n${i + 1}. ${scene.name}: ${nameItem(subject)}`);
  print(`   ${verdict.decision} ${verdict.score}: ${summarize(verdict, subject, facts)}`);
  print(`   ${String(shown.baseScore).padStart(4)}  base score`);
  for (const { signal, theme, description, contribution } of explain(shown, subject, facts)) {
    const points = contribution > 0 ? `+${contribution}` : String(contribution);
    print(
      `   ${points.padStart(4)}  ${(theme ?? '').padEnd(12)}${description}${signal === undefined ? '' : ` [${signal}]`}`,
    );
  }
}
