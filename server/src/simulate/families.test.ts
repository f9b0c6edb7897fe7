import { describe, expect, test } from 'vitest';
import { ATTACKS, attacksOf } from './attacks.ts';
import { COMPOSED_ATTACKS } from './attacks-composed.ts';
import { JUDGING_ATTACKS } from './attacks-judging.ts';
import { TRAINING_ONLY_ATTACKS } from './attacks-training.ts';
import { familyOf, JUDGING_DAYS, JUDGING_WORLDS, SPECIAL_DAYS, TRAINING_WORLDS, WORLDS } from './businesses.ts';
import { JUDGING_PROFILES } from './businesses-judging.ts';
import { TRAINING_PROFILES } from './businesses-training.ts';
import { JUDGING_RANGES, TRAINING_RANGES } from './ranges.ts';
import { judgingWorlds, randomWorlds, type SimulateOptions, simulate } from './simulate.ts';
import { JUDGING_SITUATIONS } from './situations-judging.ts';
import { TRAINING_SITUATIONS } from './situations-training.ts';
import { EVENTS_OF } from './unusual-events.ts';
import { drawWorld } from './world.ts';

const SEEDS = [1, 2, 3, 77, 4242, 20_261_101];
const manyOf = (draw: typeof randomWorlds): SimulateOptions[] => SEEDS.flatMap((seed) => draw(seed, 60, 500));
const commonOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((name) => b.has(name));

describe('training worlds and judging worlds', () => {
  test('share no kind of business and no profile', () => {
    const kinds = new Set<string>(manyOf(randomWorlds).map(({ world }) => world));
    const judged = new Set<string>(manyOf(judgingWorlds).map(({ world }) => world));
    expect(kinds).toEqual(new Set(TRAINING_WORLDS));
    expect(judged).toEqual(new Set(JUDGING_WORLDS));
    expect(commonOf(kinds, judged)).toEqual([]);
    expect(judged.size).toBeGreaterThanOrEqual(8);
    const profiles = new Set<object>(Object.values(TRAINING_PROFILES));
    expect(Object.values(JUDGING_PROFILES).some((profile) => profiles.has(profile))).toBe(false);
  });

  test('share no world, even for the same seed', () => {
    const seeds = new Set(manyOf(randomWorlds).map(({ seed }) => seed));
    expect(manyOf(judgingWorlds).filter(({ seed }) => seeds.has(seed))).toEqual([]);
  });

  test('draw their properties from different ranges', () => {
    const names = Object.keys(TRAINING_RANGES) as (keyof typeof TRAINING_RANGES)[];
    const different = names.filter((name) => String(TRAINING_RANGES[name]) !== String(JUDGING_RANGES[name]));
    expect(different.length).toBeGreaterThan(names.length * 0.6);
  });

  test('differ in special days: those of judging worlds never occur in training', () => {
    const daysOf = (worlds: readonly SimulateOptions[]): Set<string> =>
      new Set(worlds.flatMap((options) => [...drawWorld(options).specialDays.keys()]));
    expect(commonOf(daysOf(manyOf(randomWorlds)), new Set(JUDGING_DAYS))).toEqual([]);
    expect(daysOf(manyOf(judgingWorlds))).toEqual(new Set(SPECIAL_DAYS));
  });

  test('differ in honest situations: those of one family never occur in the other', () => {
    const [training, judging] = [EVENTS_OF.training, EVENTS_OF.judging].map(
      (events) => new Set<unknown>(events.map(([, run]) => run)),
    );
    expect(JUDGING_SITUATIONS.filter(([, run]) => training?.has(run))).toEqual([]);
    expect(TRAINING_SITUATIONS.filter(([, run]) => judging?.has(run))).toEqual([]);
    expect(JUDGING_SITUATIONS.every(([, run]) => judging?.has(run))).toBe(true);
    expect(TRAINING_SITUATIONS.every(([, run]) => training?.has(run))).toBe(true);
  });

  test('differ in attacks: those of one family never occur in the other', () => {
    const judgingOnly = new Set(Object.keys(JUDGING_ATTACKS));
    expect(commonOf(new Set(attacksOf('training')), judgingOnly)).toEqual([]);
    const seen = new Set<string>();
    for (const options of randomWorlds(9, TRAINING_WORLDS.length, 800))
      for (const { attack } of simulate({ ...options, fraudShare: 0.3 })) if (attack !== undefined) seen.add(attack);
    expect(commonOf(seen, judgingOnly)).toEqual([]);
    expect(seen.size).toBeGreaterThan(25);
    expect(commonOf(new Set(attacksOf('judging')), new Set(Object.keys(TRAINING_ONLY_ATTACKS)))).toEqual([]);
    const composed = Object.keys(COMPOSED_ATTACKS);
    const inFamilies = [...attacksOf('training'), ...attacksOf('judging')];
    expect(commonOf(new Set(inFamilies), new Set(composed))).toEqual([]);
    expect(new Set([...inFamilies, ...composed])).toEqual(new Set(Object.keys(ATTACKS)));
  });

  test('belong to one family each', () => {
    expect(WORLDS.map(familyOf)).toEqual([
      ...TRAINING_WORLDS.map(() => 'training'),
      ...JUDGING_WORLDS.map(() => 'judging'),
    ]);
  });
});
