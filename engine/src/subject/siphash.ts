/**
 * SipHash-2-4 with an output of 128 bits (Aumasson and Bernstein, 2012). It is a pseudorandom function: without the
 * key nobody can choose two messages with equal results, or predict a result. It computes on halves of 32 bits, because
 * numbers have no 64-bit integers and BigInt is a hundred times slower.
 */

/** A key of 16 bytes as four little-endian words. */
export type SipKey = Int32Array;
export const SIP_KEY_BYTES = 16;

export const sipKeyOf = (bytes: Uint8Array): SipKey => {
  if (bytes.length !== SIP_KEY_BYTES) throw new RangeError(`a SipHash key has ${SIP_KEY_BYTES} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, SIP_KEY_BYTES);
  return Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at, true));
};

const COMPRESS_PAIRS = 1;
const FINISH_PAIRS = 2;

/** The bytes of the message as little-endian words, with room for the last block. Reused for every message. */
let words = new Int32Array(256);

/** Returns a buffer for a message of `length` bytes. Bytes after the message in its last word must be 0. */
export const messageWords = (length: number): Int32Array => {
  if ((length >> 2) + 4 > words.length) words = new Int32Array((length >> 1) + 4);
  return words;
};

/** The four words of the last result, from the lowest. */
export const digest = new Int32Array(4);

/**
 * Hashes the first `length` bytes of `messageWords` into `digest`. Rounds are written in pairs: a rotation by 32 bits
 * swaps two halves, and after two rounds each half is in its place again. A carry is a number and no branch, which would be
 * mispredicted half of the time.
 */
export const sipHash = (key: SipKey, length: number): void => {
  // The last block is filled with zeros, and ends with the length.
  const last = (length >> 3) << 1;
  if ((length & 7) === 0) words[last] = 0;
  words[last + 1] = ((length & 7) > 4 ? (words[last + 1] as number) : 0) | (length << 24);
  const compressed = last + 2;

  const k0 = key[0] as number;
  const k1 = key[1] as number;
  const k2 = key[2] as number;
  const k3 = key[3] as number;
  let a0 = k0 ^ 0x70736575;
  let a1 = k1 ^ 0x736f6d65;
  let b0 = k2 ^ 0x6e646f6d ^ 0xee;
  let b1 = k3 ^ 0x646f7261;
  let c0 = k0 ^ 0x6e657261;
  let c1 = k1 ^ 0x6c796765;
  let d0 = k2 ^ 0x79746573;
  let d1 = k3 ^ 0x74656462;
  let t = 0;
  // Two steps after the blocks finish: each gives half of the result.
  for (let at = 0; at < compressed + 4; at += 2) {
    const isBlock = at < compressed;
    const m0 = isBlock ? (words[at] as number) : 0;
    const m1 = isBlock ? (words[at + 1] as number) : 0;
    d0 ^= m0;
    d1 ^= m1;
    if (at === compressed) c0 ^= 0xee;
    else if (at > compressed) b0 ^= 0xdd;
    for (let pair = isBlock ? COMPRESS_PAIRS : FINISH_PAIRS; pair > 0; pair--) {
      t = (a0 + b0) | 0;
      a1 = (a1 + b1 + Number(t >>> 0 < b0 >>> 0)) | 0;
      a0 = t;
      t = (b0 << 13) | (b1 >>> 19);
      b1 = ((b1 << 13) | (b0 >>> 19)) ^ a1;
      b0 = t ^ a0;
      t = (c0 + d0) | 0;
      c1 = (c1 + d1 + Number(t >>> 0 < d0 >>> 0)) | 0;
      c0 = t;
      t = (d0 << 16) | (d1 >>> 16);
      d1 = ((d1 << 16) | (d0 >>> 16)) ^ c1;
      d0 = t ^ c0;
      t = (a1 + d0) | 0;
      a0 = (a0 + d1 + Number(t >>> 0 < d0 >>> 0)) | 0;
      a1 = t;
      t = (d0 << 21) | (d1 >>> 11);
      d1 = ((d1 << 21) | (d0 >>> 11)) ^ a0;
      d0 = t ^ a1;
      t = (c0 + b0) | 0;
      c1 = (c1 + b1 + Number(t >>> 0 < b0 >>> 0)) | 0;
      c0 = t;
      t = (b0 << 17) | (b1 >>> 15);
      b1 = ((b1 << 17) | (b0 >>> 15)) ^ c1;
      b0 = t ^ c0;
      t = (a1 + b0) | 0;
      a0 = (a0 + b1 + Number(t >>> 0 < b0 >>> 0)) | 0;
      a1 = t;
      t = (b0 << 13) | (b1 >>> 19);
      b1 = ((b1 << 13) | (b0 >>> 19)) ^ a0;
      b0 = t ^ a1;
      t = (c1 + d0) | 0;
      c0 = (c0 + d1 + Number(t >>> 0 < d0 >>> 0)) | 0;
      c1 = t;
      t = (d0 << 16) | (d1 >>> 16);
      d1 = ((d1 << 16) | (d0 >>> 16)) ^ c0;
      d0 = t ^ c1;
      t = (a0 + d0) | 0;
      a1 = (a1 + d1 + Number(t >>> 0 < d0 >>> 0)) | 0;
      a0 = t;
      t = (d0 << 21) | (d1 >>> 11);
      d1 = ((d1 << 21) | (d0 >>> 11)) ^ a1;
      d0 = t ^ a0;
      t = (c1 + b0) | 0;
      c0 = (c0 + b1 + Number(t >>> 0 < b0 >>> 0)) | 0;
      c1 = t;
      t = (b0 << 17) | (b1 >>> 15);
      b1 = ((b1 << 17) | (b0 >>> 15)) ^ c0;
      b0 = t ^ c1;
    }
    a0 ^= m0;
    a1 ^= m1;
    if (!isBlock) {
      digest[at - compressed] = a0 ^ b0 ^ c0 ^ d0;
      digest[at - compressed + 1] = a1 ^ b1 ^ c1 ^ d1;
    }
  }
};
