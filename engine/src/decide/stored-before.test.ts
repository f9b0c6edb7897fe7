import { describe, expect, test } from 'vitest';
import { act, DAY, HOUR, pay, sdk } from '../../test/subjects.ts';
import { adoptHistory } from '../history/adopt.ts';
import { makeArena } from '../history/arena.ts';
import { newEntityGroup } from '../history/entity-group.ts';
import { areFactsReadable, FACT_NAMES, fact, knowledgeIn, makeFacts } from '../history/facts.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { makeHistoryLocations } from '../history/locations.ts';
import { measure } from '../history/measure.ts';
import { kindIndex } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { unpackFacts } from './stored-verdict.ts';

/** Data as earlier versions stored it. This version must read it without loss. */
const everything = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  payment_fingerprint: 'card',
  email: 'ada@example.com',
  counterparty_id: 'shop',
};
const known = { email_free: 0, ip_hosting: 0, ip_vpn: 1 };
const steps = [
  act(0, 'login', everything, known),
  pay(HOUR, everything, known),
  pay(DAY, { ...everything, ip_address: '192.0.2.1', amount: 300 }, known),
  pay(2 * DAY, { ...everything, device_token: 'laptop' }, known),
];

/** The same with tokens of the device SDK. */
const token = (id: string) => ({ ...known, ...sdk('looks', id) });
const sdkSteps = [
  act(0, 'login', everything, token('a')),
  pay(HOUR, everything, token('b')),
  pay(DAY, { ...everything, ip_address: '192.0.2.1', amount: 300 }, token('c')),
  pay(2 * DAY, { ...everything, device_token: 'laptop' }, token('d')),
];

/** The facts before the last step, as stored, and the last fact of the version. */
const VERSIONS = [
  {
    version: 3,
    subjects: steps,
    last: 'user.travel_ms',
    facts:
      'FFL0QEpAAAAAAAD0QCrMzMzMzM0y8vv0AAHx8AMA8wpMuADzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AMB8AEA8CEC8AEA8AMC8AEA8AMB8AEA8AMB8AEA' +
      '8AMB8AEA8AMB8AEA8AMC8AEA8AMC8AEA8AMC8AHzCky4APMKFcmAAgEU8RQA8QDwAwHwAQDwAxTwAQDwGwHwAQDwAwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPADFPABAPAV' +
      'AfAB8fABAPAB8fACAPEA8C/zChXJgPMFJlwAAvABoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AkB8AEA8AMC8AEA8AMB8AHzCky4APMFJlwAAwKg9EBov61AGylo8gEs' +
      'APEA8AMC8AEA8APyAUDwAQDwFQHwAfMKFcmA8wUmXAAC8AGg9EBov61AGylo8gEsAPEA8AMC8AEA8APyAUDwAQDwCQHwAQDwDwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPAD' +
      'FPABAPAVAfAB8wpMuADzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8A8B8AHzCky4APAB8fMKFcmA8wpMuADzChXJgPMKTLgA8AL0QLhvPThUFc7zBSZcAA==',
  },
  {
    version: 4,
    subjects: sdkSteps,
    last: 'likeness.this_token_age_ms',
    facts:
      'FFL0QEpAAAAAAAD0QCrMzMzMzM0y8vv0AAHx8AMA8wpMuADzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AMB8AEA8CEC8AEA8AMC8AEA8AMB8AEA8AMB8AEA8AMB8A' +
      'EA8AMB8AEA8AMC8AEA8AMC8AEA8AMC8AHzCky4APMKFcmAAgEU8RQA8QDwAwHwAQDwAxTwAQDwGwHwAQDwAwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPADFPABAPAVAfAB8fABAPAB' +
      '8fACAPEA8C/zChXJgPMFJlwAAvABoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AkB8AEA8AMC8AEA8AMB8AHzCky4APMFJlwAAwKg9EBov61AGylo8gEsAPEA8AMC8AEA8APyAU' +
      'DwAQDwFQHwAfMKFcmA8wUmXAAC8AGg9EBov61AGylo8gEsAPEA8AMC8AEA8APyAUDwAQDwCQHwAQDwDwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPADFPABAPAVAfAB8wpMuADzBSZc' +
      'AAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8A8B8AHzCky4APAB8fMKFcmA8wpMuADzChXJgPMKTLgA8AL0QLhvPThUFc7zBSZcAAH0QyU3zwFsBnr0QzFh1/jKUiXyA+gA8fAC8wpMuA' +
      'DzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8BUB8AEA8AMB8AHzCky4APHwAQ==',
  },
];

test.each(VERSIONS)('facts of version $version are read to the bit, and facts added later are unknown', (stored) => {
  const stream = makeInMemoryHistory();
  let measured = stream.measure(stored.subjects[0] as Subject);
  for (const step of stored.subjects) {
    measured = stream.measure(step).slice();
    stream.observe(step);
  }
  expect(areFactsReadable(stored.version)).toBe(true);
  const facts = unpackFacts(Buffer.from(stored.facts, 'base64'));
  const end = fact(stored.last) + 1;
  expect(FACT_NAMES.slice(0, end).filter((_, i) => !Object.is(facts[i], measured[i]))).toEqual([]);
  expect(facts.subarray(end).every(Number.isNaN)).toBe(true);
  expect(knowledgeIn(facts)).toEqual(stored.subjects[3]?.knowledge);
});

