// Generated from the contract by `npm run client`. Do not edit.

export type * from './types-api-keys.ts';
export type * from './types-audit.ts';
export type * from './types-backtests.ts';
export type * from './types-cases.ts';
export type * from './types-decisions.ts';
export type * from './types-errors.ts';
export type * from './types-events.ts';
export type * from './types-feed.ts';
export type * from './types-imports.ts';
export type * from './types-labels.ts';
export type * from './types-links.ts';
export type * from './types-lists.ts';
export type * from './types-models.ts';
export type * from './types-people.ts';
export type * from './types-policy.ts';
export type * from './types-privacy.ts';
export type * from './types-rules.ts';
export type * from './types-screenings.ts';
export type * from './types-settings.ts';
export type * from './types-stats.ts';
export type * from './types-transactions.ts';
export type * from './types-users.ts';
export type * from './types-views.ts';
export type * from './types-webhooks.ts';
