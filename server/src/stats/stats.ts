import type { ServiceStats } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Cases } from '../cases/cases.ts';
import type { Config } from '../config.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { VERSION } from '../runtime/version.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { getDecisions } from './decisions.ts';
import { getCountries, getRules, getScores, getSignals } from './groups.ts';
import { sharesOfMembers } from './members.ts';
import { DAY_MS, rangeOf, type SumStatsDeps } from './range.ts';
import { makeRecentLatency, type RecentLatency } from './recent-latency.ts';

interface StatsDeps extends SumStatsDeps {
  readonly cases: Pick<Cases, 'stats'>;
  readonly webhooks: Pick<Webhooks, 'countPending'>;
  readonly metrics: Pick<Metrics, 'requestCounts'>;
  readonly config: Pick<Config, 'shared'>;
}

const MINUTE_MS = 60_000;

const getService = async (
  { sums, webhooks, config, clock }: StatsDeps,
  call: Call<'getServiceStats'>,
  latency: RecentLatency | null,
): Promise<Answer> => {
  const { tenant } = call.caller;
  const now = clock();
  const [complete, screenings, pending, members] = await Promise.all([
    sums.completeAt(tenant, now),
    sums.countSince(tenant, now - MINUTE_MS),
    webhooks.countPending(tenant),
    sharesOfMembers({ sums }, tenant, now),
  ]);
  const stats: ServiceStats = {
    version: VERSION,
    store: config.shared === undefined ? 'embedded' : 'postgresql',
    screenings_per_minute: screenings,
    latency_ms: latency,
    search_behind_seconds: (now - complete) / 1000,
    deliveries_pending: pending,
    members,
    as_of: writeTimestamp(now),
  };
  return call.answer(stats);
};

const getCases = async ({ cases, clock }: StatsDeps, call: Call<'getCasesStats'>): Promise<Answer> => {
  const now = clock();
  return call.answer(await cases.stats(call.caller.tenant, rangeOf(call.query, DAY_MS, now), now));
};

export const makeStats = (deps: StatsDeps) => {
  const latency = makeRecentLatency(deps);
  return {
    decisions: (call: Call<'getDecisionsStats'>): Promise<Answer> => getDecisions(deps, call),
    scores: (call: Call<'getScoresStats'>): Promise<Answer> => getScores(deps, call),
    signals: (call: Call<'getSignalsStats'>): Promise<Answer> => getSignals(deps, call),
    rules: (call: Call<'getRulesStats'>): Promise<Answer> => getRules(deps, call),
    countries: (call: Call<'getCountriesStats'>): Promise<Answer> => getCountries(deps, call),
    cases: (call: Call<'getCasesStats'>): Promise<Answer> => getCases(deps, call),
    service: (call: Call<'getServiceStats'>): Promise<Answer> => getService(deps, call, latency.read()),
    stop: latency.stop,
  };
};
export type Stats = ReturnType<typeof makeStats>;
