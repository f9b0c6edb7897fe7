import type { DecisionValue } from '@portcullis/contract';
import type { Facts } from './facts.ts';
import type { Judgement, Model } from './model.ts';
import { askOwn, decisionFor, scoreFor } from './own-rules.ts';
import { type Policy, thresholdsFor } from './policy.ts';
import { MODEL_SIGNAL, SIGNALS, type Signal, TEST_ADDRESS_SIGNAL } from './signals.ts';
import type { Subject } from './subject.ts';

/** What one signal, or one feature of the model, added to the score, in points. */
export interface Contribution {
  readonly of: 'signal' | 'feature';
  readonly name: string;
  readonly contribution: number;
}

export interface Verdict {
  readonly score: number;
  readonly decision: DecisionValue;
  readonly signals: readonly string[];
  /** Largest first. With `baseScore` the contributions add up to `score`. */
  readonly factors: readonly Contribution[];
  readonly baseScore: number;
  /** Null when no model took part. */
  readonly modelVersion: string | null;
  readonly probability: number | null;
  /** The account's lists that something of the subject was on, and ids of its rules that matched, live and in shadow. */
  readonly lists: readonly string[];
  readonly rules: readonly string[];
  readonly shadow: readonly string[];
}

/** The small contributions of a model's features, together. */
export const OTHER_FEATURES = 'other_features';
const MOST_FEATURES = 8;
const HIGHEST = 100;

interface Mutable {
  readonly of: 'signal' | 'feature';
  readonly name: string;
  contribution: number;
}

/** Largest first; those alike in the order they came, signals before features, so that a stored verdict is put together the same. */
export const byContribution = (a: Contribution, b: Contribution): number => b.contribution - a.contribution;

/** Shrinks whole contributions in proportion until they sum to `room`, giving what rounding lost to the largest. */
const fitInto = (factors: Mutable[], total: number, room: number): void => {
  if (total <= room) return;
  let left = room;
  for (const factor of factors) {
    factor.contribution = Math.floor((factor.contribution * room) / total);
    left -= factor.contribution;
  }
  for (let i = 0; left > 0; i++, left--) (factors[i % factors.length] as Mutable).contribution++;
};

interface Rule {
  readonly signal: Signal;
  readonly points: number;
}
const rulesOf = (policy: Policy, type: Subject['type']): Rule[] =>
  SIGNALS.flatMap((signal) => {
    const points = policy.points[signal.name];
    return points === undefined || (signal.on !== 'both' && signal.on !== type) ? [] : [{ signal, points }];
  });

/** Which signals a policy gives a say is looked up once per policy, not once per screening. */
const compiled = new WeakMap<Policy, Record<Subject['type'], Rule[]>>();
const rulesFor = (policy: Policy, type: Subject['type']): readonly Rule[] => {
  let rules = compiled.get(policy);
  if (rules === undefined) {
    rules = { transaction: rulesOf(policy, 'transaction'), event: rulesOf(policy, 'event') };
    compiled.set(policy, rules);
  }
  return rules[type];
};

interface Opinion {
  readonly baseScore: number;
  readonly score: number;
  readonly probability: number | null;
  readonly factors: Contribution[];
}

/** Below this many points of the model, what its features add is not worth the time: `factorsAnew` tells it to whoever asks. */
const TOLD_FROM = 20;

/** The model's part of the score in whole points, and how it differs from where the model starts. */
const opinionOf = (
  { points, basePoints, probability }: Omit<Judgement, 'contributions'>,
  factors: Contribution[],
): Opinion => {
  const score = Math.round(points);
  const baseScore = Math.round(basePoints);
  const rest = factors.reduce((left, { contribution }) => left - contribution, score - baseScore);
  if (rest !== 0) factors.push({ of: 'feature', name: OTHER_FEATURES, contribution: rest });
  return { baseScore, score, probability, factors };
};

/** The features that make most of it, those alike in their order. Sorting all of them would take longer than to find these. */
const largest = (model: Model, { contributions }: Judgement): Contribution[] => {
  const chosen: number[] = [];
  for (let i = 0; i < contributions.length; i++) {
    const size = Math.abs(Math.round(contributions[i] as number));
    if (size === 0) continue;
    let at = chosen.length;
    while (at > 0 && size > Math.abs(Math.round(contributions[chosen[at - 1] as number] as number))) at--;
    if (at === MOST_FEATURES) continue;
    chosen.splice(at, 0, i);
    if (chosen.length > MOST_FEATURES) chosen.pop();
  }
  return chosen.map((i) => ({
    of: 'feature',
    name: model.features[i] as string,
    contribution: Math.round(contributions[i] as number),
  }));
};

