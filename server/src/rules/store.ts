import { RULE_STATES, type RuleState } from '@portcullis/contract/values';
import type { Backend, Statement } from '../backend/backend.ts';

export interface RuleRow {
  readonly id: string;
  readonly tenant: number;
  readonly name: string;
  readonly description: string;
  readonly expression: string;
  /** JSON. */
  readonly action: string;
  /** JSON array. */
  readonly subject_types: string;
  readonly state: RuleState;
  readonly expires_at: number | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}
/** A rule with the number of matches of its current version. */
export type CountedRule = RuleRow & { readonly matched: number };

export const UNRETIRED = RULE_STATES.filter((state) => state !== 'retired');

const COLUMNS =
  'id, tenant, name, description, expression, action, subject_types, state, expires_at, version, created_at, updated_at';
const COUNTED = `SELECT ${COLUMNS.replaceAll(/\w+/g, 'rules.$&')}, COALESCE(matched, 0) AS matched FROM rules
  LEFT JOIN rule_counts ON rule_counts.rule_id = rules.id AND rule_counts.version = rules.version`;

const valuesOf = (row: RuleRow) => [
  row.id,
  row.tenant,
  row.name,
  row.description,
  row.expression,
  row.action,
  row.subject_types,
  row.state,
  row.expires_at,
  row.version,
  row.created_at,
  row.updated_at,
];

export const findRule = async (backend: Backend, tenant: number, id: string): Promise<CountedRule | undefined> =>
  (await backend.read<CountedRule>(`${COUNTED} WHERE rules.id = ? AND rules.tenant = ?`, id, tenant))[0];

/** The rules of a tenant in these states, in order of creation. */
export const rulesIn = (backend: Backend, tenant: number, states: readonly RuleState[]): Promise<CountedRule[]> =>
  backend.readLong<CountedRule>(
    tenant,
    `${COUNTED} WHERE rules.tenant = ? AND rules.state IN (${states.map(() => '?').join(', ')}) ORDER BY rules.id`,
    tenant,
    ...states,
  );

/** The newest retired rules of a tenant, in order of creation. Their number is not limited. */
export const retiredRules = async (backend: Backend, tenant: number, limit: number): Promise<CountedRule[]> =>
  (
    await backend.readLong<CountedRule>(
      tenant,
      `${COUNTED} WHERE rules.tenant = ? AND rules.state = 'retired' ORDER BY rules.id DESC LIMIT ?`,
      tenant,
      limit,
    )
  ).reverse();

/** Tenants with live or shadow rules. */
export const tenantsWithRules = async (backend: Backend): Promise<number[]> =>
  (await backend.read<{ tenant: number }>("SELECT DISTINCT tenant FROM rules WHERE state IN ('shadow', 'live')")).map(
    ({ tenant }) => tenant,
  );

const NAME_IS_FREE = `NOT EXISTS (SELECT 1 FROM rules WHERE tenant = ? AND name = ? AND state <> 'retired' AND id <> ?)`;

/** Writes nothing if the name is taken or the tenant has `max` rules. */
export const insertRule = (row: RuleRow, max: number): Statement => ({
  sql: `INSERT INTO rules (${COLUMNS}) SELECT ${valuesOf(row)
    .map(() => '?')
    .join(', ')} WHERE ${NAME_IS_FREE}
    AND (SELECT COUNT(*) FROM rules WHERE tenant = ? AND state <> 'retired') < ?`,
  params: [...valuesOf(row), row.tenant, row.name, row.id, row.tenant, max],
  expect: 1,
});

/** Writes nothing if the rule changed since it was read, or if the name is taken. */
export const updateRule = (before: RuleRow, row: RuleRow): Statement => ({
  sql: `UPDATE rules SET name = ?, description = ?, expression = ?, action = ?, subject_types = ?, state = ?, expires_at = ?,
    version = ?, updated_at = ? WHERE id = ? AND tenant = ? AND version = ? AND ${NAME_IS_FREE}`,
  params: [
    row.name,
    row.description,
    row.expression,
    row.action,
    row.subject_types,
    row.state,
    row.expires_at,
    row.version,
    row.updated_at,
    row.id,
    row.tenant,
    before.version,
    row.tenant,
    row.name,
    row.id,
  ],
  expect: 1,
});

export const deleteRule = (row: RuleRow): Statement => ({
  sql: 'DELETE FROM rules WHERE id = ? AND tenant = ? AND version = ?',
  params: [row.id, row.tenant, row.version],
  expect: 1,
});
