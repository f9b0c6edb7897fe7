/**
 * Checksums of stored histories. They find damage, not forgery. This file imports nothing, so that threads that only
 * store bytes do not load the engine.
 */
const TWO_32 = 2 ** 32;
const HIGH_BITS = 0x1fffff;
const NO_BYTES = new Uint8Array(0);

const stepLow = (low: number, word: number): number => {
  const mixed = Math.imul(low ^ word, 0x01000193);
  return mixed ^ (mixed >>> 15);
};
const stepHigh = (high: number, word: number): number => {
  const mixed = Math.imul(high + word, 0x85ebca6b);
  return (mixed << 13) | (mixed >>> 19);
};

/**
 * A checksum of 53 bits over bytes and the numbers they are stored with. The bytes must be whole aligned words. Any
 * change within one word of 32 bits changes it for certain: each step is a bijection of the word, and of the state.
 */
export const checksumOf = (bytes: Uint8Array, ...numbers: readonly number[]): number => {
  // Only this function changes them. A closure that changed them would allocate a number at every step.
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (const number of numbers) {
    const upper = Math.floor(number / TWO_32) | 0;
    low = stepLow(stepLow(low, number | 0), upper);
    high = stepHigh(stepHigh(high, number | 0), upper);
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (let i = 0; i < words.length; i++) {
    low = stepLow(low, words[i] as number);
    high = stepHigh(high, words[i] as number);
  }
  return ((high ^ (high >>> 16)) & HIGH_BITS) * TWO_32 + (low >>> 0);
};

/** The checksum of numbers that are stored without bytes. */
export const numbersChecksum = (...numbers: readonly number[]): number => checksumOf(NO_BYTES, ...numbers);