const askModel = (model: Model, subject: Subject, facts: Facts): Opinion => {
  const rated = model.rate(facts, subject);
  if (rated.points < TOLD_FROM) return opinionOf(rated, []);
  const judged = model.judge(facts, subject);
  return opinionOf(judged, largest(model, judged));
};

const NONE: readonly string[] = [];

/**
 * The whole of a decision: no clock, no randomness, no I/O, and it never throws on data. The same three arguments give the
 * same verdict for ever, which is what makes a stored decision replayable. `lists` are those of the account's that something of the subject is on.
 *
 * The model says where the score stands. Rules then take their part of what it leaves up to 100: with rules worth R points together, and
 * at most 100, the score rises by R hundredths of the rest. So a rule tells most where the model sees nothing, two that see the
 * same thing as the model do not count it twice, and no signal can lower a score. The account's own rules and lists come after that, and
 * an address for trying things out after everything.
 */
export const decide = (policy: Policy, subject: Subject, facts: Facts, lists: readonly string[] = NONE): Verdict => {
  const { model } = policy;
  const thresholds = thresholdsFor(policy, subject.type);
  const opinion = model === undefined ? undefined : askModel(model, subject, facts);
  const start = opinion?.score ?? policy.baseScore;
  const active: Mutable[] = [];
  let total = 0;
  const rules = rulesFor(policy, subject.type);
  for (let i = 0; i < rules.length; i++) {
    const { signal, points } = rules[i] as Rule;
    if (!signal.active(facts, subject)) continue;
    active.push({ of: 'signal', name: signal.name, contribution: points });
    total += points;
  }
  if (active.length > 1) active.sort(byContribution);
  const added = Math.round(((HIGHEST - start) * Math.min(total, HIGHEST)) / HIGHEST);
  fitInto(active, total, added);
  let score = start + added;
  const signals = active.map(({ name }) => name);
  if (opinion !== undefined && opinion.score >= thresholds.review) signals.push(MODEL_SIGNAL);
  const factors = active.filter(({ contribution }) => contribution !== 0) as Contribution[];
  const own = askOwn(policy, thresholds, { subject, facts, score, modelScore: start, signals, lists });
  if (own !== undefined) {
    score = own.score;
    factors.push(...own.factors);
    signals.unshift(...own.signals);
  }
  const { ip_address: ip } = subject.request;
  const forced = ip === undefined ? undefined : policy.testAddresses[ip];
  if (forced !== undefined) {
    const target = scoreFor(forced, score, thresholds);
    if (target !== score) factors.unshift({ of: 'signal', name: TEST_ADDRESS_SIGNAL, contribution: target - score });
    signals.unshift(TEST_ADDRESS_SIGNAL);
    score = target;
  }
  if (opinion !== undefined) factors.push(...opinion.factors);
  if (factors.length > 1) factors.sort(byContribution);
  return {
    score,
    decision: decisionFor(score, thresholds),
    signals,
    factors,
    baseScore: opinion?.baseScore ?? policy.baseScore,
    modelVersion: model?.version ?? null,
    probability: opinion?.probability ?? null,
    lists,
    rules: own?.live ?? NONE,
    shadow: own?.shadow ?? NONE,
  };
};

/**
 * The same score with the model's part told anew: what the paths through its trees add, or, exactly, Shapley values, which part it more
 * fairly and take a hundred times as long. Undefined where it was not this model, or, exactly, one without trees.
 */
export const factorsAnew = (
  verdict: Verdict,
  model: Model,
  subject: Subject,
  facts: Facts,
  exactly: boolean,
): Pick<Verdict, 'baseScore' | 'factors'> | undefined => {
  const judge = exactly ? model.judgeExactly : model.judge;
  if (verdict.modelVersion !== model.version || judge === undefined) return undefined;
  const judged = judge(facts, subject);
  const { baseScore, factors } = opinionOf(judged, largest(model, judged));
  const rules = verdict.factors.filter(({ of }) => of === 'signal');
  return { baseScore, factors: [...rules, ...factors].sort(byContribution) };
};
