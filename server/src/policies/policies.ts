import {
  type AccountPolicy,
  type ErrorDetail,
  type PolicyChange,
  type PolicyQuery,
  type PolicyVersions,
  writeTimestamp,
} from '@portcullis/contract';
import { type Model, type OwnRule, type Policy, SIGNALS, type Thresholds, type Treatment } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Outcome, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../ids.ts';
import { makeTurns } from '../turns.ts';
import { insertPolicy, newestPolicies, type PolicyRow, policyVersions } from './store.ts';

const DEFAULT_LIMIT = 20;
const SIGNAL_NAMES = new Set(SIGNALS.map(({ name }) => name));

interface ByType {
  readonly transaction: Thresholds;
  readonly event: Thresholds;
}
/** As a version keeps it: enough to tell later what was asked. */
interface KeptRule {
  readonly rule_id: string;
  readonly name: string;
  readonly state: 'live' | 'shadow';
}

/** Where the parts of an account's policy come from. */
export interface PolicyParts {
  /** Which model scores for the tenant. */
  readonly model: (tenant: number) => Model;
  readonly rules: (tenant: number) => Promise<readonly OwnRule[]>;
  readonly treatments: (tenant: number) => Promise<ReadonlyMap<string, Treatment>>;
  /** Tenants that have any of these. */
  readonly tenants: () => Promise<readonly number[]>;
}

const keep = ({ id, name, state }: OwnRule): KeptRule => ({ rule_id: withPrefix('rule', id), name, state });

const firstRow = (base: Policy, tenant: number): PolicyRow => ({
  tenant,
  version: 0,
  thresholds: JSON.stringify({ transaction: base.thresholds, event: base.eventThresholds ?? base.thresholds }),
  points: '{}',
  rules: '[]',
  author: null,
  created_at: 0,
});
const versionOf = (base: Policy, { version }: PolicyRow): string =>
  version === 0 ? base.version : `${base.version}.${version}`;

/** As a version has it, without what others keep: model, rules and lists. */
const withRow = (base: Policy, row: PolicyRow): Policy => {
  const { transaction, event } = JSON.parse(row.thresholds) as ByType;
  return {
    ...base,
    version: versionOf(base, row),
    thresholds: transaction,
    eventThresholds: event,
    points: { ...base.points, ...JSON.parse(row.points) },
  };
};

const newestRow = async (backend: Backend, base: Policy, tenant: number): Promise<PolicyRow> =>
  (await policyVersions(backend, tenant, undefined, 1))[0] ?? firstRow(base, tenant);

/** Thresholds and points of a tenant as they are stored, for who measures a model by them. */
export const storedPolicy = async (backend: Backend, base: Policy, tenant: number): Promise<Policy> =>
  withRow(base, await newestRow(backend, base, tenant));

