import type { DecisionValue, EventRequest, LabelValue, SubjectType, TransactionRequest } from '@portcullis/contract';
import { type Facts, knowledgeIn, READABLE_FACTS, type Subject, subjectOf, unpackFacts } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { KeptRequest } from './keep.ts';

/** One labelled item as the decision saw it. */
export interface TrainingRow {
  /** Without whom it was about: its entities are none of anybody's, and it has no metadata. */
  readonly subject: Subject;
  readonly facts: Facts;
  readonly label: LabelValue;
  readonly score: number;
  readonly decision: DecisionValue;
}

interface Row {
  readonly screening_seq: number;
  readonly subject_type: SubjectType;
  readonly screened_at: number;
  readonly request: string;
  readonly facts: Uint8Array;
  readonly label: LabelValue;
  readonly score: number;
  readonly decision: DecisionValue;
}

/** Which labels: of items numbered below one, as far as they were given by another. */
export interface Wanted {
  readonly before: number;
  readonly through: number;
}

const PRODUCTION = "SELECT tenant FROM tenants WHERE account = ? AND environment = 'production'";
/** Those in force of the items after one, in the order they were screened. Of facts laid out otherwise nothing can be learned. */
const PAGE = `SELECT screening_seq, subject_type, screened_at, request, facts, label, score, decision
  FROM labels l WHERE tenant = ? AND screening_seq > ? AND screening_seq < ? AND seq <= ? AND facts_version BETWEEN ? AND ?
    AND NOT EXISTS (SELECT 1 FROM labels n WHERE n.tenant = l.tenant AND n.screening_seq = l.screening_seq AND n.seq > l.seq AND n.seq <= ?)
  ORDER BY screening_seq LIMIT ?`;
const PAGE_ROWS = 500;

const toRow = (row: Row): TrainingRow => {
  const { label, score, decision } = row;
  const facts = unpackFacts(row.facts);
  const request = { user_id: '', ...(JSON.parse(row.request) as KeptRequest) } as TransactionRequest | EventRequest;
  const subject = subjectOf(row.subject_type, request, row.screened_at, knowledgeIn(facts));
  return { subject, facts, label, score, decision };
};

/**
 * The labels in force of an account's production, in the order their items were screened: what is said meanwhile is for the next training. For a
 * thread with a connection of its own: the pages of many labels take a while.
 */
export async function* trainingRows(
  backend: Pick<Backend, 'read'>,
  account: string,
  { before, through }: Wanted,
): AsyncGenerator<TrainingRow> {
  const [production] = await backend.read<{ tenant: number }>(PRODUCTION, account);
  if (production === undefined) return;
  const { tenant } = production;
  for (let after = 0; ; ) {
    const rows = await backend.read<Row>(PAGE, tenant, after, before, through, ...READABLE_FACTS, through, PAGE_ROWS);
    for (const row of rows) yield toRow(row);
    if (rows.length < PAGE_ROWS) return;
    after = (rows.at(-1) as Row).screening_seq;
  }
}
