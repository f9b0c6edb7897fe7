import type { DecisionValue, LabelValue, SubjectType } from '@portcullis/contract';
import {
  type Facts,
  fact,
  knowledgeIn,
  READABLE_FACTS,
  type Subject,
  subjectOf,
  unpackFacts,
} from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { firstSeqAt } from '../ids.ts';
import { trainingRows } from '../labels/training-rows.ts';
import { RETENTION_MS } from '../screening/retention.ts';

/** What is known of a past item without its facts. */
export interface Glance {
  readonly at: number;
  readonly score: number;
  readonly decision: DecisionValue;
  /** What the model then in force said; undefined where that is not known. */
  readonly probability: number | undefined;
  readonly label: LabelValue | undefined;
  /** Its screening is gone, and with it the ordinary items of its time. */
  readonly isOutlived: boolean;
}
/** All of it, as the decision saw it. */
export interface PastItem extends Glance {
  readonly subject: Subject;
  readonly facts: Facts;
}

/** What there was when a training began: what comes meanwhile is for the next. */
export interface Snapshot {
  readonly account: string;
  readonly tenant: number;
  /** Of what is older only labels are left, or will be before the training is over. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly labelsThrough: number;
}
type Reader = Pick<Backend, 'read'>;

interface Row {
  readonly seq: number;
  readonly type: SubjectType;
  readonly screened_at: number;
  readonly verdict: string;
  readonly label: LabelValue | null;
  readonly request?: string;
  readonly facts: Uint8Array;
}

/** More than a training takes: what it reads first must still be there when it reads it again. */
const LONGEST_TRAINING_MS = 3_600_000;
const PAGE_ROWS = 500;
const NEWEST = 'SELECT MAX(seq) AS newest FROM screenings WHERE tenant = ?';
const NEWEST_LABEL = 'SELECT MAX(seq) AS newest FROM labels WHERE tenant = ?';
const pageOf = (columns: string): string => `SELECT s.seq, s.type, s.screened_at, s.verdict${columns},
    (SELECT l.label FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq AND l.seq <= ?
      ORDER BY l.seq DESC LIMIT 1) AS label
  FROM screenings s WHERE s.seq > ? AND s.seq <= ? AND s.tenant = ? AND s.facts_version BETWEEN ? AND ? ORDER BY s.seq LIMIT ?`;
const GLANCES = pageOf(', s.facts');
const ITEMS = pageOf(', s.request, s.facts');
/** Whatever was forced by an address for trying things out says nothing of anybody. */
const TRIAL = '"test_address"';
/** Of every item the user's actions are counted, unless whoever keeps the histories did not answer: then all facts of it say more of the outage. */
const USER_ACTIONS = fact('user.actions');
const wasHad = (facts: Facts): boolean => !Number.isNaN(facts[USER_ACTIONS]);

export const takeSnapshot = async (
  backend: Reader,
  account: string,
  tenant: number,
  now: number,
): Promise<Snapshot> => {
  const newest = async (sql: string): Promise<number> =>
    (await backend.read<{ newest: number | null }>(sql, tenant))[0]?.newest ?? 0;
  return {
    account,
    tenant,
    firstSeq: firstSeqAt(now - RETENTION_MS + LONGEST_TRAINING_MS),
    lastSeq: await newest(NEWEST),
    labelsThrough: await newest(NEWEST_LABEL),
  };
};

const glanceOf = ({ screened_at: at, verdict, label }: Row): Glance => {
  const { score, decision, probability } = JSON.parse(verdict) as Pick<Glance, 'score' | 'decision' | 'probability'>;
  return { at, score, decision, probability, label: label ?? undefined, isOutlived: false };
};
const itemOf = (row: Row, facts: Facts): PastItem => {
  const subject = subjectOf(row.type, JSON.parse(row.request as string), row.screened_at, knowledgeIn(facts));
  return { ...glanceOf(row), subject, facts };
};

async function* stored<T>(
  backend: Reader,
  { tenant, firstSeq, lastSeq, labelsThrough }: Snapshot,
  sql: string,
  of: (row: Row, facts: Facts) => T,
  onProgress: (share: number) => void,
): AsyncGenerator<T> {
  for (let after = firstSeq - 1; ; ) {
    const rows = await backend.read<Row>(sql, labelsThrough, after, lastSeq, tenant, ...READABLE_FACTS, PAGE_ROWS);
    for (const row of rows) {
      const facts = unpackFacts(row.facts);
      if (!row.verdict.includes(TRIAL) && wasHad(facts)) yield of(row, facts);
    }
    if (rows.length < PAGE_ROWS) return;
    after = (rows.at(-1) as Row).seq;
    onProgress((after - firstSeq) / Math.max(1, lastSeq - firstSeq));
  }
}

/** Labels whose screenings are gone, with the facts they kept. All are older than what is stored. */
async function* outlived(backend: Reader, { account, firstSeq, labelsThrough }: Snapshot): AsyncGenerator<PastItem> {
  const rows = trainingRows(backend, account, { before: firstSeq, through: labelsThrough });
  for await (const { subject, facts, label, score, decision } of rows)
    if (wasHad(facts))
      yield { at: subject.at, score, decision, probability: undefined, label, isOutlived: true, subject, facts };
}

/** In the order of time, a page at a time. */
export async function* glances(
  backend: Reader,
  snapshot: Snapshot,
  onProgress: (share: number) => void,
): AsyncGenerator<Glance> {
  yield* outlived(backend, snapshot);
  yield* stored(backend, snapshot, GLANCES, glanceOf, onProgress);
}
export async function* pastItems(
  backend: Reader,
  snapshot: Snapshot,
  onProgress: (share: number) => void,
): AsyncGenerator<PastItem> {
  yield* outlived(backend, snapshot);
  yield* stored(backend, snapshot, ITEMS, itemOf, onProgress);
}
