import { ID_PREFIXES, type IdKind } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { firstSeqAt, idOf, MAX_PROCESSES, makeIds, type Place, seqOf, withPrefix } from './ids.ts';

const START = Date.parse('2026-11-14T09:30:00.000Z');
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const toBits = (id: string): bigint => [...id].reduce((bits, char) => bits * 32n + BigInt(ALPHABET.indexOf(char)), 0n);
const timeOf = (id: string): number => Number(toBits(id) >> 80n);
const expectGrowing = (ids: readonly string[]): void => {
  for (let i = 1; i < ids.length; i++)
    if (!((ids[i - 1] as string) < (ids[i] as string))) throw new Error(`${i}: ${ids[i - 1]} ${ids[i]}`);
};

describe('an id', () => {
  test('is a UUIDv7 of the time, in 26 letters and digits that are hard to confuse', () => {
    const id = makeIds(() => START)();
    expect(id).toMatch(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(timeOf(id)).toBe(START);
    const bits = toBits(id);
    expect((bits >> 76n) & 0xfn).toBe(7n);
    expect((bits >> 62n) & 0b11n).toBe(0b10n);
    expect(bits < 2n ** 128n).toBe(true);
  });

  test('is unique among a hundred thousand', () => {
    let now = START;
    const newId = makeIds(() => (Math.random() < 0.01 ? ++now : now));
    expect(new Set(Array.from({ length: 100_000 }, newId)).size).toBe(100_000);
  });

  test('differs from that of a process that started in the same millisecond', () => {
    const [one, two] = [makeIds(() => START), makeIds(() => START)];
    const ids = Array.from({ length: 5000 }, () => [one(), two()]).flat();
    expect(new Set(ids).size).toBe(10_000);
  });

  test('cannot be guessed from the one before: 62 bits of it are random', () => {
    const newId = makeIds(() => START);
    const ids = Array.from({ length: 2000 }, newId);
    const low = ids.map((id) => toBits(id) & (2n ** 62n - 1n));
    expect(new Set(low).size).toBe(2000);
    for (let bit = 0n; bit < 62n; bit++) {
      const ones = low.filter((bits) => (bits >> bit) & 1n).length;
      expect(ones).toBeGreaterThan(800);
      expect(ones).toBeLessThan(1200);
    }
  });
});

describe('order', () => {
  test('is that of creation, as plain text, within a millisecond and across', () => {
    let now = START;
    const newId = makeIds(() => now);
    const ids: string[] = [];
    for (let i = 0; i < 3000; i++) {
      ids.push(newId());
      if (i % 7 === 0) now += i % 5;
    }
    expectGrowing(ids);
  });

  test('holds when the counter overflows within one millisecond', () => {
    const newId = makeIds(() => START);
    const ids = Array.from({ length: 20_000 }, newId);
    expectGrowing(ids);
    expect(timeOf(ids[0] as string)).toBe(START);
    expect(timeOf(ids.at(-1) as string)).toBeLessThan(START + 10);
  });

  test('holds when the clock is set back: the time of ids continues', () => {
    let now = START;
    const newId = makeIds(() => now);
    const ids = [newId()];
    for (const step of [-1, -3_600_000, 10, -5, 3_600_000, 7_200_000]) {
      now += step;
      ids.push(newId(), newId());
    }
    expectGrowing(ids);
    expect(timeOf(ids.at(-1) as string)).toBe(now);
  });

  test('is the same for ids, their numbers and their times', () => {
    let now = START;
    const newId = makeIds(() => now);
    const ids = Array.from({ length: 9000 }, (_, i) => {
      if (i % 1000 === 0) now += 17;
      return newId();
    });
    const seqs = ids.map(seqOf);
    for (let i = 1; i < seqs.length; i++) expect(seqs[i]).toBeGreaterThan(seqs[i - 1] as number);
    for (const [i, seq] of seqs.entries()) {
      const time = timeOf(ids[i] as string);
      expect(Number.isSafeInteger(seq) && seq >= firstSeqAt(time) && seq < firstSeqAt(time + 1)).toBe(true);
    }
    expect(Number.isSafeInteger(firstSeqAt(Date.UTC(2088, 0)))).toBe(true);
  });

  test('continues after the last id of an earlier process, even when the clock was set back', () => {
    for (const last of [START, START + 5000]) {
      const before = makeIds(() => last);
      const ids = Array.from({ length: 10 }, before);
      const place = { after: seqOf(ids.at(-1) as string) };
      const after = makeIds(
        () => START,
        () => place,
      );
      for (let i = 0; i < 5; i++) ids.push(after());
      expectGrowing(ids);
    }
  });

  test('begins in 2020 when the clock lost its time', () => {
    const id = makeIds(() => 12_345)();
    expect(new Date(timeOf(id)).toISOString()).toBe('2020-01-01T00:00:00.000Z');
    expect(seqOf(id)).toBeGreaterThan(0);
  });
});

describe('several processes', () => {
  const makeProcess = (number: number, clock: () => number) => {
    const place: Place = { number, after: 0 };
    return makeIds(clock, () => place);
  };

  test('never share a number; ids of each grow, and keep the current millisecond while the counter lasts', () => {
    let now = START;
    const processes = Array.from({ length: MAX_PROCESSES }, (_, number) => makeProcess(number, () => now));
    const made = processes.map((): string[] => []);
    for (let moment = 0; moment < 20; moment++, now++)
      for (const [i, newId] of processes.entries())
        for (let count = 0; count < (i + moment) % 32; count++) {
          const id = newId();
          expect(timeOf(id)).toBe(now);
          made[i]?.push(id);
        }
    for (const ids of made) expectGrowing(ids);
    const all = made.flat();
    expect(new Set(all.map(seqOf)).size).toBe(all.length);
  });

  test('use the next millisecond when their share of the counter is used up', () => {
    const [one, two] = [makeProcess(0, () => START), makeProcess(127, () => START)];
    const ids = [Array.from({ length: 500 }, one), Array.from({ length: 500 }, two)];
    for (const own of ids) expectGrowing(own);
    expect(new Set(ids.flat().map(seqOf)).size).toBe(1000);
    expect(timeOf(ids[0]?.at(-1) as string)).toBe(START + Math.floor(499 / 32));
  });

  test('keep growing when they get another number, after all ids made under that number', () => {
    let place: Place | undefined = { number: 9, after: 0 };
    const newId = makeIds(
      () => START,
      () => place,
    );
    const ids = Array.from({ length: 40 }, newId);
    place = undefined;
    ids.push(newId());
    place = { number: 2, after: firstSeqAt(START) };
    ids.push(newId());
    place = { number: 1, after: firstSeqAt(START + 5000) + 4095 };
    const after = newId();
    expect(seqOf(after)).toBeGreaterThan(place.after);
    expectGrowing([...ids, after]);
  });
});

describe('a prefix', () => {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const id = makeIds(() => START)();

  test.each(kinds)('of a %s makes an id that is parsed as this kind and as no other', (kind) => {
    const text = withPrefix(kind, id);
    expect(text).toBe(`${ID_PREFIXES[kind]}_${id}`);
    for (const other of kinds) expect(idOf(other, text)).toBe(other === kind ? id : undefined);
  });

  test.each([
    '',
    'txn',
    'txn_',
    `txn${id}`,
    `txn-${id}`,
    `TXN_${id}`,
    `txn_${id}x`,
    `txn_${id.slice(1)}`,
    `txn_${id.toUpperCase()}`,
    ` txn_${id}`,
    `txn_${id}\n`,
    `txn_8${id.slice(1)}`,
    `txn_${id.slice(0, -1)}u`,
    `txn_${id.slice(0, -1)}i`,
  ])('is followed by 26 characters: %j is not an id', (text) => {
    expect(idOf('transaction', text)).toBeUndefined();
  });
});
