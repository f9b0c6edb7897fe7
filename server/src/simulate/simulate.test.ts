import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readItems } from '../backtest/items.ts';
import { ATTACK_NAMES, randomWorlds, type SimulatedItem, type SimulateOptions, simulate, WORLDS } from './simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL: SimulateOptions = { seed: 7, users: 150, days: 20, start: Date.UTC(2026, 0, 1), world: 'marketplace' };
const textOf = (options: SimulateOptions): string => {
  let text = '';
  for (const item of simulate(options)) text += `${JSON.stringify(item)}\n`;
  return text;
};
const hashOf = (options: SimulateOptions): string => createHash('sha256').update(textOf(options)).digest('hex');

const anyOptions = fc.record({
  seed: fc.nat(),
  users: fc.integer({ min: 1, max: 120 }),
  days: fc.integer({ min: 1, max: 25 }),
  start: fc.integer({ min: 0, max: 20_000 }).map((day) => day * 86_400_000),
  world: fc.constantFrom(...WORLDS),
});

describe('a simulated history', () => {
  test('is the same, byte for byte, for the same options and another for another seed', () => {
    for (const world of WORLDS) {
      const options = { ...SMALL, world };
      expect(hashOf(options)).toBe(hashOf(options));
      expect(hashOf({ ...options, seed: 8 })).not.toBe(hashOf(options));
    }
  });

  test('is in the order of time and within its days, whatever the options', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        let latest = options.start;
        for (const item of simulate(options)) {
          const at = Date.parse(item.occurred_at);
          expect(at).toBeGreaterThanOrEqual(latest);
          latest = at;
        }
        expect(latest).toBeLessThan(options.start + options.days * 86_400_000);
      }),
      { numRuns: 60 },
    );
  });

  test('is taken by the API without a fault or a warning', async () => {
    for (const [i, options] of randomWorlds(3, WORLDS.length * 2, 3000).entries()) {
      const path = join(folder, `${i}.ndjson`);
      const text = textOf(options);
      writeFileSync(path, text);
      const warnings: string[] = [];
      let count = 0;
      for await (const item of readItems(path, { warn: (warning) => warnings.push(warning) })) {
        expect(item.label).toBeDefined();
        count++;
      }
      expect(warnings).toEqual([]);
      expect(count).toBe(text.split('\n').length - 1);
      expect(count).toBeGreaterThan(50);
    }
  });

  test('names the attack on every fraud and on nothing else', () => {
    for (const item of simulate({ ...SMALL, fraudShare: 0.2 }))
      expect(item.attack !== undefined).toBe(item.label === 'fraud');
  });
});

const sharesOf = (options: SimulateOptions): { fraud: number; attacks: Set<string> } => {
  const attacks = new Set<string>();
  let [all, frauds] = [0, 0];
  for (const { label, attack } of simulate(options)) {
    all++;
    if (label === 'fraud') frauds++;
    if (attack !== undefined) attacks.add(attack);
  }
  return { fraud: frauds / all, attacks };
};

/** Attacks asked for by name can be seen, whatever the caller of a world tells of otherwise. */
const TELLING: SimulateOptions = { ...SMALL, seed: 2, users: 600, days: 60, world: 'bank', attacks: ATTACK_NAMES };

describe('attacks', () => {
  test('of every kind occur in one long run', () => {
    expect([...sharesOf({ ...TELLING, fraudShare: 0.05 }).attacks].sort()).toEqual([...ATTACK_NAMES].sort());
  });

  test.each([0.005, 0.02, 0.1])('are the share of all items that was asked for: %d', (share) => {
    const { fraud } = sharesOf({ ...TELLING, fraudShare: share });
    expect(fraud).toBeGreaterThan(share * 0.85);
    expect(fraud).toBeLessThan(share * 1.35);
  });

  test.each(ATTACK_NAMES)('of one kind alone can be asked for: %s', (name) => {
    expect([...sharesOf({ ...TELLING, days: 30, attacks: [name], fraudShare: 0.02 }).attacks]).toEqual([name]);
  });

  test('can be left out', () => {
    expect(sharesOf({ ...TELLING, attacks: 'none' }).fraud).toBe(0);
  });
});

describe('random worlds', () => {
  test('are the same for the same seed, and differ in what their callers send', () => {
    const worlds = randomWorlds(11, 21, 2000);
    expect(randomWorlds(11, 21, 2000)).toEqual(worlds);
    const members = new Set<string>();
    for (const options of worlds) {
      const seen = new Set<string>();
      let count = 0;
      for (const item of simulate(options) as Iterable<SimulatedItem>) {
        for (const name of Object.keys(item)) seen.add(name);
        if (++count > 300) break;
      }
      members.add(
        [...seen]
          .filter((name) => name !== 'attack')
          .sort()
          .join(),
      );
    }
    expect(members.size).toBeGreaterThan(10);
  });
});
