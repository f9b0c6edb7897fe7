import { LABEL_REASONS } from '@portcullis/contract/values';
import {
  actorKinds,
  type Facts,
  type LabelEffect,
  makeInMemoryHistory,
  RELATED_KINDS,
  type Subject,
} from '@portcullis/engine';
import type { Item } from './item-reader.ts';

/** The numbers of a pending label: when it becomes known, its value, its reason, and the kinds of entity that it blames. */
const DUE = 0;
const FRAUD = 1;
const REASON = 2;
const ACTORS = 3;
/** Then the hashes of its subject. */
const HASHES = 4;
const WORDS = HASHES + RELATED_KINDS.length;
const FIRST_LABELS = 1024;

type Labelled = Pick<Item, 'subject' | 'label' | 'labelReason'>;

/**
 * Queues labels until they become known, in a ring of numbers: labels of many days can be pending, and the garbage collector
 * would copy as many objects.
 */
const makePendingLabels = (delayMs: number, apply: (hashes: Subject['hashes'], label: LabelEffect) => void) => {
  let ring = new Float64Array(FIRST_LABELS * WORDS);
  let first = 0;
  let count = 0;
  const hashes: number[] = RELATED_KINDS.map(() => 0.5);
  const at = (index: number): number => ((first + index) * WORDS) % ring.length;
  const grow = (): void => {
    const larger = new Float64Array(2 * ring.length);
    larger.set(ring.subarray(first * WORDS));
    larger.set(ring.subarray(0, first * WORDS), ring.length - first * WORDS);
    ring = larger;
    first = 0;
  };
  const applyFirst = (): void => {
    const from = at(0);
    for (let kind = 0; kind < hashes.length; kind++) hashes[kind] = ring[from + HASHES + kind] as number;
    apply(hashes, {
      fraud: ring[from + FRAUD] === 1,
      reason: LABEL_REASONS[ring[from + REASON] as number],
      actors: ring[from + ACTORS] as number,
      at: ring[from + DUE] as number,
    });
    first = (first + 1) % (ring.length / WORDS);
    count--;
  };
  return {
    add: ({ subject, label, labelReason: reason }: Labelled, facts: Facts): void => {
      if (label === undefined) return;
      if ((count + 1) * WORDS > ring.length) grow();
      const from = at(count++);
      ring[from + DUE] = subject.at + delayMs;
      ring[from + FRAUD] = label;
      ring[from + REASON] = reason === undefined ? -1 : LABEL_REASONS.indexOf(reason);
      ring[from + ACTORS] = label === 1 ? actorKinds(subject, facts, reason) : 0;
      ring.set(subject.hashes, from + HASHES);
    },
    releaseUntil: (time: number): void => {
      while (count > 0 && (ring[at(0) + DUE] as number) <= time) applyFirst();
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
  let current: Facts | undefined;
  return {
    /** Measures the facts of an item before it is counted. Without `facts`, it returns an array that the next item reuses. */
    factsOf: ({ subject }: Pick<Item, 'subject'>, facts?: Facts): Facts => {
      labels.releaseUntil(subject.at);
      current = history.measure(subject, facts);
      return current;
    },
    /** Counts the item that `factsOf` was called with last. */
    next: (item: Labelled): void => {
      if (current === undefined) throw new Error('an item is counted after its facts were read');
      labels.add(item, current);
      history.observe(item.subject, current);
    },
  };
};
