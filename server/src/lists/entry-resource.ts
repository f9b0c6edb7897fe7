import type { ListEntry } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
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