/** Histories of layout 3: of the user of `sdkSteps` and of their first device, with a fraud reported a day later. */
const LAYOUT_3: Record<'user' | 'device', string> = {
  user:
    'EAAAAACB5moAAABK6xl6QgQAAAADAAAAVlVVVVVVXEBWVVVVVYXpQAAAAAAAwHJAAQAAAIB16mr0cysaACTpagCB5mp2isAmACTpagCB5mqYH3A1gNLnagCB5mqu6MRQACTpagCB5moP0rd9ACTpag' +
    'CB5mpSAACQACTpagCB5mqGiaqsACTpagCB5mo8hXO0ACTpagCB5moFQgtHACTpahCP5mokX+NhACTpahCP5mrjMnwWgNLnaoDS52oHLpUigNLnaoDS52rVIpl1gNLnaoDS52oaAgCQgNLnaoDS52pm' +
    'S56rgNLnaoDS52r1/G81ACTpagAk6WqAF2IVKAAAAAAAAAAAAAAAANRhFSAAAAAAAAAAAAA0QICQYRUgAAAAAAAAAADAckDQT2EVIAAAAAAAAAAAADRAAE1hFSIAAAAAAAAAAAAAAA==',
  device:
    'BQAAAACB5moAAEDkmBl6QgMAAAACAAAAAAAAAAAAZEAAAAAAACTjQAAAAAAAwHJAAQAAAIB16mq4oqcNgNLnavvw3M0AgeZqBUILR4DS52rU3QLFEI/mav6NWcuA0udqgBdiFSgAAAAAAAAAAAAAAI' +
    'CQYRUgAAAAAAAAAADAckDQT2EVIAAAAAAAAAAAADRAAE1hFSIAAAAAAAAAAAAAAA==',
};
const wordsOf = (kind: 'user' | 'device'): Float64Array =>
  new Float64Array(Uint8Array.from(Buffer.from(LAYOUT_3[kind], 'base64')).buffer);

describe('a history of layout 3', () => {
  const now = pay(5 * DAY, everything, token('e'));
  /** The facts before a later payment, with the histories of user and device adopted, or counted again. */
  const adopted = () => {
    const arena = makeArena(64);
    const locations = makeHistoryLocations();
    for (const kind of ['user', 'device'] as const) {
      const words = wordsOf(kind);
      locations.group[kindIndex[kind]] = adoptHistory(
        arena,
        newEntityGroup(arena),
        kindIndex[kind],
        7,
        8,
        words,
        (_, id) => [id],
      );
    }
    const facts = makeFacts();
    measure(arena, locations, now, facts);
    return facts;
  };
  const counted = () => {
    const stream = makeInMemoryHistory();
    for (const step of sdkSteps) {
      stream.measure(step);
      stream.observe(step);
    }
    stream.label((sdkSteps[0] as Subject).hashes, { fraud: true, at: (sdkSteps[3] as Subject).at + DAY });
    return stream.measure(now);
  };
  // Which payments were large depended on the facts, which the stored histories were counted without.
  const isCompared = (name: string): boolean => /^(?:user|device)\./.test(name) && !name.includes('large_transactions');

  test('keeps every fact of its version to the bit', () => {
    const [before, after] = [counted(), adopted()];
    const names = FACT_NAMES.slice(0, fact('likeness.this_token_age_ms') + 1).filter(isCompared);
    expect(names.filter((name) => !Object.is(before[fact(name)], after[fact(name)]))).toEqual([]);
    expect(after[fact('device.known_frauds')]).toBe(1);
  });

  test('keeps its customer trusted: paid since they were first seen, on every day until the last', () => {
    const facts = adopted();
    const of = (name: string): number | undefined => facts[fact(`user.this_${name}`)];
    expect([of('device_age_ms'), of('device_paid_ms'), of('device_days'), of('device_seen')]).toEqual([
      5 * DAY,
      5 * DAY,
      2,
      1,
    ]);
    expect([of('fingerprint_paid_ms'), of('fingerprint_days')]).toEqual([5 * DAY - HOUR, 2]);
    expect([of('shipping_days'), of('recurring_days')]).toEqual([Number.NaN, 0]);
  });

  test('is refused if its words are damaged', () => {
    const words = wordsOf('user');
    const arena = makeArena(64);
    const adopt = (damaged: Float64Array) =>
      adoptHistory(arena, newEntityGroup(arena), kindIndex.user, 7, 8, damaged, (_, id) => [id]);
    expect(adopt(words)).toBeGreaterThan(0);
    new Uint32Array(words.buffer)[0] = 9999;
    expect(adopt(words)).toBe(0);
  });
});
