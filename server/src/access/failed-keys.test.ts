import { expect, test } from 'vitest';
import { makeFailedKeys } from './failed-keys.ts';

const PER_MINUTE = 3;

const start = (keys: readonly string[] = []) => {
  const state = { now: 0, lookups: 0, listReads: 0, keys };
  const tryKey = makeFailedKeys({
    perMinute: PER_MINUTE,
    clock: () => state.now,
    readHashes: async () => {
      state.listReads++;
      return new Set(state.keys);
    },
  });
  /** Tries a key. Returns whether it was found, refused without a lookup, or wrong. */
  const attempt = async (hash: string, address = '192.0.2.1', isGuessable = false): Promise<string> => {
    const lookUp = async (): Promise<string> => {
      state.lookups++;
      if (!state.keys.includes(hash)) throw new Error('wrong');
      return 'found';
    };
    return tryKey({ address, hashes: [hash], isGuessable, lookUp }).catch((error: Error) =>
      'headers' in error ? `retry after ${(error.headers as Record<string, string>)['Retry-After']}` : error.message,
    );
  };
  const exhaust = async (address?: string): Promise<void> => {
    for (let i = 0; i < PER_MINUTE; i++) expect(await attempt('x', address)).toBe('wrong');
  };
  return { state, attempt, exhaust };
};

test('a client that tried too many wrong keys is refused without a lookup until the next attempt is free', async () => {
  const { state, attempt, exhaust } = start();
  await exhaust();
  expect(await attempt('x')).toBe('retry after 20');
  expect(state.lookups).toBe(PER_MINUTE);
  state.now += 15_000;
  expect(await attempt('x')).toBe('retry after 5');
  state.now += 5_000;
  expect(await attempt('x')).toBe('wrong');
  expect(await attempt('x')).toBe('retry after 20');
});

test('a correct key counts for nothing, and works while the client is refused', async () => {
  const { attempt, exhaust } = start(['good']);
  for (let i = 0; i < 10; i++) expect(await attempt('good')).toBe('found');
  await exhaust();
  expect([await attempt('good'), await attempt('x'), await attempt('good')]).toEqual([
    'found',
    'retry after 20',
    'found',
  ]);
});

test('a correct key that can be guessed waits like a wrong one', async () => {
  const { state, attempt, exhaust } = start(['weak']);
  expect(await attempt('weak', undefined, true)).toBe('found');
  await exhaust();
  expect(await attempt('weak', undefined, true)).toBe('retry after 20');
  state.now += 20_000;
  expect(await attempt('weak', undefined, true)).toBe('found');
});

test('the list of keys is read at most every ten seconds, and a new key works after that', async () => {
  const { state, attempt, exhaust } = start(['good']);
  await exhaust();
  for (let i = 0; i < 1000; i++) await attempt(`x${i}`);
  expect(state.listReads).toBe(1);
  state.keys = ['good', 'new'];
  expect(await attempt('new')).toBe('retry after 20');
  state.now += 10_001;
  expect([await attempt('new'), state.listReads]).toEqual(['found', 2]);
});

test('clients count for themselves: IPv4 by address, IPv6 by the first 64 bits', async () => {
  const { attempt, exhaust } = start();
  await exhaust('2001:db8::1');
  expect(await attempt('x', '2001:db8::ffff:2')).toBe('retry after 20');
  expect(await attempt('x', '2001:db8:0:1::1')).toBe('wrong');
  await exhaust('192.0.2.7');
  expect(await attempt('x', '::ffff:192.0.2.7')).toBe('retry after 20');
  expect(await attempt('x', '192.0.2.8')).toBe('wrong');
});

test('ten thousand clients are remembered, the one with the oldest attempt is forgotten first', async () => {
  const { attempt, exhaust } = start();
  const address = (i: number): string => `10.0.${i >> 8}.${i & 255}`;
  await exhaust('192.0.2.1');
  await exhaust('192.0.2.2');
  for (let i = 0; i < 9_998; i++) await attempt('x', address(i));
  expect(await attempt('x', '192.0.2.1')).toBe('retry after 20');
  await attempt('x', address(10_000));
  expect(await attempt('x', '192.0.2.1')).toBe('retry after 20');
  expect(await attempt('x', '192.0.2.2')).toBe('wrong');
});

test('at most 64 wrong keys of all clients are looked up at the same time', async () => {
  const { state, attempt } = start(['good']);
  const attempts = Array.from({ length: 100 }, (_, i) => attempt('x', `192.0.2.${i}`));
  expect(state.lookups).toBe(64);
  const results = await Promise.all([...attempts, attempt('good')]);
  expect(results.filter((result) => result === 'wrong')).toHaveLength(64);
  expect(results.filter((result) => result === 'retry after 1')).toHaveLength(36);
  expect(results.at(-1)).toBe('found');
});

test('a list that cannot be read is read again at the next attempt', async () => {
  let isBroken = true;
  const tryKey = makeFailedKeys({
    perMinute: 1,
    clock: () => 0,
    readHashes: async () => {
      if (isBroken) throw new Error('unavailable');
      return new Set(['good']);
    },
  });
  const attempt = (hash: string) =>
    tryKey({
      address: '',
      hashes: [hash],
      isGuessable: false,
      lookUp: async () => (hash === 'good' ? 1 : Promise.reject(0)),
    });
  await attempt('x').catch(() => {});
  await expect(attempt('good')).rejects.toThrow('unavailable');
  isBroken = false;
  expect(await attempt('good')).toBe(1);
});
