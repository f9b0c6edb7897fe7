import type { ErrorDetail, PolicyChange, PolicyVersions } from '@portcullis/contract';
import { type AccountRule, type Budget, type Model, type Policy, SIGNALS, type Treatment } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Outcome, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { authorOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import { type ByType, makeProposals } from './proposal.ts';
import { insertPolicy, newestPolicies, type PolicyRow, policyVersions } from './store.ts';
import {
  budgetIn,
  type Columns,
  changedColumns,
  findVersion,
  firstRow,
  newestRow,
  type StoredRule,
  storedPolicy,
  thresholdsIn,
  toPolicy,
  withRow,
} from './versions.ts';

export { storedPolicy };

const DEFAULT_LIMIT = 20;
const DEFAULT_DAYS = 30;
const SIGNAL_NAMES = new Set(SIGNALS.map(({ name }) => name));

/** A policy that a thread can decide by. */
export interface ReplayedPolicy {
  readonly policy: Policy;
  readonly rules: readonly StoredRule[];
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

const storedRule = ({ id, name, state }: AccountRule): StoredRule => ({
  rule_id: withPrefix('rule', id),
  name,
  state,
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

const change = async (state: PolicyState, call: Call<'changePolicy'>): Promise<Answer> => {
  const { base, audit, inTurn } = state;
  const { tenant } = call.caller;
  const author = authorOf(call.caller);
  const changed = await inTurn(tenant, () =>
    advance(
      state,
      tenant,
      (row) => changedColumns(row, call.body),
      author,
      (before, after, unit) => {
        const [from, to] = [toPolicy(base, before), toPolicy(base, after)];
        return audit.write(call.caller, { action: 'policy.changed', target: 'policy', before: from, after: to }, unit);
      },
    ),
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
    /**
     * The policy that a decision names, or the one in force, with a change; without model and rules. Undefined if an
     * earlier release decided. Rules and their states are those of the version.
     */
    replayed: async (
      tenant: number,
      rulesetVersion: string | undefined,
      change: PolicyChange = {},
    ): Promise<ReplayedPolicy | undefined> => {
      const row =
        rulesetVersion === undefined
          ? (rows.get(tenant) ?? firstRow(base, tenant))
          : await findVersion(backend, base, tenant, rulesetVersion);
      if (row === undefined) return undefined;
      const { model: _, ...policy } = withRow(base, { ...row, ...changedColumns(row, change) });
      return { policy: { ...policy, treatments: await parts.treatments(tenant) }, rules: JSON.parse(row.rules) };
    },
    versions: (call: Call<'listPolicyVersions'>) => listVersions(state, call),
    propose: (call: Call<'getPolicyProposal'>): Promise<Answer> => propose(state, call),
  };
};
export type Policies = Awaited<ReturnType<typeof makePolicies>>;
