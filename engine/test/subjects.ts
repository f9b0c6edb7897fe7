import type { EventRequest, EventType, TransactionRequest } from '@portcullis/contract';
import fc from 'fast-check';
import { decide } from '../src/decide.ts';
import { hash53 } from '../src/entity.ts';
import {
  countryNumber,
  DEVICE_STATES,
  type Knowledge,
  type Known,
  knownIndex,
  makeKnowledge,
} from '../src/knowledge.ts';
import { DEFAULT_POLICY } from '../src/policy.ts';
import type { Replayed } from '../src/replay.ts';
import { makeStream } from '../src/stream.ts';
import {
  type EventSubject,
  eventSubject,
  type Subject,
  type TransactionSubject,
  transactionSubject,
} from '../src/subject.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The edge of every granule, so that a sequence knows which window each of its moments is in. */
export const START = Date.UTC(2026, 10, 1);

/** Where the addresses used here are said to be. */
const PLACES = [
  { prefix: '198.51.100.', country: 'DE', latitude: 52.5, longitude: 13.4, asn: 64_500 },
  { prefix: '192.0.2.', country: 'US', latitude: 40.7, longitude: -74, asn: 64_501 },
  { prefix: '2001:db8:', country: 'JP', latitude: 35.7, longitude: 139.7, asn: 64_502 },
];
/** More that is known of an address or an e-mail, or something else than what the atlas says. */
export type KnownToo = Partial<Record<Known, number>>;
/** What a server with a small atlas of these addresses would find out. */
export const knowledgeOf = ({ ip_address: ip = '' }: { ip_address?: string }, too: KnownToo = {}): Knowledge => {
  const knowledge = makeKnowledge();
  const place = PLACES.find(({ prefix }) => ip.startsWith(prefix));
  if (place !== undefined) {
    knowledge[knownIndex.ip_country] = countryNumber(place.country);
    knowledge[knownIndex.ip_latitude] = place.latitude;
    knowledge[knownIndex.ip_longitude] = place.longitude;
    knowledge[knownIndex.ip_radius_km] = 50;
    knowledge[knownIndex.asn] = place.asn;
  }
  for (const [name, value] of Object.entries(too)) knowledge[knownIndex[name as Known]] = value;
  return knowledge;
};

/** What a token of the device SDK tells, each time another one, of a machine that looks like something. */
export const sdk = (looks: string, id: string, too: KnownToo = {}): KnownToo => ({
  device_state: DEVICE_STATES.verified,
  device_token_id: hash53(id),
  device_likeness: hash53(looks),
  device_token_age_ms: SECOND,
  device_automation: 0,
  ...too,
});

/** A payment of $20 by the user `u`, unless said otherwise. Times count from START. */
export const pay = (time: number, members: Partial<TransactionRequest> = {}, too?: KnownToo): TransactionSubject =>
  transactionSubject(
    { user_id: 'u', amount: 20, currency: 'USD', ...members },
    START + time,
    knowledgeOf(members, too),
  );

/** An action of the user `u`, unless said otherwise. */
export const act = (time: number, type: EventType, members: Partial<EventRequest> = {}, too?: KnownToo): EventSubject =>
  eventSubject({ user_id: 'u', type, ...members }, START + time, knowledgeOf(members, too));

export const failedLogin = (time: number, members: Partial<EventRequest> = {}, too?: KnownToo): EventSubject =>
  act(time, 'login', { outcome: 'failed', ...members }, too);

/** Someone says that an earlier subject of the sequence was, or was not, fraud. */
export interface Told {
  readonly of: Subject;
  readonly fraud: boolean;
  readonly at: number;
}
export const told = (time: number, of: Subject, fraud = true): Told => ({ of, fraud, at: START + time });
export type Step = Subject | Told;

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** What the last of the subjects is answered, after all before it. */
export const last = (steps: Iterable<Step>): Replayed => {
  const stream = makeStream();
  let found: Replayed | undefined;
  for (const step of steps) {
    if ('of' in step) {
      stream.label(step.of.hashes, step);
      continue;
    }
    const facts = stream.measure(step);
    found = { subject: step, facts, verdict: decide(DEFAULT_POLICY, step, facts) };
    stream.observe(step);
  }
  if (found === undefined) throw new Error('a sequence has at least one subject');
  return found;
};

const few = (prefix: string) => fc.integer({ min: 0, max: 3 }).map((i) => `${prefix}${i}`);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const drop = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

const shared = {
  user_id: few('user_'),
  ip_address: maybe(fc.constantFrom('198.51.100.1', '198.51.100.2', '192.0.2.1', '2001:db8::1', '203.0.113.2')),
  device_token: maybe(few('device_')),
  email: maybe(few('ada+').map((name) => `${name}@example.com`)),
};

/** Requests of a handful of users, addresses, devices and cards, so that they meet each other. */
export const anyTransaction: fc.Arbitrary<TransactionRequest> = fc
  .record({
    ...shared,
    amount: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0.01, max: 1e6, noNaN: true })),
    currency: fc.constantFrom('USD', 'EUR', 'JPY', 'XTS'),
    payment_fingerprint: maybe(few('card_')),
    counterparty_id: maybe(few('shop_')),
    billing_address: maybe(fc.constantFrom({ country: 'DE' }, { country: 'FR' }, {})),
    shipping_address: maybe(fc.constantFrom({ country: 'DE' }, { country: 'US' }, {})),
  })
  .map(drop) as fc.Arbitrary<TransactionRequest>;

export const anyEvent: fc.Arbitrary<EventRequest> = fc
  .record({
    ...shared,
    type: fc.constantFrom('login', 'signup', 'password_reset', 'payment_method_added', 'payout_request', 'other'),
    outcome: maybe(fc.constantFrom('succeeded', 'failed')),
  })
  .map(drop) as fc.Arbitrary<EventRequest>;

/** From the same millisecond to further than any window reaches. */
export const anyGap: fc.Arbitrary<number> = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 6 * SECOND }),
  fc.integer({ min: 0, max: 2 * MINUTE }),
  fc.integer({ min: 0, max: HOUR }),
  fc.integer({ min: 0, max: 2 * DAY }),
  fc.integer({ min: 0, max: 40 * DAY }),
);

/** Lists of any length up to the longest: left to itself fast-check hardly ever makes more than ten of anything. */
export const upTo = (maxLength: number) => ({ minLength: 1, maxLength, size: 'max' as const });

/** Half of them with a token of the device SDK, which may be one of before. */
const anyToken: fc.Arbitrary<KnownToo> = fc.oneof(
  fc.constant({}),
  fc
    .tuple(few('looks_'), fc.integer({ min: 0, max: 12 }), fc.constantFrom(...Object.values(DEVICE_STATES)), fc.nat(2))
    .map(([looks, id, device_state, device_automation]) =>
      sdk(looks, `token_${id}`, { device_state, device_automation }),
    ),
);
export const anySubject = (at: number): fc.Arbitrary<Subject> =>
  fc.oneof(
    fc
      .tuple(anyTransaction, anyToken)
      .map(([request, too]) => transactionSubject(request, at, knowledgeOf(request, too))),
    fc.tuple(anyEvent, anyToken).map(([request, too]) => eventSubject(request, at, knowledgeOf(request, too))),
  );

/** Subjects one after another, from START on. */
export const anySequence = (maxLength: number): fc.Arbitrary<Subject[]> =>
  fc.array(fc.tuple(anyGap, anySubject(0)), upTo(maxLength)).map((steps) => {
    let at = START;
    return steps.map(([gap, subject]) => {
      at += gap;
      return { ...subject, at };
    });
  });
