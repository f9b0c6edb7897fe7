import { FACT_NAMES, type Facts, makeFacts } from './facts.ts';

/**
 * Facts as bytes, exact to the bit. Nearly all are small counts, zeros or absent, so a count below 240 takes one byte,
 * a run of zeros or of NaNs two, and only real amounts and ages nine. A row is a third of what plain doubles take.
 */
const NAN_RUN = 240;
const ZERO_RUN = 241;
const DOUBLE = 242;
const LONGEST_RUN = 255;

const scratch = new Uint8Array(FACT_NAMES.length * 9);
const scratchView = new DataView(scratch.buffer);

const runLength = (facts: Facts, from: number, same: (value: number) => boolean): number => {
  let length = 1;
  while (length < LONGEST_RUN && from + length < facts.length && same(facts[from + length] as number)) length++;
  return length;
};
const isZero = (value: number): boolean => Object.is(value, 0);

export const packFacts = (facts: Facts): Uint8Array<ArrayBuffer> => {
  let at = 0;
  for (let i = 0; i < facts.length; ) {
    const value = facts[i] as number;
    if (Number.isNaN(value) || isZero(value)) {
      const run = runLength(facts, i, value === 0 ? isZero : Number.isNaN);
      scratch[at++] = value === 0 ? ZERO_RUN : NAN_RUN;
      scratch[at++] = run;
      i += run;
    } else if (value > 0 && value < NAN_RUN && Number.isInteger(value)) {
      scratch[at++] = value;
      i++;
    } else {
      scratch[at++] = DOUBLE;
      scratchView.setFloat64(at, value);
      at += 8;
      i++;
    }
  }
  return scratch.slice(0, at);
};

export const unpackFacts = (bytes: Uint8Array): Facts => {
  const facts = makeFacts();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let i = 0;
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++] as number;
    if (tag === NAN_RUN || tag === ZERO_RUN) {
      const run = bytes[at++] as number;
      facts.fill(tag === ZERO_RUN ? 0 : Number.NaN, i, i + run);
      i += run;
    } else if (tag === DOUBLE) {
      facts[i++] = view.getFloat64(at);
      at += 8;
    } else {
      facts[i++] = tag;
    }
  }
  return facts;
};
