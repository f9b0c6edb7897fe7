import { type Facts, type LabelEffect, makeInMemoryHistory, type Subject } from '@portcullis/engine';
import type { Item } from './item-reader.ts';

const MIN_TO_DISCARD = 65_536;

interface PendingLabel {
  /** Only the hashes of a subject are kept: labels of many days can be pending. */
  readonly hashes: Subject['hashes'];
  readonly fraud: boolean;
  readonly due: number;
}

/** Queues labels until they become known. */
const makePendingLabels = (delayMs: number, apply: (hashes: Subject['hashes'], label: LabelEffect) => void) => {
  let pending: PendingLabel[] = [];
  let first = 0;
  return {
    add: ({ subject, label }: Item): void => {
      if (label !== undefined) pending.push({ hashes: subject.hashes, fraud: label === 1, due: subject.at + delayMs });
    },
    releaseUntil: (time: number): void => {
      for (let next = pending[first]; next !== undefined && next.due <= time; next = pending[first]) {
        apply(next.hashes, { fraud: next.fraud, at: next.due });
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
  return {
    /** The facts of an item before it is counted. The array is reused for the next item: copy it to keep it. */
    factsOf: ({ subject }: Item): Facts => {
      labels.releaseUntil(subject.at);
      return history.measure(subject);
    },
    /** Counts the item that `factsOf` was called with last. */
    next: (item: Item): void => {
      history.observe(item.subject);
      labels.add(item);
    },
  };
};
