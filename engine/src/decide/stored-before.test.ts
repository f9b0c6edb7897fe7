import { expect, test } from 'vitest';
import { act, DAY, HOUR, pay } from '../../test/subjects.ts';
import { makeArena } from '../history/arena.ts';
import { historyAt, historyEnd, newEntityGroup } from '../history/entity-group.ts';
import { areFactsReadable, FACT_NAMES, knowledgeIn } from '../history/facts.ts';
import { addHistory, observe } from '../history/history.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { type EntityKind, kindIndex } from '../subject/entity.ts';
import { hash53 } from '../subject/hash53.ts';
import { unpackFacts } from './stored-verdict.ts';

/** Data as versions before the device SDK stored it. This version must read it without loss. */
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

const FACTS_VERSION = 3;
const FACTS =
  'FFL0QEpAAAAAAAD0QCrMzMzMzM0y8vv0AAHx8AMA8wpMuADzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AMB8AEA8CEC8AEA8AMC8AEA8AMB8AEA8AMB8AEA' +
  '8AMB8AEA8AMB8AEA8AMC8AEA8AMC8AEA8AMC8AHzCky4APMKFcmAAgEU8RQA8QDwAwHwAQDwAxTwAQDwGwHwAQDwAwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPADFPABAPAV' +
  'AfAB8fABAPAB8fACAPEA8C/zChXJgPMFJlwAAvABoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8AkB8AEA8AkB8AEA8AMC8AEA8AMB8AHzCky4APMFJlwAAwKg9EBov61AGylo8gEs' +
  'APEA8AMC8AEA8APyAUDwAQDwFQHwAfMKFcmA8wUmXAAC8AGg9EBov61AGylo8gEsAPEA8AMC8AEA8APyAUDwAQDwCQHwAQDwDwHwAQDwAwHwAfMKTLgA8woVyYACARTxFADxAPADAfABAPAD' +
  'FPABAPAVAfAB8wpMuADzBSZcAAMCoPRAaL+tQBspaPIBLADxAPADAvABAPAD8gFA8AEA8A8B8AHzCky4APAB8fMKFcmA8wpMuADzChXJgPMKTLgA8AL0QLhvPThUFc7zBSZcAA==';

test('facts of an earlier version are read to the bit, and facts added later are unknown', () => {
  const stream = makeInMemoryHistory();
  let measured = stream.measure(steps[0] as (typeof steps)[0]);
  for (const step of steps) {
    measured = stream.measure(step).slice();
    stream.observe(step);
  }
  expect(areFactsReadable(FACTS_VERSION)).toBe(true);
  const stored = unpackFacts(Buffer.from(FACTS, 'base64'));
  expect(FACT_NAMES.filter((_, i) => !Object.is(stored[i], measured[i]))).toEqual([]);
  expect(knowledgeIn(stored)).toEqual(steps[3]?.knowledge);
});

test.each([
  ['user', 76, 6_991_211_534_273_998],
  ['device', 34, 842_037_954_995_595],
] satisfies [EntityKind, number, number][])('the history of a %s has the same bytes', (kind, length, hash) => {
  const arena = makeArena(64);
  let group = addHistory(arena, newEntityGroup(arena), 0, 7, 8, steps[0]?.at as number);
  for (const step of steps) group = observe(arena, group, 0, kindIndex[kind], step, step.activity);
  const words = [...arena.u32.subarray(2 * historyAt(arena, group, 0), 2 * historyEnd(arena, group, 0))];
  expect([words.length, hash53(words.join(','))]).toEqual([length, hash]);
});
