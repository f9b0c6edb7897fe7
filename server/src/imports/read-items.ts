import { createHmac } from 'node:crypto';
import {
  type ErrorDetail,
  type EventRequest,
  type ImportItem,
  type LabelReason,
  type LabelValue,
  readTimestamp,
  type TransactionRequest,
} from '@portcullis/contract';
import { normalizeEvent, normalizeTransaction } from '../validation/normalize.ts';

/** A past transaction or event as it was sent. */
export interface SentItem {
  readonly kind: 'item';
  /** Its place in the request. */
  readonly place: number;
  readonly key: string;
  /** A keyed hash of its content. */
  readonly content: string;
  readonly at: number;
  readonly type: 'transaction' | 'event';
  readonly request: TransactionRequest | EventRequest;
}
/** A label as it was sent, with the key of its item. */
export interface SentLabel {
  readonly kind: 'label';
  readonly place: number;
  readonly key: string;
  readonly at: number;
  readonly label: LabelValue;
  readonly reason: LabelReason | null;
}
export type Sent = SentItem | SentLabel;

const KINDS = ['transaction', 'event', 'label'] as const;
const DIGEST_CHARS = 32;

const errorsOf = (item: Readonly<Record<string, unknown>>, at: string): ErrorDetail[] => {
  const kinds = KINDS.filter((kind) => item[kind] !== undefined);
  const errors: ErrorDetail[] = [];
  if (kinds.length !== 1)
    errors.push({ field: at, message: 'must have exactly one of `transaction`, `event` and `label`' });
  if (item.label_reason !== undefined && item.label !== 'fraud')
    errors.push({ field: `${at}.label_reason`, message: 'must be sent only with the label `fraud`' });
  return errors;
};

/** Errors that the schema cannot express. */
export const itemErrors = ({ items }: Readonly<Record<string, unknown>>): ErrorDetail[] =>
  !Array.isArray(items)
    ? []
    : items.flatMap((item: unknown, place) =>
        typeof item === 'object' && item !== null ? errorsOf(item as Record<string, unknown>, `items.${place}`) : [],
      );

/** Histories count seconds from 1970. Nobody has payments of before, but a time of 0 is a common mistake. */
const EARLIEST = Date.UTC(2000, 0, 1);

/** Errors in the times of the items. The next one must not be before the one before it. */
export const timeErrors = (items: readonly ImportItem[], now: number): ErrorDetail[] => {
  const errors: ErrorDetail[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (const [place, { occurred_at }] of items.entries()) {
    const at = readTimestamp(occurred_at) as number;
    const error = (message: string): void => void errors.push({ field: `items.${place}.occurred_at`, message });
    if (at > now) error('must not be in the future');
    else if (at < EARLIEST) error('must not be before 2000-01-01');
    else if (at < latest) error('must not be before the item before it; send items in the order of time');
    latest = Math.max(latest, at);
  }
  return errors;
};

/**
 * Makes the reader of items. Ids and contents are kept as keyed hashes: they must be recognized for years, and nobody
 * must learn from them what was imported.
 */
export const makeReadItem = (identityKey: Uint8Array) => {
  const hash = (tenant: number, of: string, text: string): string =>
    createHmac('sha256', identityKey).update(`import ${tenant} ${of} ${text}`).digest('hex').slice(0, DIGEST_CHARS);
  return (tenant: number, item: ImportItem, place: number): Sent => {
    const at = readTimestamp(item.occurred_at) as number;
    const key = hash(tenant, 'id', item.id);
    const { transaction, event, label, label_reason: reason = null } = item;
    if (label !== undefined) return { kind: 'label', place, key, at, label, reason };
    const type = transaction === undefined ? 'event' : 'transaction';
    const request =
      transaction === undefined ? normalizeEvent(event as EventRequest) : normalizeTransaction(transaction);
    const content = hash(tenant, 'content', `${at} ${type} ${JSON.stringify(request)}`);
    return { kind: 'item', place, key, content, at, type, request };
  };
};
