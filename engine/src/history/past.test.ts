import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, anySequence, anySubject, DAY, HOUR, pay, SECOND, times } from '../../test/subjects.ts';
import { ENTITY_KINDS, kindIndex } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { makeArena } from './arena.ts';
import { newEntityGroup } from './entity-group.ts';
import { FACT_NAMES, type Facts, fact, makeFacts } from './facts.ts';
import { addHistory, observe } from './history.ts';
import { HISTORY_UNAVAILABLE, makeHistoryLocations } from './locations.ts';
import { measure } from './measure.ts';

const imported = <T extends Subject>(subject: T): T => ({ ...subject, isImported: true });

/** One history per kind, updated with every subject that has an entity of the kind. */
const fold = (subjects: readonly Subject[]) => {
  const arena = makeArena(64);
  const locations = makeHistoryLocations();
  for (const subject of subjects)
    ENTITY_KINDS.forEach((_, kind) => {
      if (subject.hashes[kind] === 0) return;
      const group = locations.group[kind] || addHistory(arena, newEntityGroup(arena), kind, 1, 2, subject.at);
      locations.group[kind] = observe(arena, group, 0, kind, subject, subject.activity);
    });
  return { arena, locations };
};
const factsAfter = (subjects: readonly Subject[], probe: Subject): Facts => {
  const { arena, locations } = fold(subjects);
  const facts = makeFacts();
  measure(arena, locations, probe, facts);
  return facts;
};

/** Facts that differ by more than the rounding of sums in another order. */
const differences = (one: Facts, other: Facts): string[] =>
  FACT_NAMES.filter((name, i) => {
    const [a, b] = [one[i] as number, other[i] as number];
    return (
      !/^user\.this_\w+_days$/.test(name) &&
      !Object.is(a, b) &&
      !(Math.abs(a - b) <= 1e-7 * Math.max(1, Math.abs(a), Math.abs(b)))
    );
  });

describe('imported items', () => {
  test('that are older than everything in their histories count, to the bit, as if they had come in time', () => {
    fc.assert(
      fc.property(anySequence(60), anySubject(0), anyGap, (subjects, any, gap) => {
        const probe = { ...any, at: (subjects.at(-1) as Subject).at + gap };
        expect(factsAfter(subjects.map(imported), probe)).toEqual(factsAfter(subjects, probe));
      }),
    );
  });

  test('that come after newer ones give the same counts, windows, ages and sums as in time, except for days of use', () => {
    fc.assert(
      fc.property(anySequence(60), anySubject(0), anyGap, fc.nat(59), (sequence, any, gap, live) => {
        // Of two places in one second, the one that is counted later is the last.
        const subjects = sequence.map((subject, i) => ({ ...subject, at: subject.at + i * SECOND }));
        const probe = { ...any, at: (subjects.at(-1) as Subject).at + gap };
        const from = Math.min(live, subjects.length - 1);
        const late = [...subjects.slice(from), ...subjects.slice(0, from).map(imported)];
        expect(differences(factsAfter(subjects, probe), factsAfter(late, probe))).toEqual([]);
      }),
    );
  });

  test('never count more days of use than there were', () => {
    const device = { device_token: 'device_1' };
    const bought = times(20, (i) => pay(i * DAY + (i % 3) * HOUR, device));
    const days = (subjects: readonly Subject[]): number =>
      factsAfter(subjects, pay(21 * DAY, device))[fact('user.this_device_days')] as number;
    expect(days(bought)).toBe(20);
    const late = days([...bought.slice(15), ...bought.slice(0, 15).map(imported)]);
    expect(late).toBe(6);
  });

  test('do not see newer items: the histories with newer items are unavailable to them', () => {
    const { arena, locations } = fold([pay(DAY, { device_token: 'device_1' })]);
    const facts = makeFacts();
    measure(arena, locations, imported(pay(HOUR, { device_token: 'device_1' })), facts);
    expect(facts[fact('user.actions')]).toBeNaN();
    expect(locations.group[kindIndex.device]).toBe(HISTORY_UNAVAILABLE);
  });

  test('of a live service are never moved to another time: only imported ones are', () => {
    const setBack = [pay(HOUR), pay(0)];
    const facts = factsAfter(setBack, pay(HOUR));
    expect(facts[fact('user.transactions.1m')]).toBe(2);
    expect(factsAfter([pay(HOUR), imported(pay(0))], pay(HOUR))[fact('user.transactions.1m')]).toBe(1);
  });
});
