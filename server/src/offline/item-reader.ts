import { EventRequest, LABEL_REASONS, type LabelReason, readTimestamp, TransactionRequest } from '@portcullis/contract';
import {
  eventSubject,
  HISTORIES_END_AT,
  identifyOffline,
  type Knowledge,
  makeKnowledge,
  type Subject,
  transactionSubject,
} from '@portcullis/engine';
import { applyDevice, readDevice } from '../devices/devices.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import { makeIdentifierTags } from '../runtime/identifier-tags.ts';
import { bodyReader, type ReadResult } from '../validation/body.ts';
import { normalizeEvent, normalizeTransaction } from '../validation/normalize.ts';
import { FileError } from './file-error.ts';
import type { Row } from './file-rows.ts';

/** The most items of a block. A backtest does one step for all items of a block, then the next step. */
export const BLOCK_ITEMS = 128;

/** One item of a history. */
export interface Item {
  /** Position in the file, from 0. */
  readonly row: number;
  /** Its `knowledge` is reused after BLOCK_ITEMS items: copy it to keep it. */
  readonly subject: Subject;
  /** 1 for fraud, 0 for legitimate, undefined for an item without a label. */
  readonly label: 0 | 1 | undefined;
  /** How the fraud was done; undefined where it is unknown. */
  readonly labelReason: LabelReason | undefined;
  /** Name of the attack that the item is part of. It is for reports only: no model sees it. */
  readonly attack: string | undefined;
}

export interface ItemReaderOptions {
  readonly warn: (message: string) => void;
  /** Looks up addresses and e-mail domains. Without it, looked-up facts are unknown. */
  readonly knowledge?: KnowledgeSource;
}

const LABELS: ReadonlyMap<unknown, 0 | 1> = new Map([
  ['fraud', 1],
  ['legitimate', 0],
]);

/** Fields of a row that are not part of the API request. */
export const NOT_IN_REQUEST: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'occurred_at',
  'label',
  'label_reason',
  'labelled_at',
  'attack',
]);
const readTransactionBody = bodyReader<TransactionRequest>(TransactionRequest, undefined, NOT_IN_REQUEST);
const readEventBody = bodyReader<EventRequest>(EventRequest, undefined, NOT_IN_REQUEST);

/** Replays run in memory and store nothing, so any key will do. A fixed one gives the same result each time. */
const tagOf = makeIdentifierTags(new Uint8Array(16))(0);

/** Past payments of 0, such as card checks, are accepted although the API rejects them: they did happen. */
const readTransaction = (request: Row['fields'], warnings: string[]): ReadResult<TransactionRequest> => {
  if (request.amount !== 0) return readTransactionBody(request, warnings, tagOf);
  const read = readTransactionBody({ ...request, amount: 1 }, warnings, tagOf);
  if ('errors' in read) return read;
  warnings.push('`amount` is 0; the API rejects this, but the backtest accepts it');
  return { value: { ...read.value, amount: 0 } };
};

export const errorAt = ({ line, columnOf }: Row, field: string, message: string): FileError => {
  const column = columnOf?.(field);
  return new FileError(`line ${line}${column === undefined ? '' : `, column ${column}`}: \`${field}\` ${message}`);
};

const kindOf = (row: Row): 'transaction' | 'event' => {
  const kind = row.fields.kind ?? 'transaction';
  if (kind !== 'transaction' && kind !== 'event') throw errorAt(row, 'kind', 'must be transaction or event');
  return kind;
};

const timeOf = (row: Row, latest: number): number => {
  const { occurred_at: text } = row.fields;
  const at = typeof text === 'string' ? readTimestamp(text) : undefined;
  if (at === undefined) throw errorAt(row, 'occurred_at', 'must be a time such as 2026-11-14T09:30:00Z');
  if (at < 0 || at >= HISTORIES_END_AT) throw errorAt(row, 'occurred_at', 'must be between 1970 and 2105');
  if (at < latest) throw errorAt(row, 'occurred_at', 'is before that of an earlier line; sort the file by it');
  return at;
};

