import type { Facts } from '../history/facts.ts';
import type { Signal } from '../signals/signal.ts';
import { MODEL_SIGNAL, SIGNALS, TEST_ADDRESS_SIGNAL } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { evaluateAccountRules } from './account-rules.ts';
import { scoreByModel } from './model-score.ts';
import { type Policy, thresholdsFor } from './policy.ts';
import { decisionFor, scoreFor } from './thresholds.ts';
import { byContribution, type Contribution, type Verdict } from './verdict.ts';

const HIGHEST = 100;

interface MutableContribution {
  readonly of: 'signal' | 'feature';
  readonly name: string;
  contribution: number;
}

/**
 * Shrinks whole contributions in proportion until they sum to `room`. Points lost by rounding go to the largest
 * ones.
 */
const fitInto = (factors: MutableContribution[], total: number, room: number): void => {
  if (total <= room) return;
  let left = room;
  for (const factor of factors) {
    factor.contribution = Math.floor((factor.contribution * room) / total);
    left -= factor.contribution;
  }
  for (let i = 0; left > 0; i++, left--) (factors[i % factors.length] as MutableContribution).contribution++;
};

interface SignalPoints {
  readonly signal: Signal;
  readonly points: number;
}
const enabledSignals = (policy: Policy, type: Subject['type']): SignalPoints[] =>
  SIGNALS.flatMap((signal) => {
    const points = policy.points[signal.name];
    return points === undefined || (signal.on !== 'both' && signal.on !== type) ? [] : [{ signal, points }];
  });

/** The enabled signals of a policy, computed once per policy and not once per screening. */
const signalsByPolicy = new WeakMap<Policy, Record<Subject['type'], SignalPoints[]>>();
const signalsFor = (policy: Policy, type: Subject['type']): readonly SignalPoints[] => {
  let signals = signalsByPolicy.get(policy);
  if (signals === undefined) {
    signals = { transaction: enabledSignals(policy, 'transaction'), event: enabledSignals(policy, 'event') };
    signalsByPolicy.set(policy, signals);
  }
  return signals[type];
};

const NONE: readonly string[] = [];

/**
 * Makes a decision. It uses no clock, randomness or I/O, and never throws on any data. The same arguments always
 * give the same verdict, so a stored decision can be replayed. `lists` are the account's lists that the subject
 * matches.
 *
 * The model sets the starting score. The active signals, worth R points together (at most 100), then close R
 * percent of the gap to 100. So a signal counts most where the model sees no risk, and no signal lowers a score.
 * The account's rules and lists follow. A test address overrides everything.
 */
export const decide = (policy: Policy, subject: Subject, facts: Facts, lists: readonly string[] = NONE): Verdict => {
  const { model } = policy;
  const thresholds = thresholdsFor(policy, subject.type);
  const modelPart = model === undefined ? undefined : scoreByModel(model, subject, facts);
  const start = modelPart?.score ?? policy.baseScore;
  const active: MutableContribution[] = [];
  let total = 0;
  const enabled = signalsFor(policy, subject.type);
  for (let i = 0; i < enabled.length; i++) {
    const { signal, points } = enabled[i] as SignalPoints;
    if (!signal.active(facts, subject)) continue;
    active.push({ of: 'signal', name: signal.name, contribution: points });
    total += points;
  }
  if (active.length > 1) active.sort(byContribution);
  const added = Math.round(((HIGHEST - start) * Math.min(total, HIGHEST)) / HIGHEST);
  fitInto(active, total, added);
  let score = start + added;
  const signals = active.map(({ name }) => name);
  if (modelPart !== undefined && modelPart.score >= thresholds.review) signals.push(MODEL_SIGNAL);
  const factors = active.filter(({ contribution }) => contribution !== 0) as Contribution[];
  const input = { subject, facts, score, modelScore: start, signals, lists };
  const outcome = evaluateAccountRules(policy, thresholds, input);
  if (outcome !== undefined) {
    score = outcome.score;
    factors.push(...outcome.factors);
    signals.unshift(...outcome.signals);
  }
  const { ip_address: ip } = subject.request;
  const forced = ip === undefined ? undefined : policy.testAddresses[ip];
  if (forced !== undefined) {
    const target = scoreFor(forced, score, thresholds);
    if (target !== score) factors.unshift({ of: 'signal', name: TEST_ADDRESS_SIGNAL, contribution: target - score });
    signals.unshift(TEST_ADDRESS_SIGNAL);
    score = target;
  }
  if (modelPart !== undefined) factors.push(...modelPart.factors);
  if (factors.length > 1) factors.sort(byContribution);
  return {
    score,
    decision: decisionFor(score, thresholds),
    signals,
    factors,
    baseScore: modelPart?.baseScore ?? policy.baseScore,
    modelVersion: model?.version ?? null,
    probability: modelPart?.probability ?? null,
    lists,
    rules: outcome?.live ?? NONE,
    shadow: outcome?.shadow ?? NONE,
  };
};
