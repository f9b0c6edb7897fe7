// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import type {
  CaseStats,
  CaseStatsQuery,
  CountryStats,
  DecisionStats,
  DecisionStatsQuery,
  RuleStats,
  ScoreStats,
  ServiceStats,
  SignalStats,
  StatsQuery,
} from './types.ts';

export const makeStats = (call: Call) => ({
  /**
   * Get decisions and amounts over time.
   *
   * Items count in the hour of their screening, with its decision, which no review changes. A label counts in the hour of its item. Counted shortly after each screening and label: `as_of` says up to when. Hours and days are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  getDecisions: (query?: DecisionStatsQuery, options?: CallOptions): Promise<DecisionStats> =>
    call<DecisionStats>('GET', '/v1/stats/decisions', { query }, options),

  /**
   * Get items by risk score.
   *
   * Counted shortly after each screening and label: `as_of` says up to when. Hours and days are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  getScores: (query?: StatsQuery, options?: CallOptions): Promise<ScoreStats> =>
    call<ScoreStats>('GET', '/v1/stats/scores', { query }, options),

  /**
   * Get items by signal.
   *
   * An item counts for each of its signals. Counted shortly after each screening and label: `as_of` says up to when. Hours and days are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  getSignals: (query?: StatsQuery, options?: CallOptions): Promise<SignalStats> =>
    call<SignalStats>('GET', '/v1/stats/signals', { query }, options),

  /**
   * Get items by live rule.
   *
   * An item counts for each live rule that matched it. Counted shortly after each screening and label: `as_of` says up to when. Hours and days are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  getRules: (query?: StatsQuery, options?: CallOptions): Promise<RuleStats> =>
    call<RuleStats>('GET', '/v1/stats/rules', { query }, options),

  /**
   * Get items by country.
   *
   * Counted shortly after each screening and label: `as_of` says up to when. Hours and days are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  getCountries: (query?: StatsQuery, options?: CallOptions): Promise<CountryStats> =>
    call<CountryStats>('GET', '/v1/stats/countries', { query }, options),

  /**
   * Get how cases were handled.
   *
   * By day and by analyst. At most 90 days.
   *
   * Requires the permission `read`.
   */
  getCases: (query?: CaseStatsQuery, options?: CallOptions): Promise<CaseStats> =>
    call<CaseStats>('GET', '/v1/stats/cases', { query }, options),

  /**
   * Get the state of the service.
   *
   * Requires the permission `read`.
   */
  getService: (options?: CallOptions): Promise<ServiceStats> =>
    call<ServiceStats>('GET', '/v1/stats/service', {}, options),
});
