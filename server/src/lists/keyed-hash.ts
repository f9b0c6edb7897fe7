import { randomBytes } from 'node:crypto';

/** More than the longest value: 320 characters of two units each are 320 words. */
const LONGEST_WORDS = 512;
const FINISH = 3;

/**
 * 32 bits of a text or a few words, by HalfSipHash-1-3 under a key of this process alone. Entries are known in memory by hashes, and a list can force an
 * `allow`: were there only hashes that anybody can compute, an e-mail address could be made up that passes for a trusted one.
 */
export const makeKeyedHash = () => {
  const key = randomBytes(8);
  const [key0, key1] = [key.readInt32LE(0), key.readInt32LE(4)];
  const message = new Int32Array(LONGEST_WORDS);

  const digest = (words: number): number => {
    let v0 = key0;
    let v1 = key1;
    let v2 = 0x6c796765 ^ key0;
    let v3 = 0x74656462 ^ key1;
    for (let i = 0; i < words + FINISH; i++) {
      const word = i < words ? (message[i] as number) : 0;
      if (i === words) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return v1 ^ v3;
  };

  return {
    text: (value: string): number => {
      const { length } = value;
      message[0] = length;
      let words = 1;
      for (let i = 0; i < length; i += 2)
        message[words++] = value.charCodeAt(i) | (i + 1 < length ? value.charCodeAt(i + 1) << 16 : 0);
      return digest(words);
    },
    words: (a: number, b: number, c: number, d: number): number => {
      message[0] = a;
      message[1] = b;
      message[2] = c;
      message[3] = d;
      return digest(4);
    },
  };
};
