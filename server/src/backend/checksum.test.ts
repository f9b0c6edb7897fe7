import { expect, test } from 'vitest';
import { checksumOf, numbersChecksum } from './checksum.ts';

const BYTES = Uint8Array.from({ length: 64 }, (_, i) => (i * 37) & 255);

test('the checksums of stored rows never change: every row would count as damaged', () => {
  expect(checksumOf(BYTES)).toBe(1765894693528948);
  expect(checksumOf(BYTES, 2 ** 52 + 12345, 1, 2 ** 40 + 7, 99)).toBe(7342343069505857);
  expect(numbersChecksum(0)).toBe(7280141255111391);
  expect(numbersChecksum(-5)).toBe(5017826355650390);
  expect(numbersChecksum(1, 2 ** 53 - 1, 77)).toBe(4448166994176016);
});

test('any changed word changes the checksum', () => {
  const before = checksumOf(BYTES, 7);
  for (let at = 0; at < BYTES.length; at++) {
    const changed = BYTES.slice();
    changed[at] = (changed[at] as number) ^ 16;
    expect(checksumOf(changed, 7)).not.toBe(before);
  }
  expect(checksumOf(BYTES, 8)).not.toBe(before);
});
