import type { DecisionValue, EventRequest, LabelValue, TransactionRequest } from '@portcullis/contract';
import { type Facts, fact, knowledgeIn, markPresent, type Subject, subjectOf, unpackFacts } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { type ImpersonalRequest, presentRequest } from '../backend/erased-request.ts';
import {
  type LabelledScreening,
  type LabelSnapshot,
  labelledScreenings,
  labelSnapshots,
  newestLabel,
  newestScreening,
} from '../backend/journal-pages.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import { RETENTION_MS } from '../screening/screen.ts';

/** A past item without its request and facts. */
export interface ItemSummary {
  readonly at: number;
  readonly score: number;
  readonly decision: DecisionValue;
  /** From the model that decided it; undefined where it is not stored. */
  readonly probability: number | undefined;
  readonly label: LabelValue | undefined;
  /** Its screening was deleted at the end of its retention. Only the label with its facts is left. */
  readonly isExpired: boolean;
}
/** A past item as the decision saw it. */
export interface TrainingItem extends ItemSummary {
  readonly subject: Subject;
  readonly facts: Facts;
}

/** The range of items and labels when a training began. Newer ones are left to the next training. */
export interface Snapshot {
  readonly tenant: number;
  /** Older screenings are deleted, or may be before the training ends. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly labelsThrough: number;
}
type Reader = Pick<Backend, 'read'>;

type Row = LabelledScreening<'type' | 'screened_at' | 'verdict' | 'facts'>;
type RowWithRequest = LabelledScreening<'type' | 'screened_at' | 'verdict' | 'facts' | 'request'>;

/** Longer than a training takes: it reads items several times, and none may be deleted in between. */
const MAX_TRAINING_MS = 3_600_000;
/** In the verdict of an item whose decision was forced by a test address. Such items are not used in training. */
const TEST_ADDRESS = '"test_address"';
/** Missing only when the histories were unavailable. Such items are not used: their facts describe an outage. */
const USER_ACTIONS = fact('user.actions');
const hasHistory = (facts: Facts): boolean => !Number.isNaN(facts[USER_ACTIONS]);

/** The past items of an account, read page by page in the order of time, as often as a training needs them. */
export interface PastItems {
  readonly summaries: (onProgress: (share: number) => void) => AsyncIterable<ItemSummary>;
  readonly items: (onProgress: (share: number) => void) => AsyncIterable<TrainingItem>;
}

export const takeSnapshot = async (backend: Reader, tenant: number, now: number): Promise<Snapshot> => ({
  tenant,
  firstSeq: firstSeqAt(now - RETENTION_MS + MAX_TRAINING_MS),
  lastSeq: await newestScreening(backend, tenant),
  labelsThrough: await newestLabel(backend, tenant),
});

const summaryOf = ({ screened_at: at, verdict, label }: Row): ItemSummary => {
  const { score, decision, probability } = JSON.parse(verdict) as Pick<
    ItemSummary,
    'score' | 'decision' | 'probability'
  >;
  return { at, score, decision, probability, label: label ?? undefined, isExpired: false };
};
const itemOf = (row: RowWithRequest, facts: Facts): TrainingItem => {
  const subject = subjectOf(markPresent, row.type, presentRequest(row.request), row.screened_at, knowledgeIn(facts));
  return { ...summaryOf(row), subject, facts };
};

/** The stored request of an expired item has no user and no metadata, so it cannot be linked to other items. */
const expiredItemOf = (row: LabelSnapshot): TrainingItem => {
  const { label, score, decision } = row;
  const facts = unpackFacts(row.facts);
  const request = { user_id: '', ...(JSON.parse(row.request) as ImpersonalRequest) } as
    | TransactionRequest
    | EventRequest;
  const subject = subjectOf(markPresent, row.subject_type, request, row.screened_at, knowledgeIn(facts));
  return { at: subject.at, score, decision, probability: undefined, label, isExpired: true, subject, facts };
};

const rangeOf = ({ tenant, firstSeq, lastSeq, labelsThrough }: Snapshot) => ({
  tenant,
  after: firstSeq - 1,
  upTo: lastSeq,
  labelsThrough,
});

async function* storedItems<R extends Row, T>(
  pages: AsyncIterable<R[]>,
  { firstSeq, lastSeq }: Snapshot,
  of: (row: R, facts: Facts) => T,
  onProgress: (share: number) => void,
): AsyncGenerator<T> {
  for await (const rows of pages) {
    for (const row of rows) {
      const facts = unpackFacts(row.facts);
      if (!row.verdict.includes(TEST_ADDRESS) && hasHistory(facts)) yield of(row, facts);
    }
    onProgress(((rows.at(-1) as R).seq - firstSeq) / Math.max(1, lastSeq - firstSeq));
  }
}

/** Labels of deleted screenings, with their facts. All are older than the stored screenings. */
async function* expiredItems(
  backend: Reader,
  { tenant, firstSeq, labelsThrough }: Snapshot,
): AsyncGenerator<TrainingItem> {
  for await (const rows of labelSnapshots(backend, { tenant, before: firstSeq, through: labelsThrough }))
    for (const row of rows) {
      const item = expiredItemOf(row);
      if (hasHistory(item.facts)) yield item;
    }
}

/** Reads pages in the order of time. */
export async function* itemSummaries(
  backend: Reader,
  snapshot: Snapshot,
  onProgress: (share: number) => void,
): AsyncGenerator<ItemSummary> {
  yield* expiredItems(backend, snapshot);
  const rows = labelledScreenings(backend, rangeOf(snapshot), ['type', 'screened_at', 'verdict', 'facts']);
  yield* storedItems(rows, snapshot, summaryOf, onProgress);
}
/** The same items as `itemSummaries`, complete. */
export async function* trainingItems(
  backend: Reader,
  snapshot: Snapshot,
  onProgress: (share: number) => void,
): AsyncGenerator<TrainingItem> {
  yield* expiredItems(backend, snapshot);
  const rows = labelledScreenings(backend, rangeOf(snapshot), ['type', 'screened_at', 'verdict', 'request', 'facts']);
  yield* storedItems(rows, snapshot, itemOf, onProgress);
}

export const readPastItems = async (backend: Reader, tenant: number, now: number): Promise<PastItems> => {
  const snapshot = await takeSnapshot(backend, tenant, now);
  return {
    summaries: (onProgress) => itemSummaries(backend, snapshot, onProgress),
    items: (onProgress) => trainingItems(backend, snapshot, onProgress),
  };
};
