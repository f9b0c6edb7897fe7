// Generated from the contract by `npm run client`. Do not edit.

export interface CaseStatsQuery {
  /** Only items of this time or later, rounded down to the whole hour or day in UTC. Default: 30 days before `until`. */
  from?: string | undefined;
  /** Only items before this time, rounded up to the whole hour or day in UTC. Default: now. */
  until?: string | undefined;
}

export interface DecisionStatsQuery {
  /** Only items of this time or later, rounded down to the whole hour or day in UTC. Default: 30 days before `until`. */
  from?: string | undefined;
  /** Only items before this time, rounded up to the whole hour or day in UTC. Default: now. */
  until?: string | undefined;
  /**
   * A point per hour or per day, in UTC. Hours cover at most 31 days.
   * @default "1d"
   */
  step?: '1h' | '1d' | undefined;
  /** Only transactions, or only events. */
  type?: 'transaction' | 'event' | undefined;
}

export interface StatsQuery {
  /** Only items of this time or later, rounded down to the whole hour or day in UTC. Default: 30 days before `until`. */
  from?: string | undefined;
  /** Only items before this time, rounded up to the whole hour or day in UTC. Default: now. */
  until?: string | undefined;
  /** Only transactions, or only events. */
  type?: 'transaction' | 'event' | undefined;
}
