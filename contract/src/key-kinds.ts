import { ROLES } from './permissions.ts';

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The role of a key with a set of permissions of its own. */
export const RESTRICTED = 'restricted';
export const KEY_ROLES = [...ROLES, RESTRICTED] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

export const KEY_PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'sk_test_', production: 'sk_live_' };

const DAY_SECONDS = 86_400;
export const DEFAULT_OVERLAP_SECONDS = DAY_SECONDS;
export const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS;
