import { expect, test } from 'vitest';
import { act, DAY, HOUR, pay } from '../test/subjects.ts';
import { type EntityKind, hash53, kindIndex } from './entity.ts';
import { areReadable, FACT_NAMES, knowledgeIn } from './facts.ts';
import { addHistory, observe } from './history.ts';
import { unpackFacts } from './pack.ts';
import { historyAt, historyEnd, newShelf } from './shelf.ts';
import { makeSlab } from './slab.ts';
import { makeStream } from './stream.ts';

/** What stores hold from before there was a device SDK, as the code of that time wrote it. A start with them must neither lose nor misread any of it. */
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

test('facts that were stored with a decision are read to the bit, and what was not asked then is not known', () => {
  const stream = makeStream();
  let anew = stream.measure(steps[0] as (typeof steps)[0]);
  for (const step of steps) {
    anew = stream.measure(step).slice();
    stream.observe(step);
  }
  expect(areReadable(FACTS_VERSION)).toBe(true);
  const stored = unpackFacts(Buffer.from(FACTS, 'base64'));
  expect(FACT_NAMES.filter((_, i) => !Object.is(stored[i], anew[i]))).toEqual([]);
  expect(knowledgeIn(stored)).toEqual(steps[3]?.knowledge);
});

test.each([
  ['user', 76, 2_324_802_283_730_334],
  ['device', 34, 6_584_911_895_527_122],
] satisfies [EntityKind, number, number][])('the history of a %s has the same bytes', (kind, length, hash) => {
  const slab = makeSlab(64);
  let shelf = addHistory(slab, newShelf(slab), 7, steps[0]?.at as number);
  for (const step of steps) shelf = observe(slab, shelf, 0, kindIndex[kind], step, step.counted);
  const words = [...slab.u32.subarray(2 * historyAt(slab, shelf, 0), 2 * historyEnd(slab, shelf, 0))];
  expect([words.length, hash53(words.join(','))]).toEqual([length, hash]);
});
