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

export const packFacts = (facts: Facts): Uint8Array<ArrayBuffer> => {
  const { length } = facts;
  let at = 0;
  for (let i = 0; i < length; ) {
    const value = facts[i] as number;
    const first = i;
    if (value === 0 && !Object.is(value, -0)) {
      do i++;
      while (i < length && i - first < LONGEST_RUN && Object.is(facts[i], 0));
      scratch[at++] = ZERO_RUN;
      scratch[at++] = i - first;
    } else if (Number.isNaN(value)) {
      do i++;
      while (i < length && i - first < LONGEST_RUN && Number.isNaN(facts[i]));
      scratch[at++] = NAN_RUN;
      scratch[at++] = i - first;
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
