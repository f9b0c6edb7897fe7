import { networkOf } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { makeRandom, type Random } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import {
  BLOCK_IP,
  client,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
} from '../fixtures/harness.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';
import { searchAll, untilSearched } from '../fixtures/searched.ts';

const ITEMS = rounds(120, 2000);
const FILTERS = rounds(120, 2000);

const IPS = ['8.8.8.8', '8.8.8.9', '1.1.1.1', '81.2.69.142', REVIEW_IP, BLOCK_IP];
const SIGNALS = ['new_device', 'test_review', 'velocity_spike', 'new_country'];

const randomRequest = (random: Random): Json => {
  const maybe = (fields: Record<string, unknown>) => (random.chance(0.7) ? fields : {});
  const common = {
    user_id: `user_${random.below(6)}`,
    ...maybe({ ip_address: random.pick(IPS) }),
    ...maybe({ device_token: `device_${random.below(6)}` }),
    ...maybe({ email: `user${random.below(6)}@example.com` }),
  };
  if (random.chance(0.3))
    return login({ ...common, type: random.pick(['login', 'signup']), outcome: random.pick(['succeeded', 'failed']) });
  return payment({
    ...common,
    amount: random.between(1, 1000),
    currency: 'USD',
    ...maybe({ payment_fingerprint: `pm_${random.below(6)}` }),
    ...maybe({ counterparty_id: `shop_${random.below(3)}` }),
  });
};

/** An item as the test knows it: what it sent, what the service answered, and what was decided later. */
interface Known {
  readonly request: Json;
  readonly result: Json;
  readonly isEvent: boolean;
  readonly country: string | null;
  label: 'fraud' | 'legitimate' | null;
  decision: string;
}
const subjectId = ({ result }: Known): string => result.transaction_id ?? result.event_id;

type Match = (item: Known, value: Json) => boolean;
const MATCHES: Record<string, Match> = {
  from: ({ result }, value) => result.screened_at >= value,
  until: ({ result }, value) => result.screened_at < value,
  type: ({ isEvent }, value) => (isEvent ? 'event' : 'transaction') === value,
  event_type: ({ isEvent, request }, value) => isEvent && request.type === value,
  outcome: ({ isEvent, request }, value) => isEvent && request.outcome === value,
  decision: ({ decision }, value) => decision === value,
  label: ({ label }, value) => (label ?? 'none') === value,
  score_min: ({ result }, value) => result.risk_score >= value,
  score_max: ({ result }, value) => result.risk_score <= value,
  usd_min: ({ isEvent, request }, value) => !isEvent && request.amount >= value,
  usd_max: ({ isEvent, request }, value) => !isEvent && request.amount <= value,
  user_id: ({ request }, value) => request.user_id === value,
  device_token: ({ request }, value) => request.device_token === value,
  ip_address: ({ request }, value) => request.ip_address === value,
  network: ({ request }, value) => request.ip_address !== undefined && networkOf(request.ip_address) === value,
  email: ({ request }, value) => request.email === value,
  payment_fingerprint: ({ request }, value) => request.payment_fingerprint === value,
  counterparty_id: ({ request }, value) => request.counterparty_id === value,
  country: ({ country }, value) => country === value,
  signal: ({ result }, value) => result.signals.includes(value),
  rule: ({ isEvent, request }) => !isEvent && request.amount > 500,
};

/** A filter of one to three parameters. Most values are of an item that exists, so that most searches find something. */
const randomFilter = (random: Random, items: readonly Known[], rule: string): Record<string, Json> => {
  const { request, result, isEvent, ...item } = random.pick(items);
  const score = result.risk_score;
  const values: Record<string, Json> = {
    from: result.screened_at,
    until: result.screened_at,
    type: isEvent ? 'event' : 'transaction',
    event_type: isEvent ? request.type : 'login',
    outcome: random.pick(['succeeded', 'failed']),
    decision: item.decision,
    label: item.label ?? 'none',
    score_min: score,
    score_max: score,
    usd_min: random.between(1, 500),
    usd_max: random.between(500, 1000),
    user_id: request.user_id,
    device_token: request.device_token,
    ip_address: request.ip_address,
    network: request.ip_address && networkOf(request.ip_address),
    email: request.email,
    payment_fingerprint: request.payment_fingerprint,
    counterparty_id: request.counterparty_id,
    country: item.country ?? undefined,
    signal: random.pick([...SIGNALS, ...result.signals]),
    rule,
  };
  const names = Object.keys(values).filter((name) => values[name] !== undefined);
  const chosen = Array.from({ length: random.between(1, 4) }, () => random.pick(names));
  return Object.fromEntries(chosen.map((name) => [name, values[name]]));
};

const naive = (items: readonly Known[], filter: Record<string, Json>): string[] =>
  items.filter((item) => Object.entries(filter).every(([name, value]) => MATCHES[name]?.(item, value))).map(subjectId);

test(
  `${FILTERS} random filters find what a naive scan finds, before and after a rebuild (seed ${SEED})`,
  async () => {
    const random = makeRandom(SEED);
    const clock = makeClock();
    const service = await startService({ clock: clock.now });
    const api = client(service, await service.key());
    const { rule_id } = (
      await api.post('/v1/rules', { name: 'large', expression: 'amount > 500', action: { points: 1 } })
    ).json;
    for (const state of ['shadow', 'live']) await api.put(`/v1/rules/${rule_id}`, { state });

    const items: Known[] = [];
    for (let count = 0; count < ITEMS; count++) {
      clock.advance(random.below(3));
      const request = randomRequest(random);
      const isEvent = request.amount === undefined;
      const result = (await (isEvent ? api.act(request) : api.pay(request))).json;
      items.unshift({ request, result, isEvent, country: null, label: null, decision: result.decision });
      if (random.chance(0.7)) continue;
      const item = random.pick(items);
      const label = random.pick(['fraud', 'legitimate'] as const);
      if (random.chance(0.5)) {
        const subject = item.isEvent ? { event_id: subjectId(item) } : { transaction_id: subjectId(item) };
        await api.post('/v1/labels', { ...subject, label, source: 'test' });
      } else {
        item.decision = label === 'fraud' ? 'block' : 'allow';
        await api.post(`/v1/decisions/${item.result.decision_id}/review`, { decision: item.decision });
      }
      item.label = label;
    }
    await untilSearched(api, clock);

    const all = await searchAll(api, {}, 7);
    expect(all.map(({ subject_id }) => subject_id)).toEqual(items.map(subjectId));
    const located = items.map((item, at) => ({ ...item, country: all[at].country }));
    expect(new Set(located.map(({ country }) => country)).size).toBeGreaterThan(2);
    expect(all.map(({ decision, label }) => [decision, label])).toEqual(
      items.map(({ decision, label }) => [decision, label]),
    );

    let found = 0;
    for (let count = 0; count < FILTERS; count++) {
      const filter = randomFilter(random, located, rule_id);
      const expected = naive(located, filter);
      const { from, until } = filter;
      if (from !== undefined && until !== undefined && until < from) continue;
      if (filter.score_min > filter.score_max) continue;
      const ids = (await searchAll(api, filter, random.pick([2, 200]))).map(({ subject_id }) => subject_id);
      expect([filter, ids]).toEqual([filter, expected]);
      if (ids.length > 0) found++;
    }
    expect(found).toBeGreaterThan(FILTERS / 4);

    await service.stop();
    const written = await dumpProjection(service.dataDir);
    expect(written.items).toHaveLength(ITEMS);
    expect(await dumpRebuilt(service.dataDir)).toEqual(written);
  },
  timeoutMs(240_000),
);
