import type { AuditEntry } from '@portcullis/client';
import { formatName } from '../parts/format.ts';

/** Kinds of change, as the filter `action` takes them. */
export const KINDS = [
  'api_key',
  'backtest',
  'case',
  'delivery',
  'history',
  'list',
  'model',
  'person',
  'policy',
  'rule',
  'screenings',
  'session',
  'settings',
  'sign_in',
  'training',
  'view',
  'webhook',
] as const;

const PARTS: Readonly<Record<string, string>> = {
  key_command_line: 'Command line',
  key_daily_training: 'Daily training',
  key_first_start: 'First start',
  key_settings: 'Settings of the service',
  key_webhook_worker: 'Webhook worker',
};
export const actorOf = ({ person, key_id }: AuditEntry): string =>
  person ?? PARTS[key_id] ?? (key_id.startsWith('person_') ? 'Removed person' : key_id);

/** `rule.changed` as `Rule changed`. */
export const actionOf = (action: string): string => formatName(action.replaceAll('.', ' ')).replace(/^Api\b/, 'API');

export interface Difference {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 1);

/** The members that differ, or the whole values where they are not objects. */
export const differencesOf = ({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly Difference[] => {
  if ((before !== null && !isObject(before)) || (after !== null && !isObject(after)))
    return [{ name: 'Value', before: textOf(before), after: textOf(after) }];
  const old = isObject(before) ? before : {};
  const now = isObject(after) ? after : {};
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name, before: textOf(old[name]), after: textOf(now[name]) }))
    .filter((one) => one.before !== one.after);
};
