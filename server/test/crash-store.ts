import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DEFAULT_POLICY,
  decide,
  knowledgeIn,
  type Labelled,
  type Policy,
  packFacts,
  packVerdict,
  replay,
  type Subject,
  subjectOf,
  unpackFacts,
} from '@portcullis/engine';
import { BASE_MODEL, loadModel } from '../src/models/load.ts';
import { readRecords } from './records.ts';
import { isShared } from './shared-store.ts';

/** What decides in a service that was told nothing else. */
export const POLICY: Policy = { ...DEFAULT_POLICY, model: loadModel(BASE_MODEL) };

const DATABASE_FILE = 'portcullis.db';
export const databasePath = (dataDir: string): string => join(dataDir, DATABASE_FILE);

export interface StoredScreening {
  readonly seq: number;
  readonly id: string;
  readonly type: 'transaction' | 'event';
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
  readonly facts: Uint8Array;
}
export interface StoredLabel {
  readonly seq: number;
  readonly id: string;
  readonly screening_seq: number;
  readonly label: 'fraud' | 'legitimate';
  readonly labelled_at: number;
}
export interface StoredMessage {
  readonly type: string;
  readonly body: string;
}

/** What the store holds, read by someone who has nothing to do with the service. */
export interface Stored {
  readonly screenings: readonly StoredScreening[];
  readonly labels: readonly StoredLabel[];
  readonly cases: readonly { readonly id: string; readonly status: string }[];
  readonly deliveries: readonly StoredMessage[];
  readonly integrity: string;
}

const readAll = async (all: <Row>(sql: string) => Promise<Row[]> | Row[], integrity: string): Promise<Stored> => ({
  screenings: await all('SELECT seq, id, type, screened_at, request, verdict, facts FROM screenings ORDER BY seq'),
  labels: await all('SELECT seq, id, screening_seq, label, labelled_at FROM labels ORDER BY seq'),
  cases: await all('SELECT id, status FROM cases ORDER BY id'),
  deliveries: await all('SELECT type, body FROM deliveries ORDER BY message_id'),
  integrity,
});

export const readStore = async (dataDir: string): Promise<Stored> => {
  if (isShared) return readAll((sql) => readRecords(dataDir, sql), 'ok');
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true });
  const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  try {
    const found = all<{ integrity_check: string }>('PRAGMA integrity_check');
    return await readAll(all, found.map((row) => row.integrity_check).join('\n'));
  } finally {
    database.close();
  }
};

/** The subject as it was, with what was known of it then. */
export const storedSubject = ({
  type,
  request,
  screened_at,
  facts,
}: Pick<StoredScreening, 'type' | 'request' | 'screened_at' | 'facts'>): Subject =>
  subjectOf(type, JSON.parse(request), screened_at, knowledgeIn(unpackFacts(facts)));

/** Screenings whose stored verdict does not follow from their own stored request and facts. */
export const undecided = (screenings: readonly StoredScreening[]): string[] =>
  screenings
    .filter((row) => {
      const verdict = decide(POLICY, storedSubject(row), unpackFacts(row.facts));
      return packVerdict(verdict) !== row.verdict;
    })
    .map(({ id }) => id);

/** Screenings whose stored verdict or facts are not what deciding the whole history anew gives, bit for bit. */
export const misreplayed = (
  screenings: readonly StoredScreening[],
  history: Iterable<Subject | Labelled> = screenings.map(storedSubject),
): string[] => {
  const wrong: string[] = [];
  let at = 0;
  for (const { facts, verdict } of replay(POLICY, history)) {
    const row = screenings[at++] as StoredScreening;
    const same = Buffer.compare(packFacts(facts), row.facts) === 0 && packVerdict(verdict) === row.verdict;
    if (!same) wrong.push(`${row.seq} ${row.id}`);
  }
  return wrong;
};
