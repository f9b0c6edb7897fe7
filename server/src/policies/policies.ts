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
import type { Backend } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../ids.ts';
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

/** What decides for each tenant: the policy that ships, and over it what the account made of it. Kept in memory: it is asked with every screening. */
export const makePolicies = async (deps: {
  backend: Backend;
  base: Policy;
  parts: PolicyParts;
  audit: Audit;
  clock: () => number;
}) => {
  const { backend, base, parts, audit, clock } = deps;
  const policies = new Map<number, Policy>();
  const rows = new Map<number, PolicyRow>();

  const first = (tenant: number): PolicyRow => ({
    tenant,
    version: 0,
    thresholds: JSON.stringify({ transaction: base.thresholds, event: base.eventThresholds ?? base.thresholds }),
    points: '{}',
    rules: '[]',
    author: null,
    created_at: 0,
  });
  const rowOf = (tenant: number): PolicyRow => rows.get(tenant) ?? first(tenant);
  const versionOf = ({ version }: PolicyRow): string => (version === 0 ? base.version : `${base.version}.${version}`);

  const toPolicy = (row: PolicyRow): AccountPolicy => ({
    version: row.version,
    ruleset_version: versionOf(row),
    thresholds: JSON.parse(row.thresholds),
    points: JSON.parse(row.points),
    rules: JSON.parse(row.rules),
    author: row.author,
    updated_at: row.version === 0 ? null : writeTimestamp(row.created_at),
  });

  /** From here on screenings are decided by it. */
  const putInForce = (row: PolicyRow, rules: readonly OwnRule[], treatments: ReadonlyMap<string, Treatment>): void => {
    const { transaction, event } = JSON.parse(row.thresholds) as ByType;
    rows.set(row.tenant, row);
    policies.set(row.tenant, {
      ...base,
      model: parts.model(row.tenant),
      version: versionOf(row),
      thresholds: transaction,
      eventThresholds: event,
      points: { ...base.points, ...JSON.parse(row.points) },
      ...(rules.length === 0 ? {} : { rules }),
      ...(treatments.size === 0 ? {} : { treatments }),
    });
  };

  /** Stores the next version if it differs, and puts it in force. Again when another process made the same version first. */
  const advance = async (
    tenant: number,
    change: { thresholds?: string; points?: string },
    author: string | null,
    more: (before: PolicyRow, after: PolicyRow) => Parameters<Backend['write']>[0] = () => [],
  ): Promise<PolicyRow> => {
    for (;;) {
      const rules = await parts.rules(tenant);
      const treatments = await parts.treatments(tenant);
      const before = rowOf(tenant);
      const after = { ...before, ...change, rules: JSON.stringify(rules.map(keep)), author, created_at: clock() };
      const same =
        after.thresholds === before.thresholds && after.points === before.points && after.rules === before.rules;
      const next = same ? before : { ...after, version: before.version + 1 };
      const statements = more(before, next);
      const unit = same ? statements : [insertPolicy(next), ...statements];
      const { written } = unit.length === 0 ? { written: true } : await backend.write(unit);
      if (written) {
        putInForce(next, rules, treatments);
        return next;
      }
      const [newest] = await policyVersions(backend, tenant, undefined, 1);
      if (newest !== undefined) rows.set(tenant, newest);
    }
  };

  /** Changes of one tenant come one after the other: each is made of what the one before left. */
  const queues = new Map<number, Promise<unknown>>();
  const inTurn = <T>(tenant: number, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(tenant) ?? Promise.resolve()).then(work, work);
    queues.set(tenant, turn);
    return turn;
  };

  for (const row of await newestPolicies(backend)) rows.set(row.tenant, row);
  for (const tenant of new Set([...rows.keys(), ...(await parts.tenants())])) await advance(tenant, {}, null);

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
    let answer: Answer | undefined;
    await inTurn(tenant, () => {
      const now = JSON.parse(rowOf(tenant).thresholds) as ByType;
      const wanted = {
        ...(thresholds === undefined ? {} : { thresholds: JSON.stringify({ ...now, ...thresholds }) }),
        ...(points === undefined ? {} : { points: JSON.stringify(points) }),
      };
      return advance(tenant, wanted, author, (before, after) => {
        answer = call.answer(toPolicy(after));
        const entry = audit.entry(call.caller, 'policy.changed', 'policy', toPolicy(before), toPolicy(after));
        return before === after ? answer.statements : [...entry, ...answer.statements];
      });
    });
    await audit.seal(tenant);
    return answer as Answer;
  };

  return {
    of: (tenant: number): Policy => policies.get(tenant) ?? base,
    pointFaults,
    change,
    /** A rule or a list of the tenant changed. Resolves when screenings are decided by what is stored now. */
    changed: async (tenant: number, author: string | null = null): Promise<void> => {
      await inTurn(tenant, () => advance(tenant, {}, author));
      await audit.seal(tenant);
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
