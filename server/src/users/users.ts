import type { RiskProfile } from '@portcullis/contract';
import { HIDDEN, writeTimestamp } from '@portcullis/contract/values';
import { type Facts, fact, makeFacts, type ProfileEntry, riskAt, type Thresholds } from '@portcullis/engine';
import type { Counters } from '../backend/counters.ts';
import type { Cases } from '../cases/cases.ts';
import { seesPersonalValues } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Policies } from '../policies/policies.ts';
import { notFound } from '../validation/errors.ts';

const seenList = <Named extends object>(list: readonly ProfileEntry[], named: (value: string) => Named) =>
  list.toReversed().map((seen) => ({
    ...named(seen.value),
    first_seen_at: writeTimestamp(seen.firstAt),
    last_seen_at: writeTimestamp(seen.lastAt),
    count: seen.count,
  }));

/** Removes the rounding errors that sums of decimal amounts have in their last digits. */
const roundSum = (amount: number): number => Number(amount.toPrecision(14));

/** Amounts are converted at a reference rate, so digits beyond cents have no meaning. */
const roundToCents = (dollars: number): number => Math.round(dollars * 100) / 100;

const VELOCITY_WINDOWS = ['1h', '24h', '7d', '30d'] as const;
const velocityAt = VELOCITY_WINDOWS.map((window) => ({
  window,
  count: fact(`user.transactions.${window}`),
  amount: fact(`user.amount.${window}`),
}));

/** Counts labels in force: a history removes a label that was replaced. */
const KNOWN_FRAUDS = fact('user.known_frauds');

const velocityOf = (facts: Facts): RiskProfile['velocity'] =>
  Object.fromEntries(
    velocityAt.map(({ window, count, amount }) => [
      window,
      { count: facts[count] as number, amount: roundToCents(facts[amount] as number) },
    ]),
  ) as RiskProfile['velocity'];

/** The profile for a caller who may know how many devices and addresses a user has, but not which. */
const withoutPersonal = (profile: RiskProfile): RiskProfile => ({
  ...profile,
  devices: profile.devices.map((seen) => ({ ...seen, device_token: HIDDEN })),
  ip_addresses: profile.ip_addresses.map((seen) => ({ ...seen, ip_address: HIDDEN })),
});

export const makeUsers = (deps: { counters: Counters; cases: Cases; policies: Policies; clock: () => number }) => {
  const { counters, cases, policies, clock } = deps;

  const levelOf = (score: number, { review, block }: Thresholds): RiskProfile['risk_level'] =>
    score >= block ? 'high' : score >= review ? 'medium' : 'low';

  /** The risk profile of a user; undefined for an unknown user. */
  const profileOf = async (tenant: number, userId: string): Promise<RiskProfile | undefined> => {
    const now = clock();
    const facts = makeFacts();
    const profile = await counters.user(tenant, userId, now, facts);
    if (profile === undefined) return undefined;
    const velocity = velocityOf(facts);
    const confirmedFraud = facts[KNOWN_FRAUDS] as number;
    const { thresholds } = policies.of(tenant);
    const byStatus = await cases.count(tenant, userId, now);
    const decayed = Math.round(riskAt(profile, now));
    // Confirmed fraud does not decay.
    const score = confirmedFraud > 0 ? Math.max(decayed, thresholds.block) : decayed;
    return {
      user_id: userId,
      risk_score: score,
      risk_level: levelOf(score, thresholds),
      first_seen_at: writeTimestamp(profile.firstAt),
      last_seen_at: writeTimestamp(profile.lastAt),
      transactions: {
        count: profile.transactions,
        total_by_currency: Object.fromEntries(
          Object.entries(profile.totals).map(([code, sum]) => [code, roundSum(sum)]),
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
  };

  return {
    profileOf,
    getRiskProfile: async (call: Call<'getRiskProfile'>): Promise<Answer> => {
      const profile = await profileOf(call.caller.tenant, call.params.user_id);
      if (profile === undefined) throw notFound('user');
      return call.answer(seesPersonalValues(call.caller) ? profile : withoutPersonal(profile));
    },
  };
};
export type Users = ReturnType<typeof makeUsers>;
