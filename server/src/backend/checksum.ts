/**
 * Checksums of stored histories. They find damage, not forgery. This file imports nothing, so that threads that only
 * store bytes do not load the engine.
 */
const TWO_32 = 2 ** 32;
const HIGH_BITS = 0x1fffff;
const NO_BYTES = new Uint8Array(0);

/**
 * A checksum of 53 bits over bytes and the numbers they are stored with. The bytes must be whole aligned words. Any
 * change within one word of 32 bits changes it for certain: each step is a bijection of the word, and of the state.
 */
export const checksumOf = (bytes: Uint8Array, ...numbers: readonly number[]): number => {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  const add = (word: number): void => {
    low = Math.imul(low ^ word, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high + word, 0x85ebca6b);
    high = (high << 13) | (high >>> 19);
  };
  for (const number of numbers) {
    add(number | 0);
    add(Math.floor(number / TWO_32) | 0);
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (let i = 0; i < words.length; i++) add(words[i] as number);
  return ((high ^ (high >>> 16)) & HIGH_BITS) * TWO_32 + (low >>> 0);
};

/** The checksum of numbers that are stored without bytes. */
export const numbersChecksum = (...numbers: readonly number[]): number => checksumOf(NO_BYTES, ...numbers);
