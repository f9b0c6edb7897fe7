import type { ApiKey, ApiKeyRequest } from '@portcullis/client';

export type KeyRole = NonNullable<ApiKeyRequest['role']>;
export type Permission = ApiKey['permissions'][number];

export const ROLES: readonly (readonly [KeyRole, string])[] = [
  ['service', 'Service: screen and read'],
  ['reader', 'Reader: read, without personal data'],
  ['analyst', 'Analyst: read, resolve cases, review decisions'],
  ['manager', 'Manager: also change rules, lists, policy and models'],
  ['admin', 'Admin: everything'],
];
export const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ['screen', 'Screen payments and events'],
  ['read', 'Read results, profiles, cases, webhooks, lists and rules'],
  ['read_personal', 'Read what was sent: addresses, e-mail, device, card'],
  ['review', 'Override decisions, resolve cases, add labels'],
  ['tune', 'Change rules, lists, the policy and models; import history'],
  ['administer', 'Manage webhooks, API keys and people; read the audit log'],
];
/** The name of a key for people: its label, or the end of its secret. */
export const nameOf = ({ label, hint }: Pick<ApiKey, 'label' | 'hint'>): string => label || `Key ${hint}`;

/** A part of the service that made a key has an id of its own. */
const PARTS: Readonly<Record<string, string>> = {
  key_command_line: 'Command line',
  key_first_start: 'First start',
  key_settings: 'Settings of the service',
};
export const makerOf = (madeBy: string | null): string => (madeBy === null ? 'Unknown' : (PARTS[madeBy] ?? madeBy));
