import type { AccountPolicy, PolicyChange } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Budget, Policy, Thresholds } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { ByType } from './proposal.ts';
import { findPolicy, type PolicyRow, policyVersions } from './store.ts';

/** Versions of a policy, as they are stored and as screenings use them. */

/** A rule in force, as a version of the policy stores it. */
export interface StoredRule {
  readonly rule_id: string;
  readonly name: string;
  readonly state: 'live' | 'shadow';
}

export type Columns = Partial<Pick<PolicyRow, 'thresholds' | 'points' | 'budget'>>;

export const firstRow = (base: Policy, tenant: number): PolicyRow => ({
  tenant,
  version: 0,
  thresholds: JSON.stringify({ transaction: base.thresholds, event: base.eventThresholds ?? base.thresholds }),
  points: '{}',
  rules: '[]',
  budget: null,
  author: null,
  created_at: 0,
});
export const versionOf = (base: Policy, { version }: PolicyRow): string =>
  version === 0 ? base.version : `${base.version}.${version}`;

export const thresholdsIn = ({ thresholds }: PolicyRow): ByType<Thresholds> => JSON.parse(thresholds);
export const budgetIn = ({ budget }: PolicyRow): ByType<Budget | null> => ({
  transaction: null,
  event: null,
  ...(budget === null ? {} : JSON.parse(budget)),
});

/** Points of the account, even 0, say what a signal is worth there: the signal no longer leads to a review by itself. */
export const withPoints = (
  base: Policy,
  points: Readonly<Record<string, number>>,
): Pick<Policy, 'points' | 'alwaysReviewed'> => ({
  points: { ...base.points, ...points },
  alwaysReviewed: base.alwaysReviewed.filter((name) => !Object.hasOwn(points, name)),
});

/** The policy of a version, without the parts of other capabilities: model, rules and lists. */
export const withRow = (base: Policy, row: PolicyRow): Policy => {
  const { transaction, event } = thresholdsIn(row);
  return {
    ...base,
    version: versionOf(base, row),
    thresholds: transaction,
    eventThresholds: event,
    ...withPoints(base, JSON.parse(row.points)),
  };
};

export const newestRow = async (backend: Backend, base: Policy, tenant: number): Promise<PolicyRow> =>
  (await policyVersions(backend, tenant, undefined, 1)).rows[0] ?? firstRow(base, tenant);

/** Stored thresholds and points of a tenant, by which models are measured. */
export const storedPolicy = async (backend: Backend, base: Policy, tenant: number): Promise<Policy> =>
  withRow(base, await newestRow(backend, base, tenant));

export const toPolicy = (base: Policy, row: PolicyRow): AccountPolicy => ({
  version: row.version,
  ruleset_version: versionOf(base, row),
  thresholds: thresholdsIn(row),
  points: JSON.parse(row.points),
  budget: budgetIn(row),
  rules: JSON.parse(row.rules),
  author: row.author,
  updated_at: row.version === 0 ? null : writeTimestamp(row.created_at),
});

/** Always in the same order of fields, and null without any: an equal budget must make no version. */
const storedBudget = ({ transaction, event }: NonNullable<PolicyChange['budget']>): string | null =>
  transaction === undefined && event === undefined ? null : JSON.stringify({ transaction, event });

/** What a change makes of a version. */
export const changedColumns = (before: PolicyRow, { thresholds, points, budget }: PolicyChange): Columns => ({
  ...(thresholds === undefined ? {} : { thresholds: JSON.stringify({ ...thresholdsIn(before), ...thresholds }) }),
  ...(points === undefined ? {} : { points: JSON.stringify(points) }),
  ...(budget === undefined ? {} : { budget: storedBudget(budget) }),
});

/** The version that a decision names; undefined if an earlier release decided, whose default policy is not known. */
export const findVersion = async (
  backend: Backend,
  base: Policy,
  tenant: number,
  rulesetVersion: string,
): Promise<PolicyRow | undefined> => {
  if (rulesetVersion === base.version) return firstRow(base, tenant);
  const prefix = `${base.version}.`;
  const version = rulesetVersion.startsWith(prefix) ? Number(rulesetVersion.slice(prefix.length)) : Number.NaN;
  return Number.isSafeInteger(version) ? findPolicy(backend, tenant, version) : undefined;
};
