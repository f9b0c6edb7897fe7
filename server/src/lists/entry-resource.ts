import type { ListEntry, ListKind } from '@portcullis/contract';
import { HIDDEN, writeTimestamp } from '@portcullis/contract/values';
import { type Caller, seesPersonalValues } from '../http/caller.ts';
import { withPrefix } from '../runtime/ids.ts';
import type { EntryRow } from './store.ts';

export const toEntry = (row: EntryRow): ListEntry => ({
  entry_id: withPrefix('entry', row.id),
  kind: row.kind,
  value: row.value,
  reason: row.reason,
  author: row.author,
  expires_at: row.expires_at === null ? null : writeTimestamp(row.expires_at),
  created_at: writeTimestamp(row.created_at),
});

/** Kinds of values that are hidden from callers who may not see them. */
export const PERSONAL_KINDS: readonly ListKind[] = ['ip_address', 'device', 'email', 'payment_fingerprint'];

/** The entry as the caller may see it. */
export const shownTo = <Entry extends Pick<ListEntry, 'kind' | 'value'>>(
  caller: Pick<Caller, 'permissions'>,
  entry: Entry,
): Entry => (seesPersonalValues(caller) || !PERSONAL_KINDS.includes(entry.kind) ? entry : { ...entry, value: HIDDEN });
