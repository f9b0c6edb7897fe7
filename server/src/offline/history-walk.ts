import type { LabelReason } from '@portcullis/contract';
import { actorKinds, type Facts, type LabelEffect, makeInMemoryHistory, type Subject } from '@portcullis/engine';
import type { Item } from './item-reader.ts';

const MIN_TO_DISCARD = 65_536;

interface PendingLabel {
  /** Only the hashes of a subject are kept: labels of many days can be pending. */
  readonly hashes: Subject['hashes'];
  readonly fraud: boolean;
  readonly reason: LabelReason | undefined;
  /** The kinds of entity that it blames, from the facts of the time. */
  readonly actors: number;
  readonly due: number;
}

/** Queues labels until they become known. */
const makePendingLabels = (delayMs: number, apply: (hashes: Subject['hashes'], label: LabelEffect) => void) => {
  let pending: PendingLabel[] = [];
  let first = 0;
  return {
    add: ({ subject, label, labelReason: reason }: Item, facts: Facts): void => {
      if (label === undefined) return;
      const fraud = label === 1;
      const actors = fraud ? actorKinds(subject, facts, reason) : 0;
      pending.push({ hashes: subject.hashes, fraud, reason, actors, due: subject.at + delayMs });
    },
    releaseUntil: (time: number): void => {
      for (let next = pending[first]; next !== undefined && next.due <= time; next = pending[first]) {
        apply(next.hashes, { fraud: next.fraud, reason: next.reason, actors: next.actors, at: next.due });
        first++;
      }
      if (first < MIN_TO_DISCARD || first * 2 < pending.length) return;
      pending = pending.slice(first);
      first = 0;
    },
  };
};

/**
 * Replays items into an empty history, in the order of time. Facts include only earlier items, and labels that
 * became known at least `labelDelayMs` after their item.
 */
export const makeWalk = (labelDelayMs: number) => {
  const history = makeInMemoryHistory();
  const labels = makePendingLabels(labelDelayMs, history.label);
  let facts: Facts | undefined;
  return {
    /** The facts of an item before it is counted. The array is reused for the next item: copy it to keep it. */
    factsOf: ({ subject }: Item): Facts => {
      labels.releaseUntil(subject.at);
      facts = history.measure(subject);
      return facts;
    },
    /** Counts the item that `factsOf` was called with last. */
    next: (item: Item): void => {
      if (facts === undefined) throw new Error('an item is counted after its facts were read');
      labels.add(item, facts);
      history.observe(item.subject);
    },
  };
};