/** What decides for each tenant: the policy that ships, and over it what the account made of it. Kept in memory: it is asked with every screening. */
export const makePolicies = async (deps: {
  backend: Backend;
  base: Policy;
  parts: PolicyParts;
  audit: Audit;
  note: Note;
  clock: () => number;
}) => {
  const { backend, base, parts, audit, clock } = deps;
  const policies = new Map<number, Policy>();
  const rows = new Map<number, PolicyRow>();

  const rowOf = (tenant: number): PolicyRow => rows.get(tenant) ?? firstRow(base, tenant);

  const toPolicy = (row: PolicyRow): AccountPolicy => ({
    version: row.version,
    ruleset_version: versionOf(base, row),
    thresholds: JSON.parse(row.thresholds),
    points: JSON.parse(row.points),
    rules: JSON.parse(row.rules),
    author: row.author,
    updated_at: row.version === 0 ? null : writeTimestamp(row.created_at),
  });

  /** From here on screenings are decided by it. */
  const putInForce = (row: PolicyRow, rules: readonly OwnRule[], treatments: ReadonlyMap<string, Treatment>): void => {
    rows.set(row.tenant, row);
    policies.set(row.tenant, {
      ...withRow(base, row),
      model: parts.model(row.tenant),
      ...(rules.length === 0 ? {} : { rules }),
      ...(treatments.size === 0 ? {} : { treatments }),
    });
  };

  /**
   * Stores the next version if it differs, and puts it in force. What was there before is read from the store, not from memory: another process may have
   * changed it. Again when one makes the same version first.
   */
  const advance = async (
    tenant: number,
    change: (before: PolicyRow) => { thresholds?: string; points?: string },
    author: string | null,
    store: (before: PolicyRow, after: PolicyRow, unit: Unit) => Promise<Outcome> = (_before, _after, unit) =>
      backend.write(unit),
  ): Promise<PolicyRow> => {
    for (;;) {
      const rules = await parts.rules(tenant);
      const treatments = await parts.treatments(tenant);
      const before = await newestRow(backend, base, tenant);
      const kept = JSON.stringify(rules.map(keep));
      const after = { ...before, ...change(before), rules: kept, author, created_at: clock() };
      const same =
        after.thresholds === before.thresholds && after.points === before.points && after.rules === before.rules;
      const next = same ? before : { ...after, version: before.version + 1 };
      if (!same) {
        const { written } = await store(before, next, [insertPolicy(next), ...deps.note(tenant, 'policy')]);
        if (!written) continue;
      }
      putInForce(next, rules, treatments);
      return next;
    }
  };

  /** Changes of one tenant come one after the other: each is made of what the one before left. */
  const inTurn = makeTurns<number>();

  for (const row of await newestPolicies(backend)) rows.set(row.tenant, row);
  for (const tenant of new Set([...rows.keys(), ...(await parts.tenants())])) await advance(tenant, () => ({}), null);

  /** Told together with the faults of the other members. */
  const pointFaults = ({ points }: { readonly points?: unknown }): ErrorDetail[] =>
    Object.keys(typeof points === 'object' && points !== null ? points : {})
      .filter((name) => !SIGNAL_NAMES.has(name))
      .map((name) => ({
        field: `points.${name}`,
        message: 'must be the name of a signal; docs/signals.md lists them',
      }));

  const change = async (call: Call): Promise<Answer> => {
    const { thresholds, points } = call.body as PolicyChange;
    const { tenant } = call.caller;
    const author = withPrefix('key', call.caller.keyId);
    const wanted = (before: PolicyRow) => {
      const now = JSON.parse(before.thresholds) as ByType;
      return {
        ...(thresholds === undefined ? {} : { thresholds: JSON.stringify({ ...now, ...thresholds }) }),
        ...(points === undefined ? {} : { points: JSON.stringify(points) }),
      };
    };
    const changed = await inTurn(tenant, () =>
      advance(tenant, wanted, author, (before, after, unit) => {
        const told = { action: 'policy.changed', target: 'policy', before: toPolicy(before), after: toPolicy(after) };
        return audit.write(call.caller, told, unit);
      }),
    );
    return call.answer(toPolicy(changed));
  };

  return {
    of: (tenant: number): Policy => policies.get(tenant) ?? base,
    pointFaults,
    change,
    /** Something of the tenant changed, here or in another process. Resolves when screenings are decided by what is stored now. */
    changed: async (tenant: number, author: string | null = null): Promise<void> => {
      await inTurn(tenant, () => advance(tenant, () => ({}), author));
    },
    get: async (call: Call): Promise<Answer> => call.answer(toPolicy(rowOf(call.caller.tenant))),
    versions: async (call: Call): Promise<Answer> => {
      const { limit = DEFAULT_LIMIT, before } = call.query as PolicyQuery;
      const found = await policyVersions(backend, call.caller.tenant, before, limit + 1);
      const list: PolicyVersions = { versions: found.slice(0, limit).map(toPolicy), has_more: found.length > limit };
      return call.answer(list);
    },
  };
};
export type Policies = Awaited<ReturnType<typeof makePolicies>>;
