import { randomBytes } from 'node:crypto';

const WORDS = 4;
const FINISH = 3;

/**
 * Makes a 32-bit HalfSipHash-1-3 of four words, with a random key. Memory holds only hashes of networks, and a list can
 * force an `allow`.
 */
export const makeKeyedHash = () => {
  const key = randomBytes(8);
  const [key0, key1] = [key.readInt32LE(0), key.readInt32LE(4)];
  const message = new Int32Array(WORDS);

  const digest = (): number => {
    let v0 = key0;
    let v1 = key1;
    let v2 = 0x6c796765 ^ key0;
    let v3 = 0x74656462 ^ key1;
    for (let i = 0; i < WORDS + FINISH; i++) {
      const word = i < WORDS ? (message[i] as number) : 0;
      if (i === WORDS) v2 ^= 0xff;
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

  return (a: number, b: number, c: number, d: number): number => {
    message[0] = a;
    message[1] = b;
    message[2] = c;
    message[3] = d;
    return digest();
  };
};
