import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type DataKey, makeSeal, makeVersionedSeal } from './seal.ts';

const key = (version: number, activeAt = 0): DataKey => ({
  version,
  key: Buffer.alloc(32, version),
  activeAt,
  isRetired: false,
});
const at = (now: number) => () => now;
const seal = (...versions: number[]) =>
  makeVersionedSeal(
    versions.map((version) => key(version)),
    at(1),
  );

describe('a seal with several versions of the data key', () => {
  test('seals with the newest active version and opens all', () => {
    const one = seal(1);
    let now = 0;
    const both = makeVersionedSeal([key(1), key(2, 100)], () => now);
    const early = both.seal('early', 'row');
    expect([both.version(), one.open(early, 'row')]).toEqual([1, 'early']);
    now = 100;
    const late = both.seal('late', 'row');
    expect(both.version()).toBe(2);
    expect(() => one.open(late, 'row')).toThrow('cannot be opened');
    expect([both.open(early, 'row'), both.open(late, 'row')]).toEqual(['early', 'late']);
    expect(() => both.open(late, 'another row')).toThrow('cannot be opened');
  });

  test('seals an older value again, and then the old version does not open it', () => {
    const [one, both] = [seal(1), seal(1, 2)];
    const resealed = both.reseal(one.seal('value', 'row'), 'row');
    expect(resealed?.from).toBe(1);
    const sealed = resealed?.sealed as Uint8Array;
    expect(both.open(sealed, 'row')).toBe('value');
    expect(both.reseal(sealed, 'row')).toBeUndefined();
    expect(() => one.open(sealed, 'row')).toThrow();
    expect(both.reseal(seal(3).seal('value', 'row'), 'row')).toBeUndefined();
  });

  test('finds a key by its hash of any version, upgraded any number of times', () => {
    const stored = seal(1).hashKey('sk_test_1');
    const twice = seal(1, 2).upgradeKeyHash(stored, 1);
    const thrice = seal(1, 2, 3).upgradeKeyHash(twice, 2);
    const hashes = seal(1, 2, 3).keyHashes('sk_test_1');
    for (const hash of [stored, twice, thrice, seal(1, 2).hashKey('sk_test_1'), seal(1, 2, 3).hashKey('sk_test_1')])
      expect(hashes).toContain(hash);
    expect(new Set(hashes).size).toBe(6);
    expect(seal(1, 2, 3).upgradeKeyHash(stored, 1)).toBe(thrice);
  });

  test('keeps the first hash of a key when versions are added: the cache of keys depends on it', () => {
    expect(seal(1, 2, 3).keyHashes('sk_test_1')[0]).toBe(seal(1).keyHashes('sk_test_1')[0]);
  });

  test('does not accept an old hash in place of a key', () => {
    const stored = seal(1).hashKey('sk_test_1');
    const upgraded = seal(1, 2).upgradeKeyHash(stored, 1);
    expect(seal(1, 2).keyHashes(stored)).not.toContain(upgraded);
  });

  test('recognizes a fingerprint of any version, upgraded or not', () => {
    const stored = seal(1).fingerprint('body');
    const both = seal(1, 2);
    for (const print of [stored, both.upgradeFingerprint(stored, 1), both.fingerprint('body')]) {
      expect(both.isFingerprint('body', print)).toBe(true);
      expect(both.isFingerprint('another body', print)).toBe(false);
    }
    expect(both.isFingerprint(stored, both.upgradeFingerprint(stored, 1))).toBe(false);
  });

  test('verifies signatures of all versions, and tells those of retired ones', () => {
    const parts = ['entry', 1];
    const signed = seal(1).chain(parts);
    const retired = makeVersionedSeal([{ ...key(1), isRetired: true }, key(2)], at(1));
    expect([retired.isChain(parts, signed), retired.isLiveChain(parts, signed)]).toEqual([true, false]);
    expect(retired.isLiveChain(parts, retired.chain(parts))).toBe(true);
    expect(retired.isChain(['entry', 2], signed)).toBe(false);
  });

  test('uses keys that were loaded later', () => {
    const changing = seal(1);
    const value = seal(1, 2).seal('value', 'row');
    expect(() => changing.open(value, 'row')).toThrow();
    changing.load([key(1), key(2)]);
    expect([changing.open(value, 'row'), changing.newestVersion()]).toEqual(['value', 2]);
  });
});

test('two installations have nothing in common', () => {
  const [one, two] = [makeSeal(randomBytes(32)), makeSeal(randomBytes(32))];
  expect(one.hashKey('key')).not.toBe(two.hashKey('key'));
  expect(one.fingerprint('text')).not.toBe(two.fingerprint('text'));
  expect(two.isChain(['a'], one.chain(['a']))).toBe(false);
});
