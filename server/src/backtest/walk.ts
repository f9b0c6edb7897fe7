import { type Facts, makeStream, type Said, type Subject } from '@portcullis/engine';
import type { Item } from './items.ts';

/** Labels that are not known yet, in the order they become so. Of a subject only its hashes are kept: days of them wait. */
const makePending = (delayMs: number, know: (hashes: Subject['hashes'], said: Said) => void) => {
  let waiting: { readonly hashes: Subject['hashes']; readonly fraud: boolean; readonly due: number }[] = [];
  let first = 0;
  return {
    add: ({ subject, label }: Item): void => {
      if (label !== undefined) waiting.push({ hashes: subject.hashes, fraud: label === 1, due: subject.at + delayMs });
    },
    releaseUntil: (moment: number): void => {
      for (let next = waiting[first]; next !== undefined && next.due <= moment; next = waiting[first]) {
        know(next.hashes, { fraud: next.fraud, at: next.due });
        first++;
      }
      if (first < 65_536 || first * 2 < waiting.length) return;
      waiting = waiting.slice(first);
      first = 0;
    },
  };
};

/**
 * A history from nothing: `factsOf` tells what was known before an item, `next` counts it in. Nothing looks ahead, and a label counts from
 * `labelDelayMs` after its item on.
 */
export const makeWalk = (labelDelayMs: number) => {
  const stream = makeStream();
  const pending = makePending(labelDelayMs, stream.label);
  return {
    /** Reused for the next item: copy what is to be kept. */
    factsOf: ({ subject }: Item): Facts => {
      pending.releaseUntil(subject.at);
      return stream.measure(subject);
    },
    /** Counts in the item asked about last. */
    next: (item: Item): void => {
      stream.observe(item.subject);
      pending.add(item);
    },
  };
};
