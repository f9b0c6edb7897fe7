import { TWO_32 } from '@portcullis/engine';

const BITS = 2 ** 25;
const PROBES = 4;

const bitStep = (key: number): number => Math.imul(Math.floor(key / TWO_32) + 1, 0x85ebca6b) | 1;

/**
 * A Bloom filter of 4 MiB that recognizes most new entities without reading from disk. At three million entities it
 * takes one new entity in sixty for a known one, which costs a read. Attackers bring new addresses and devices by the
 * thousand, so new entities are common. It recognizes none until it contains every entity on disk. Keys are keyed
 * hashes, so nobody can choose names that it takes for known ones.
 */
export const makeBloomFilter = () => {
  const words = new Uint32Array(BITS / 32);
  let isComplete = false;
  return {
    add: (key: number): void => {
      const step = bitStep(key);
      for (let i = 0, bit = key | 0; i < PROBES; i++, bit += step) {
        const at = bit & (BITS - 1);
        words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
      }
    },
    /** Whether no entity has this key. False does not mean that one has. */
    isNew: (key: number): boolean => {
      if (!isComplete) return false;
      const step = bitStep(key);
      for (let i = 0, bit = key | 0; i < PROBES; i++, bit += step) {
        const at = bit & (BITS - 1);
        if (((words[at >>> 5] as number) & (1 << (at & 31))) === 0) return true;
      }
      return false;
    },
    /** Every entity on disk was added. */
    complete: (): void => {
      isComplete = true;
    },
  };
};
export type BloomFilter = ReturnType<typeof makeBloomFilter>;
