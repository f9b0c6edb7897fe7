import type { EventRequest, EventType, LabelReason, TransactionRequest } from '@portcullis/contract';
import fc from 'fast-check';
import { decide } from '../src/decide/decide.ts';
import { DEFAULT_POLICY, type Policy } from '../src/decide/policy.ts';
import { actorKinds } from '../src/history/actors.ts';
import type { Facts } from '../src/history/facts.ts';
import { makeInMemoryHistory } from '../src/history/in-memory.ts';
import type { ReplayStep } from '../src/replay.ts';
import { hash53 } from '../src/subject/hash53.ts';
import { identifyOffline } from '../src/subject/identity.ts';
import {
  countryNumber,
  DEVICE_STATES,
  type Knowledge,
  type KnowledgeName,
  knowledgeIndex,
  makeKnowledge,
} from '../src/subject/lookup-facts.ts';
import {
  type EventSubject,
  eventSubject,
  type Subject,
  type TransactionSubject,
  transactionSubject,
} from '../src/subject/subject.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An edge of every granule, so that the window of each moment in a sequence is known. */
export const START = Date.UTC(2026, 10, 1);

/** The locations of the IP addresses used in tests. */
const PLACES = [
  { prefix: '198.51.100.', country: 'DE', latitude: 52.5, longitude: 13.4, asn: 64_500 },
  { prefix: '192.0.2.', country: 'US', latitude: 40.7, longitude: -74, asn: 64_501 },
  { prefix: '2001:db8:', country: 'JP', latitude: 35.7, longitude: 139.7, asn: 64_502 },
];
/** Looked-up facts in addition to the atlas, or instead of it. */
export type ExtraFacts = Partial<Record<KnowledgeName, number>>;
/** The lookup facts of a server that knows this atlas. */
export const knowledgeOf = ({ ip_address: ip = '' }: { ip_address?: string }, extra: ExtraFacts = {}): Knowledge => {
  const knowledge = makeKnowledge();
  const place = PLACES.find(({ prefix }) => ip.startsWith(prefix));
  if (place !== undefined) {
    knowledge[knowledgeIndex.ip_country] = countryNumber(place.country);
    knowledge[knowledgeIndex.ip_latitude] = place.latitude;
    knowledge[knowledgeIndex.ip_longitude] = place.longitude;
    knowledge[knowledgeIndex.ip_radius_km] = 50;
    knowledge[knowledgeIndex.asn] = place.asn;
  }
  for (const [name, value] of Object.entries(extra)) knowledge[knowledgeIndex[name as KnowledgeName]] = value;
  return knowledge;
};

/** The lookup facts of a new device SDK token with a given device profile. */
export const sdk = (looks: string, id: string, extra: ExtraFacts = {}): ExtraFacts => ({
  device_state: DEVICE_STATES.verified,
  device_token_id: hash53(id),
  device_likeness: hash53(looks),
  device_token_age_ms: SECOND,
  device_automation: 0,
  ...extra,
});

/** A payment, by default of $20 by the user `u`. Times count from START. */
export const pay = (time: number, fields: Partial<TransactionRequest> = {}, extra?: ExtraFacts): TransactionSubject =>
  transactionSubject(
    identifyOffline,
    { user_id: 'u', amount: 20, currency: 'USD', ...fields },
    START + time,
    knowledgeOf(fields, extra),
  );

/** An event, by default of the user `u`. */
export const act = (
  time: number,
  type: EventType,
  fields: Partial<EventRequest> = {},
  extra?: ExtraFacts,
): EventSubject =>
  eventSubject(identifyOffline, { user_id: 'u', type, ...fields }, START + time, knowledgeOf(fields, extra));

export const failedLogin = (time: number, fields: Partial<EventRequest> = {}, extra?: ExtraFacts): EventSubject =>
  act(time, 'login', { outcome: 'failed', ...fields }, extra);

/** A label of an earlier subject of the sequence, as fraud or legitimate. */
export interface LabelStep {
  readonly of: Subject;
  readonly fraud: boolean;
  readonly at: number;
  readonly reason?: LabelReason | undefined;
}
export const label = (time: number, of: Subject, fraud = true, reason?: LabelReason): LabelStep => ({
  of,
  fraud,
  at: START + time,
  reason,
});
export type Step = Subject | LabelStep;

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The verdict of the last subject, after all before it. */
export const last = (steps: Iterable<Step>, policy: Policy = DEFAULT_POLICY): ReplayStep => {
  const stream = makeInMemoryHistory();
  const factsOf = new Map<Subject, Facts>();
  let found: ReplayStep | undefined;
  for (const step of steps) {
    if ('of' in step) {
      const { of, fraud, at, reason } = step;
      const actors = fraud ? actorKinds(of, factsOf.get(of) as Facts, reason) : 0;
      stream.label(of.hashes, { fraud, at, actors });
      continue;
    }
    const facts = stream.measure(step);
    factsOf.set(step, facts.slice());
    found = { subject: step, facts, verdict: decide(policy, step, facts) };
    stream.observe(step);
  }
  if (found === undefined) throw new Error('a sequence has at least one subject');
  return found;
};

const few = (prefix: string) => fc.integer({ min: 0, max: 3 }).map((i) => `${prefix}${i}`);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const drop = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const shared = {
  user_id: few('user_'),
  ip_address: maybe(fc.constantFrom('198.51.100.1', '198.51.100.2', '192.0.2.1', '2001:db8::1', '203.0.113.2')),
  device_token: maybe(few('device_')),
  email: maybe(few('ada+').map((name) => `${name}@example.com`)),
};

/** Requests of few users, addresses, devices and cards, so that they share entities. */
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

/** Gaps from 0 ms to longer than any window. */
export const anyGap: fc.Arbitrary<number> = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 6 * SECOND }),
  fc.integer({ min: 0, max: 2 * MINUTE }),
  fc.integer({ min: 0, max: HOUR }),
  fc.integer({ min: 0, max: 2 * DAY }),
  fc.integer({ min: 0, max: 40 * DAY }),
);

/** Lists of any length up to the longest. By default fast-check rarely generates more than ten items. */
export const upTo = (maxLength: number) => ({ minLength: 1, maxLength, size: 'max' as const });

/** Subjects, half of them with a device SDK token, which may be a repeated one. */
const anyToken: fc.Arbitrary<ExtraFacts> = fc.oneof(
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
      .map(([request, extra]) => transactionSubject(identifyOffline, request, at, knowledgeOf(request, extra))),
    fc
      .tuple(anyEvent, anyToken)
      .map(([request, extra]) => eventSubject(identifyOffline, request, at, knowledgeOf(request, extra))),
  );

/** Subjects in order, from START on. */
export const anySequence = (maxLength: number): fc.Arbitrary<Subject[]> =>
  fc.array(fc.tuple(anyGap, anySubject(0)), upTo(maxLength)).map((steps) => {
    let at = START;
    return steps.map(([gap, subject]) => {
      at += gap;
      return { ...subject, at };
    });
  });