const labelOf = (row: Row): 0 | 1 | undefined => {
  const { label: text } = row.fields;
  if (text === undefined || text === null) return undefined;
  const label = LABELS.get(text);
  if (label === undefined) throw errorAt(row, 'label', 'must be fraud or legitimate');
  return label;
};

const labelReasonOf = (row: Row, label: 0 | 1 | undefined): LabelReason | undefined => {
  const { label_reason: text } = row.fields;
  if (text === undefined || text === null) return undefined;
  const reason = LABEL_REASONS.find((known) => known === text);
  if (reason === undefined) throw errorAt(row, 'label_reason', `must be one of ${LABEL_REASONS.join(', ')}`);
  if (label !== 1) throw errorAt(row, 'label_reason', 'must be empty unless the `label` is fraud');
  return reason;
};

const validValue = <T>(row: Row, result: ReadResult<T>): T => {
  if ('value' in result) return result.value;
  const [first] = result.errors;
  throw errorAt(row, first?.field ?? '', first?.message ?? 'is not valid');
};

/** Fills `known` with the facts about the address, e-mail domain and device of a request. */
const lookUp = (
  knowledge: KnowledgeSource | undefined,
  request: TransactionRequest | EventRequest,
  at: number,
  known: Knowledge,
): void => {
  if (knowledge === undefined) known.fill(Number.NaN);
  else knowledge.lookUp(request, known);
  const device = request.device_token === undefined ? undefined : readDevice(request.device_token);
  if (device !== undefined) applyDevice(device, request, known, at);
};

/** The validated fields of a row. */
export interface ReadRow {
  readonly at: number;
  readonly label: 0 | 1 | undefined;
  readonly labelReason: LabelReason | undefined;
  readonly body:
    | { readonly kind: 'transaction'; readonly request: TransactionRequest }
    | { readonly kind: 'event'; readonly request: EventRequest };
}

/** Reads a row that is not before `latest`. Throws a FileError at the first error. */
export const readRow = (row: Row, latest: number, warnings: string[]): ReadRow => {
  const kind = kindOf(row);
  const at = timeOf(row, latest);
  const label = labelOf(row);
  const labelReason = labelReasonOf(row, label);
  const body =
    kind === 'transaction'
      ? { kind, request: normalizeTransaction(validValue(row, readTransaction(row.fields, warnings))) }
      : { kind, request: normalizeEvent(validValue(row, readEventBody(row.fields, warnings, tagOf))) };
  return { at, label, labelReason, body };
};

/** Makes a function that turns rows into items. It throws a FileError at the first error of a row. */
export const makeItemReader = ({ warn, knowledge }: ItemReaderOptions) => {
  const knowledgeOf = Array.from({ length: BLOCK_ITEMS }, makeKnowledge);
  const warned = new Set<string>();
  let count = 0;
  let latest = Number.NEGATIVE_INFINITY;

  const subjectFor = ({ at, body }: ReadRow): Subject => {
    const known = knowledgeOf[count % BLOCK_ITEMS] as Knowledge;
    lookUp(knowledge, body.request, at, known);
    return body.kind === 'transaction'
      ? transactionSubject(identifyOffline, body.request, at, known)
      : eventSubject(identifyOffline, body.request, at, known);
  };
  /** Reports each warning once a file. */
  const report = (line: number, warnings: readonly string[]): void => {
    for (const warning of warnings) {
      if (warned.has(warning)) continue;
      warned.add(warning);
      warn(`line ${line}: ${warning}`);
    }
  };
  return (row: Row): Item => {
    const warnings: string[] = [];
    const fields = readRow(row, latest, warnings);
    const { label, labelReason } = fields;
    latest = fields.at;
    const subject = subjectFor(fields);
    report(row.line, warnings);
    const { attack } = row.fields;
    return { row: count++, subject, label, labelReason, attack: typeof attack === 'string' ? attack : undefined };
  };
};
