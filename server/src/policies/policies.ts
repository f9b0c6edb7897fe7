import type { AccountPolicy, ErrorDetail, PolicyChange, PolicyVersions } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  type AccountRule,
  type Budget,
  type Model,
  type Policy,
  SIGNALS,
  type Thresholds,
  type Treatment,
} from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Outcome, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { authorOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import { type ByType, makeProposals } from './proposal.ts';
import { insertPolicy, newestPolicies, type PolicyRow, policyVersions } from './store.ts';

const DEFAULT_LIMIT = 20;
const DEFAULT_DAYS = 30;
const SIGNAL_NAMES = new Set(SIGNALS.map(({ name }) => name));

/** A rule in force, as a version of the policy stores it. */
interface StoredRule {
  readonly rule_id: string;
  readonly name: string;
  readonly state: 'live' | 'shadow';
}

/** The parts of an account's policy that other capabilities own. */
export interface PolicyParts {
  /** The model that scores for the tenant. */
  readonly model: (tenant: number) => Model;
  readonly rules: (tenant: number) => Promise<readonly AccountRule[]>;
  readonly treatments: (tenant: number) => Promise<ReadonlyMap<string, Treatment>>;
  /** Tenants that have any of these parts. */
  readonly tenants: () => Promise<readonly number[]>;
}

interface PolicyDeps {
  readonly backend: Backend;
  /** The default policy. */
  readonly base: Policy;
  readonly parts: PolicyParts;
  readonly audit: Audit;
  readonly note: Note;
  readonly clock: () => number;
}
interface PolicyState extends PolicyDeps {
  /** In memory, because every screening needs one. Tenants without any change have none. */
  readonly policies: Map<number, Policy>;
  readonly rows: Map<number, PolicyRow>;
  /** Changes of one tenant run one at a time: each starts from the result of the one before. */
  readonly inTurn: ReturnType<typeof serializeByKey<number>>;
  readonly proposal: ReturnType<typeof makeProposals>;
}
type Columns = Partial<Pick<PolicyRow, 'thresholds' | 'points' | 'budget'>>;

const storedRule = ({ id, name, state }: AccountRule): StoredRule => ({
  rule_id: withPrefix('rule', id),
  name,
  state,
});

const firstRow = (base: Policy, tenant: number): PolicyRow => ({
  tenant,
  version: 0,
  thresholds: JSON.stringify({ transaction: base.thresholds, event: base.eventThresholds ?? base.thresholds }),
  points: '{}',
  rules: '[]',
  budget: null,
  author: null,
  created_at: 0,
});
const versionOf = (base: Policy, { version }: PolicyRow): string =>
  version === 0 ? base.version : `${base.version}.${version}`;

const thresholdsIn = ({ thresholds }: PolicyRow): ByType<Thresholds> => JSON.parse(thresholds);
const budgetIn = ({ budget }: PolicyRow): ByType<Budget | null> => ({
  transaction: null,
  event: null,
  ...(budget === null ? {} : JSON.parse(budget)),
});

/** The policy of a version, without the parts of other capabilities: model, rules and lists. */
const withRow = (base: Policy, row: PolicyRow): Policy => {
  const { transaction, event } = thresholdsIn(row);
  const points = JSON.parse(row.points);
  return {
    ...base,
    version: versionOf(base, row),
    thresholds: transaction,
    eventThresholds: event,
    points: { ...base.points, ...points },
    // Points of the account, also 0, say what the signal is worth there.
    alwaysReviewed: base.alwaysReviewed.filter((name) => !Object.hasOwn(points, name)),
  };
};

const newestRow = async (backend: Backend, base: Policy, tenant: number): Promise<PolicyRow> =>
  (await policyVersions(backend, tenant, undefined, 1)).rows[0] ?? firstRow(base, tenant);

/** Stored thresholds and points of a tenant, by which models are measured. */
export const storedPolicy = async (backend: Backend, base: Policy, tenant: number): Promise<Policy> =>
  withRow(base, await newestRow(backend, base, tenant));

const toPolicy = (base: Policy, row: PolicyRow): AccountPolicy => ({
  version: row.version,
  ruleset_version: versionOf(base, row),
  thresholds: thresholdsIn(row),
  points: JSON.parse(row.points),
  budget: budgetIn(row),
  rules: JSON.parse(row.rules),
  author: row.author,
  updated_at: row.version === 0 ? null : writeTimestamp(row.created_at),
});

/** Screenings after this call are decided by the policy. */
const putInForce = (
  { base, parts, policies, rows }: PolicyState,
  row: PolicyRow,
  rules: readonly AccountRule[],
  treatments: ReadonlyMap<string, Treatment>,
): void => {
  rows.set(row.tenant, row);
  policies.set(row.tenant, {
    ...withRow(base, row),
    model: parts.model(row.tenant),
    ...(rules.length === 0 ? {} : { rules }),
    ...(treatments.size === 0 ? {} : { treatments }),
  });
};

/**
 * Stores the next version if it differs, and puts it in force. It starts from the stored version, not from memory,
 * because another process may have changed it. It retries when another process stores the same version first.
 */
const advance = async (
  state: PolicyState,
  tenant: number,
  change: (before: PolicyRow) => Columns,
  author: string | null,
  store: (before: PolicyRow, after: PolicyRow, unit: Unit) => Promise<Outcome> = (_before, _after, unit) =>
    state.backend.write(unit),
): Promise<PolicyRow> => {
  const { backend, base, parts, note, clock } = state;
  for (;;) {
    const rules = await parts.rules(tenant);
    const treatments = await parts.treatments(tenant);
    const before = await newestRow(backend, base, tenant);
    const storedRules = JSON.stringify(rules.map(storedRule));
    const after = { ...before, ...change(before), rules: storedRules, author, created_at: clock() };
    const isSame =
      after.thresholds === before.thresholds &&
      after.points === before.points &&
      after.rules === before.rules &&
      after.budget === before.budget;
    const next = isSame ? before : { ...after, version: before.version + 1 };
    if (!isSame) {
      const { written } = await store(before, next, [insertPolicy(next), ...note(tenant, 'policy')]);
      if (!written) continue;
    }
    putInForce(state, next, rules, treatments);
    return next;
  }
};

/** Errors that the schema cannot express. They are returned together with those of the schema. */
const pointErrors = ({ points }: { readonly points?: unknown }): ErrorDetail[] =>
  Object.keys(typeof points === 'object' && points !== null ? points : {})
    .filter((name) => !SIGNAL_NAMES.has(name))
    .map((name) => ({
      field: `points.${name}`,
      message: 'must be the name of a signal; docs/signals.md lists them',
    }));

/** Always in the same order of fields, and null without any: an equal budget must make no version. */
const storedBudget = ({ transaction, event }: NonNullable<PolicyChange['budget']>): string | null =>
  transaction === undefined && event === undefined ? null : JSON.stringify({ transaction, event });

const change = async (state: PolicyState, call: Call<'changePolicy'>): Promise<Answer> => {
  const { base, audit, inTurn } = state;
  const { thresholds, points, budget } = call.body;
  const { tenant } = call.caller;
  const author = authorOf(call.caller);
  const changedColumns = (before: PolicyRow): Columns => ({
    ...(thresholds === undefined ? {} : { thresholds: JSON.stringify({ ...thresholdsIn(before), ...thresholds }) }),
    ...(points === undefined ? {} : { points: JSON.stringify(points) }),
    ...(budget === undefined ? {} : { budget: storedBudget(budget) }),
  });
  const changed = await inTurn(tenant, () =>
    advance(state, tenant, changedColumns, author, (before, after, unit) => {
      const [from, to] = [toPolicy(base, before), toPolicy(base, after)];
      return audit.write(call.caller, { action: 'policy.changed', target: 'policy', before: from, after: to }, unit);
    }),
  );
  return call.answer(toPolicy(base, changed));
};

const listVersions = async ({ backend, base }: PolicyState, call: Call<'listPolicyVersions'>): Promise<Answer> => {
  const { limit = DEFAULT_LIMIT, before } = call.query;
  const { rows, hasMore } = await policyVersions(backend, call.caller.tenant, before, limit);
  const versions = rows.map((row) => toPolicy(base, row));
  return call.answer({ versions, has_more: hasMore } satisfies PolicyVersions);
};

const propose = async ({ base, rows, proposal }: PolicyState, call: Call<'getPolicyProposal'>) => {
  const { tenant } = call.caller;
  const row = rows.get(tenant) ?? firstRow(base, tenant);
  const policy = { thresholds: thresholdsIn(row), budget: budgetIn(row) };
  return call.answer(await proposal(tenant, call.query.days ?? DEFAULT_DAYS, policy));
};

/** The policy of each tenant: the default policy, with the changes of the account. */
export const makePolicies = async (deps: PolicyDeps) => {
  const state: PolicyState = {
    ...deps,
    policies: new Map(),
    rows: new Map(),
    inTurn: serializeByKey<number>(),
    proposal: makeProposals(deps.backend, deps.clock),
  };
  const { backend, base, parts, policies, rows, inTurn } = state;
  for (const row of await newestPolicies(backend)) rows.set(row.tenant, row);
  for (const tenant of new Set([...rows.keys(), ...(await parts.tenants())]))
    await advance(state, tenant, () => ({}), null);

  return {
    of: (tenant: number): Policy => policies.get(tenant) ?? base,
    /** What the tenant accepts to hold; null where it has set nothing. */
    budgetOf: (tenant: number): ByType<Budget | null> => budgetIn(rows.get(tenant) ?? firstRow(base, tenant)),
    pointErrors,
    change: (call: Call<'changePolicy'>) => change(state, call),
    /**
     * Call it when a part of the tenant's policy changed, in any process. Resolves when the stored parts are in
     * force.
     */
    changed: async (tenant: number, author: string | null = null): Promise<void> => {
      await inTurn(tenant, () => advance(state, tenant, () => ({}), author));
    },
    get: async (call: Call<'getPolicy'>): Promise<Answer> => {
      const { tenant } = call.caller;
      return call.answer(toPolicy(base, rows.get(tenant) ?? firstRow(base, tenant)));
    },
    versions: (call: Call<'listPolicyVersions'>) => listVersions(state, call),
    propose: (call: Call<'getPolicyProposal'>): Promise<Answer> => propose(state, call),
  };
};
export type Policies = Awaited<ReturnType<typeof makePolicies>>;
