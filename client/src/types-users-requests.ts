// Generated from the contract by `npm run client`. Do not edit.

import type { ScreeningFilter } from './types-screenings-requests.ts';

export interface SeriesQuery {
  /** Only items of this time or later, rounded down to the whole hour or day in UTC. Default: 30 days before `until`. */
  from?: string | undefined;
  /** Only items before this time, rounded up to the whole hour or day in UTC. Default: now. */
  until?: string | undefined;
  /**
   * A point per hour or per day, in UTC. Hours cover at most 31 days.
   * @default "1d"
   */
  step?: '1h' | '1d' | undefined;
}

export interface TimelineQuery {
  /** Only entries of this kind. */
  kind?: 'transaction' | 'event' | 'label' | 'review' | undefined;
  /** Only items screened at this time or later. */
  from?: string | undefined;
  /** Only items screened before this time. */
  until?: string | undefined;
  /**
   * Page size.
   * @default 50
   */
  limit?: number | undefined;
  /** Cursor: `next_before` of the previous page. */
  before?: string | undefined;
}

export interface UserQuery
  extends Pick<
    ScreeningFilter,
    'from' | 'until' | 'type' | 'event_type' | 'decision' | 'label' | 'score_min' | 'score_max' | 'country' | 'signal'
  > {
  /** The start of user ids, compared byte by byte. The users are then in the order of their ids. It cannot be combined with filters. */
  q?: string | undefined;
  /**
   * Page size.
   * @default 50
   */
  limit?: number | undefined;
  /** Cursor: `next_before` of the previous page. */
  before?: string | undefined;
}

export interface UsualQuery {
  /** Only items screened before this time. */
  until?: string | undefined;
}
