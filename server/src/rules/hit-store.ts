import type { DecisionValue } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Page, type Statement } from '../backend/backend.ts';
import { labelInForce } from '../backend/journal-by-number.ts';
import { firstSeqAt, seqOf } from '../runtime/ids.ts';

/** The same as the retention of decisions. */
export const RETENTION_MS = 90 * 24 * 3_600_000;

export interface HitRow {
  readonly screening_id: string;
  readonly at: number;
  readonly state: 'shadow' | 'live';
  readonly version: number;
  /** The decision, or in shadow the decision that the rule would have made. */
  readonly decision: DecisionValue;
}

const INSERT = `INSERT INTO rule_hits (rule_id, seq, tenant, screening_id, at, state, version, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const COUNT = `INSERT INTO rule_counts (rule_id, version, tenant, matched) VALUES (?, ?, ?, 1)
  ON CONFLICT (rule_id, version) DO UPDATE SET matched = rule_counts.matched + 1`;

export const insertHit = (tenant: number, ruleId: string, hit: HitRow): Statement[] => [
  {
    sql: INSERT,
    params: [ruleId, seqOf(hit.screening_id), tenant, hit.screening_id, hit.at, hit.state, hit.version, hit.decision],
  },
  { sql: COUNT, params: [ruleId, hit.version, tenant] },
];

/** Whether any version of the rule ever matched. */
export const hasMatched = async (backend: Backend, ruleId: string): Promise<boolean> =>
  (await backend.read('SELECT 1 FROM rule_counts WHERE rule_id = ? LIMIT 1', ruleId)).length > 0;

/** The hits of a rule within the retention, newest first, older than `before`. */
export const hitsOf = (
  backend: Backend,
  tenant: number,
  ruleId: string,
  now: number,
  before: string | undefined,
  limit: number,
): Promise<Page<HitRow>> =>
  backend.readPage<HitRow>(
    tenant,
    limit,
    `SELECT screening_id, at, state, version, decision FROM rule_hits
      WHERE rule_id = ? AND tenant = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
    ruleId,
    tenant,
    firstSeqAt(now - RETENTION_MS),
    before === undefined ? Number.MAX_SAFE_INTEGER : seqOf(before),
  );

export interface DayOfHits {
  /** The number of days since 1970. */
  readonly day: number;
  readonly hits: number;
  readonly shadow: number;
  readonly fraud: number;
  readonly legitimate: number;
}
const sumOf = (condition: string): string => `CAST(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`;
const BY_DAY = `SELECT day, COUNT(*) AS hits, ${sumOf("state = 'shadow'")} AS shadow,
    ${sumOf("label = 'fraud'")} AS fraud, ${sumOf("label = 'legitimate'")} AS legitimate
  FROM (SELECT h.at / 86400000 AS day, h.state, ${labelInForce('h.tenant', 'h.seq')} AS label FROM rule_hits h
    WHERE h.rule_id = ? AND h.tenant = ? AND h.seq >= ? AND h.at >= ? AND h.at < ?) AS labelled
  GROUP BY day`;
/** The hits of a rule by day, from one time until another, with the labels in force. A number is never before its time. */
export const hitsByDay = (
  backend: Backend,
  tenant: number,
  ruleId: string,
  from: number,
  until: number,
): Promise<DayOfHits[]> => backend.readLong<DayOfHits>(tenant, BY_DAY, ruleId, tenant, firstSeqAt(from), from, until);

const nextWithHits = async (backend: Backend, after: string): Promise<string | undefined> =>
  (
    await backend.readLong<{ id: string | null }>(
      NO_TENANT,
      'SELECT MIN(rule_id) AS id FROM rule_hits WHERE rule_id > ?',
      after,
    )
  )[0]?.id ?? undefined;

/** Deletes up to `limit` hits older than the retention, of all tenants. Returns how many it deleted. */
export const sweepHits = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const oldestKept = firstSeqAt(now - RETENTION_MS);
  let deleted = 0;
  for (let id = await nextWithHits(backend, ''); id !== undefined; id = await nextWithHits(backend, id)) {
    const oldest = await backend.readLong<{ seq: number }>(
      NO_TENANT,
      'SELECT seq FROM rule_hits WHERE rule_id = ? AND seq < ? ORDER BY seq LIMIT ?',
      id,
      oldestKept,
      limit - deleted,
    );
    const last = oldest.at(-1);
    if (last === undefined) continue;
    await backend.write([{ sql: 'DELETE FROM rule_hits WHERE rule_id = ? AND seq <= ?', params: [id, last.seq] }]);
    deleted += oldest.length;
    if (deleted >= limit) break;
  }
  return deleted;
};
