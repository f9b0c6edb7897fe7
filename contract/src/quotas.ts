import { MAX_API_KEYS } from './api-key.ts';
import { MAX_NOTES_PER_CASE } from './case-work.ts';
import { MAX_RULES, MAX_WEBHOOKS } from './constants.ts';
import { MAX_IMPORT_ITEMS, MAX_IMPORTED_ITEMS } from './import.ts';
import { MAX_LABELS_PER_ITEM } from './label.ts';
import { MAX_ENTRIES_AT_ONCE, MAX_LIST_ENTRIES, MAX_LISTS } from './list.ts';
import { MAX_PEOPLE } from './person.ts';
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS } from './view.ts';

/** How many resources an account may have in one environment. The table in the API guide is generated from it. */
export interface Quota {
  readonly resource: string;
  readonly limit: number;
  readonly remedy: string;
}
export const QUOTAS: readonly Quota[] = [
  {
    resource: 'Webhook endpoints, enabled or disabled',
    limit: MAX_WEBHOOKS,
    remedy: 'Delete an endpoint. One endpoint can receive all event types.',
  },
  {
    resource: 'API keys that are neither revoked nor expired',
    limit: MAX_API_KEYS,
    remedy: 'Revoke a key. At the limit, a key can still be [rolled](#rolling-a-key).',
  },
  { resource: 'People with a role', limit: MAX_PEOPLE, remedy: 'Remove a person.' },
  { resource: 'Saved views of a person or API key', limit: MAX_OWN_VIEWS, remedy: 'Delete a view.' },
  { resource: 'Shared views', limit: MAX_SHARED_VIEWS, remedy: 'Delete a shared view.' },
  {
    resource: 'Rules that are not retired',
    limit: MAX_RULES,
    remedy: 'Retire a rule. Live and shadow rules have [further limits](rules.md#limits).',
  },
  { resource: 'Lists you create', limit: MAX_LISTS, remedy: 'Delete a list.' },
  {
    resource: 'Entries on all lists together',
    limit: MAX_LIST_ENTRIES,
    remedy: `Remove entries, or let them expire. One request adds at most ${MAX_ENTRIES_AT_ONCE.toLocaleString('en-US')}.`,
  },
  {
    resource: 'Labels of one transaction or event, reviews included',
    limit: MAX_LABELS_PER_ITEM,
    remedy: 'The newest label stays in force. An open case can still be resolved.',
  },
  { resource: 'Notes of one case', limit: MAX_NOTES_PER_CASE, remedy: 'Notes cannot be deleted.' },
  {
    resource: 'Imported transactions and events',
    limit: MAX_IMPORTED_ITEMS,
    remedy: `Import a shorter period. One request imports at most ${MAX_IMPORT_ITEMS} items.`,
  },
];
