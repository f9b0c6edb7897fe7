import type { Theme } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import { describeFeature } from '../model/feature-descriptions.ts';
import { SIGNAL_FEATURE } from '../model/features.ts';
import type { Signal } from '../signals/signal.ts';
import { SIGNALS, TEST_ADDRESS_SIGNAL } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { LIST_PREFIX, RULE_PREFIX } from './account-rules.ts';
import { byContribution, type Contribution, OTHER_FEATURES, type Verdict } from './verdict.ts';

/** One reason of a score, in words. */
export interface Reason extends Contribution {
  readonly theme: Theme | null;
  /** The sentence with the evidence. Not rendered for a summary. */
  readonly text: () => string;
  /** A few words for the summary. */
  readonly brief: string | undefined;
  /** What the reason is about. A summary tells each topic once. */
  readonly topics: readonly string[];
}
type MutableReason = { -readonly [Name in keyof Reason]: Reason[Name] };

const signalsByName = new Map(SIGNALS.map((signal) => [signal.name, signal]));

/** The words for a signal that is not among SIGNALS. */
const accountWords = (name: string, { decision }: Verdict): Pick<Reason, 'theme' | 'text' | 'brief'> => {
  if (name === TEST_ADDRESS_SIGNAL)
    return {
      theme: 'place',
      text: () => `Test IP address: the decision is always ${decision}`,
      brief: 'test IP address',
    };
  if (name.startsWith(RULE_PREFIX)) {
    const rule = name.slice(RULE_PREFIX.length);
    return { theme: 'your_rules', text: () => `Rule ${rule} of this account matched`, brief: `rule ${rule}` };
  }
  if (name.startsWith(LIST_PREFIX)) {
    const list = name.slice(LIST_PREFIX.length);
    return { theme: 'your_rules', text: () => `On list ${list} of this account`, brief: `on list ${list}` };
  }
  return { theme: null, text: () => 'Signal of an earlier version', brief: undefined };
};

const signalReason = (name: string, verdict: Verdict, subject: Subject, facts: Facts | undefined): MutableReason => {
  const signal: Signal | undefined = signalsByName.get(name);
  const reason = { of: 'signal' as const, name, contribution: 0 };
  if (signal === undefined) return { ...reason, ...accountWords(name, verdict), topics: [name] };
  return {
    ...reason,
    theme: signal.theme,
    text: () => (facts === undefined ? signal.meaning : signal.describe(facts, subject)),
    brief: facts === undefined ? undefined : signal.brief(facts, subject),
    topics: signal.topics.length === 0 ? [name] : signal.topics,
  };
};

/** The reasons of signals. Each active signal has one, even if it changes nothing: an analyst wants to see all of them. */
const signalReasons = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Map<string, MutableReason> => {
  const reasons = new Map<string, MutableReason>();
  const add = (name: string): MutableReason => {
    const reason = reasons.get(name) ?? signalReason(name, verdict, subject, facts);
    reasons.set(name, reason);
    return reason;
  };
  for (const name of verdict.signals) if (signalsByName.has(name)) add(name);
  for (const { of, name, contribution } of verdict.factors) {
    if (of === 'signal') add(name).contribution += contribution;
    else if (name.startsWith(SIGNAL_FEATURE)) add(name.slice(SIGNAL_FEATURE.length)).contribution += contribution;
  }
  return reasons;
};

/** The active signal that covers a topic: of several, the one with the largest contribution. */
const strongestSignalFor = (topic: string, signals: Iterable<MutableReason>): MutableReason | undefined => {
  let found: MutableReason | undefined;
  for (const reason of signals)
    if (reason.topics.includes(topic) && (found === undefined || reason.contribution > found.contribution))
      found = reason;
  return found;
};

/**
 * The reasons of a verdict, largest contribution first, signals before features. With `baseScore` they add up to the score.
 * All facts about one topic are one reason: features join the active signal that says the same, or the feature that
 * contributed most. Unknown values, and values whose contribution contradicts their plain meaning, are among the other
 * features.
 */
export const reasonsOf = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Reason[] => {
  const signals = signalReasons(verdict, subject, facts);
  const byTopic = new Map<string, MutableReason & { side: number; largest: number }>();
  let others = 0;
  for (const { of, name, contribution } of verdict.factors) {
    if (of === 'signal' || name.startsWith(SIGNAL_FEATURE)) continue;
    const description = describeFeature(name, subject, facts);
    if (description === undefined) {
      others += contribution;
      continue;
    }
    const { topic, theme, text, brief, side = 0 } = description;
    const known = byTopic.get(topic);
    if (known === undefined)
      byTopic.set(topic, {
        of,
        name,
        contribution,
        theme,
        text: () => text,
        brief,
        topics: [topic],
        side,
        largest: contribution,
      });
    else {
      known.contribution += contribution;
      known.brief ??= brief;
      if (Math.abs(contribution) > Math.abs(known.largest))
        Object.assign(known, {
          name,
          theme,
          text: () => text,
          brief: brief ?? known.brief,
          side,
          largest: contribution,
        });
    }
  }
  const features: MutableReason[] = [];
  for (const [topic, { side, largest, ...reason }] of byTopic) {
    const signal = strongestSignalFor(topic, signals.values());
    const { contribution } = reason;
    // A signal speaks against the user.
    if (contribution * (signal === undefined ? side : 1) < 0) others += contribution;
    else if (signal !== undefined) signal.contribution += contribution;
    else if (contribution !== 0) features.push(reason);
  }
  if (others !== 0) {
    const rest = { theme: null, text: () => 'Everything else taken together', brief: undefined, topics: [] };
    features.push({ of: 'feature', name: OTHER_FEATURES, contribution: others, ...rest });
  }
  return [...signals.values(), ...features].sort(byContribution);
};
