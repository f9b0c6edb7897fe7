import { type RiskProfile, writeTimestamp } from '@portcullis/contract';
import { type Facts, fact, makeFacts, riskAt, type Seen, type Thresholds } from '@portcullis/engine';
import type { Counters } from '../backend/counters.ts';
import type { Cases } from '../cases/cases.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Policies } from '../policies/policies.ts';

const seenList = <Named extends object>(list: readonly Seen[], named: (value: string) => Named) =>
  list.toReversed().map((seen) => ({
    ...named(seen.value),
    first_seen_at: writeTimestamp(seen.firstAt),
    last_seen_at: writeTimestamp(seen.lastAt),
    count: seen.count,
  }));

/** Sums of decimal amounts carry binary dust in their last digits. */
const withoutDust = (amount: number): number => Number(amount.toPrecision(14));

/** Converted at a reference rate: more digits would only pretend to be exact. */
const inCents = (dollars: number): number => Math.round(dollars * 100) / 100;

const VELOCITY_WINDOWS = ['1h', '24h', '7d', '30d'] as const;
const velocityAt = VELOCITY_WINDOWS.map((window) => ({
  window,
  count: fact(`user.transactions.${window}`),
  amount: fact(`user.amount.${window}`),
}));

/** Labels in force: a history takes back what was said of an item before. */
const KNOWN_FRAUDS = fact('user.known_frauds');

const velocityOf = (facts: Facts): RiskProfile['velocity'] =>
  Object.fromEntries(
    velocityAt.map(({ window, count, amount }) => [
      window,
      { count: facts[count] as number, amount: inCents(facts[amount] as number) },
    ]),
  ) as RiskProfile['velocity'];

export const makeUsers = (deps: { counters: Counters; cases: Cases; policies: Policies; clock: () => number }) => {
  const { counters, cases, policies, clock } = deps;

  const levelOf = (score: number, { review, block }: Thresholds): RiskProfile['risk_level'] =>
    score >= block ? 'high' : score >= review ? 'medium' : 'low';

  return {
    getRiskProfile: async (call: Call): Promise<Answer> => {
      const userId = call.params.user_id as string;
      const { tenant } = call.caller;
      const now = clock();
      const facts = makeFacts();
      const profile = await counters.user(tenant, userId, now, facts);
      if (profile === undefined) throw notFound('user');
      const velocity = velocityOf(facts);
      const confirmedFraud = facts[KNOWN_FRAUDS] as number;
      const { thresholds } = policies.of(tenant);
      const byStatus = await cases.count(tenant, userId, now);
      const faded = Math.round(riskAt(profile, now));
      // What a person confirmed does not fade with time.
      const score = confirmedFraud > 0 ? Math.max(faded, thresholds.block) : faded;
      const answer: RiskProfile = {
        user_id: userId,
        risk_score: score,
        risk_level: levelOf(score, thresholds),
        first_seen_at: writeTimestamp(profile.firstAt),
        last_seen_at: writeTimestamp(profile.lastAt),
        transactions: {
          count: profile.transactions,
          total_by_currency: Object.fromEntries(
            Object.entries(profile.totals).map(([code, sum]) => [code, withoutDust(sum)]),
          ),
          by_decision: profile.decisions,
        },
        events: { count: profile.events, by_type: profile.eventTypes },
        cases: { count: Object.values(byStatus).reduce((sum, count) => sum + count, 0), by_status: byStatus },
        confirmed_fraud: confirmedFraud,
        velocity,
        devices: seenList(profile.devices, (device_token) => ({ device_token })),
        ip_addresses: seenList(profile.ips, (ip_address) => ({ ip_address })),
        countries: seenList(profile.countries, (country) => ({ country })),
        signals: profile.signals.toReversed().map(({ value, count, lastAt }) => ({
          signal: value,
          count,
          last_seen_at: writeTimestamp(lastAt),
        })),
      };
      return call.answer(answer);
    },
  };
};
export type Users = ReturnType<typeof makeUsers>;
