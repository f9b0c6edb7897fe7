import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readItems } from '../offline/read-items.ts';
import { ATTACKS } from './attacks.ts';
import {
  ATTACK_NAMES,
  judgingWorlds,
  randomWorlds,
  type SimulatedItem,
  type SimulateOptions,
  simulate,
  TRAINING_WORLDS,
  WORLDS,
} from './simulate.ts';
import { drawWorld } from './world.ts';

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
  test('is byte for byte the same for the same options, and differs for another seed', () => {
    for (const world of WORLDS) {
      const options = { ...SMALL, world };
      const hash = hashOf(options);
      expect(hashOf(options)).toBe(hash);
      expect(hashOf({ ...options, seed: 8 })).not.toBe(hash);
    }
  });

  test('is in time order and within its days, for any options', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        const times = Array.from(simulate(options), (item) => Date.parse(item.occurred_at));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(times[0] ?? options.start).toBeGreaterThanOrEqual(options.start);
        expect(times.at(-1) ?? options.start).toBeLessThan(options.start + options.days * 86_400_000);
      }),
      { numRuns: 30 },
    );
  });

  test('is read as valid requests, without errors or warnings', async () => {
    const worlds = [...randomWorlds(3, 13, 1500), ...judgingWorlds(3, 12, 1500)];
    for (const [i, options] of worlds.entries()) {
      const path = join(folder, `${i}.ndjson`);
      const text = textOf(options);
      writeFileSync(path, text);
      const warnings: string[] = [];
      let count = 0;
      let labelled = 0;
      for await (const item of readItems(path, { warn: (warning) => warnings.push(warning) })) {
        count++;
        if (item.label !== undefined) labelled++;
      }
      expect(warnings).toEqual([]);
      expect(labelled).toBe(count);
      expect(count).toBe(text.split('\n').length - 1);
      expect(count).toBeGreaterThan(50);
    }
  });

  test('names the attack on fraud, and only on fraud', () => {
    for (const item of simulate({ ...SMALL, fraudShare: 0.2 }))
      expect(item.attack !== undefined).toBe(item.label === 'fraud');
  });

  test('states the reason of fraud labels in some worlds, mostly the same reason for an attack, and of nothing else', () => {
    const reasons = new Map<string, number>();
    let frauds = 0;
    for (const options of randomWorlds(8, TRAINING_WORLDS.length, 2000))
      for (const { label, attack, label_reason } of simulate({ ...options, fraudShare: 0.1 })) {
        if (label === 'fraud') frauds++;
        if (label_reason === undefined) continue;
        expect(label).toBe('fraud');
        if (attack === 'account_takeover') reasons.set(label_reason, (reasons.get(label_reason) ?? 0) + 1);
        reasons.set('any', (reasons.get('any') ?? 0) + 1);
      }
    const stated = (reasons.get('any') as number) / frauds;
    expect(stated).toBeGreaterThan(0.2);
    expect(stated).toBeLessThan(0.8);
    reasons.delete('any');
    const all = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    expect((reasons.get('takeover') as number) / all).toBeGreaterThan(0.8);
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

/** Attacks requested by name add the event types they need to those that the caller sends. */
const ALL_ATTACKS: SimulateOptions = { ...SMALL, seed: 2, users: 600, days: 60, world: 'bank', attacks: ATTACK_NAMES };

describe('attacks', () => {
  test('of every kind occur in a few long histories', () => {
    const seen = [2, 3, 4].flatMap((seed) => [...sharesOf({ ...ALL_ATTACKS, seed, fraudShare: 0.1 }).attacks]);
    expect([...new Set(seen)].sort()).toEqual([...ATTACK_NAMES].sort());
  });

  test.each([0.005, 0.02, 0.1])('have the requested share of all items: %d', (share) => {
    const { fraud } = sharesOf({ ...ALL_ATTACKS, fraudShare: share });
    expect(fraud).toBeGreaterThan(share * 0.85);
    expect(fraud).toBeLessThan(share * 1.35);
  });

  test.each(ATTACK_NAMES)('of a single kind can be requested: %s', (name) => {
    const options = { ...ALL_ATTACKS, users: 300, days: 30, attacks: [name], fraudShare: 0.02 };
    expect([...sharesOf(options).attacks]).toEqual([name]);
  });

  test('that pay payees of their own do not occur where all customers pay the same shop', () => {
    const options = { ...ALL_ATTACKS, world: 'shop', attacks: 'all', fraudShare: 0.3 } as const;
    const seeds = [1, 2, 3, 4, 5, 6].filter((seed) => drawWorld({ ...options, seed }).counterparties < 20);
    expect(seeds.length).toBeGreaterThan(2);
    for (const seed of seeds) {
      const { attacks } = sharesOf({ ...options, users: 200, days: 20, seed });
      expect([...attacks].filter((name) => ATTACKS[name as keyof typeof ATTACKS].payees)).toEqual([]);
    }
  });

  test('can be turned off', () => {
    expect(sharesOf({ ...ALL_ATTACKS, attacks: 'none' }).fraud).toBe(0);
  });
});

describe('random worlds', () => {
  test('are the same for the same seed, and differ in the fields their callers send', () => {
    const worlds = randomWorlds(11, 21, 2000);
    expect(randomWorlds(11, 21, 2000)).toEqual(worlds);
    const fieldSets = new Set<string>();
    for (const options of worlds) {
      const fields = new Set<string>();
      let count = 0;
      for (const item of simulate(options) as Iterable<SimulatedItem>) {
        for (const name of Object.keys(item)) fields.add(name);
        if (++count > 300) break;
      }
      fieldSets.add(
        [...fields]
          .filter((name) => name !== 'attack')
          .sort()
          .join(),
      );
    }
    expect(fieldSets.size).toBeGreaterThan(10);
  });
});
