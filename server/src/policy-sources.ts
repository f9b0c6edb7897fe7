import type { Environment } from '@portcullis/contract';
import type { IdentitiesOf, Policy, RuleInput } from '@portcullis/engine';
import type { Audit } from './audit/audit.ts';
import type { Backend, Connection } from './backend/backend.ts';
import type { Note, Part, Refresh } from './changes/changes.ts';
import { makeLists } from './lists/lists.ts';
import type { LoadedModel } from './models/champions.ts';
import { type Models, makeModels } from './models/models.ts';
import { makePolicies, type Policies, storedPolicy } from './policies/policies.ts';
import { makeRules } from './rules/rules.ts';
import type { IdentifierTags } from './runtime/identifier-tags.ts';
import type { NewId } from './runtime/ids.ts';
import type { Log } from './runtime/log.ts';
import type { Metrics } from './runtime/metrics.ts';

/**
 * The sources of policies: rules, lists, models and thresholds. A change of one, in any process, rebuilds the policy.
 */
/** Announces that the file of the champion changed. */
export interface ChangedFile {
  readonly account: string;
}

export const makePolicySources = async (deps: {
  backend: Backend;
  connect: () => Connection;
  identities: IdentitiesOf;
  base: LoadedModel;
  /** The policy of an account that changed nothing. */
  policy: Policy;
  audit: Audit;
  tags: IdentifierTags;
  note: Note;
  tenantOf: (account: string, environment: Environment) => Promise<number>;
  namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  inputOf: (tenant: number, subjectId: string) => Promise<RuleInput | undefined>;
  trainDaily: boolean;
  runsJobs: boolean;
  newId: NewId;
  clock: () => number;
  log: Log;
  metrics: Metrics;
  /** Limit of list entries. */
  maxEntries?: number | undefined;
}) => {
  const { backend, policy } = deps;
  const rules = makeRules({
    ...deps,
    changed: (tenant, author) => policies.changed(tenant, author),
    listNames: async (tenant) => (await lists.treatments(tenant)).keys(),
  });
  const lists = await makeLists({
    ...deps,
    changed: (tenant) => policies.changed(tenant),
    isUsed: rules.usesList,
    testAddresses: policy.testAddresses,
  });
  const models: Models = await makeModels({
    ...deps,
    policyOf: (tenant) => storedPolicy(backend, policy, tenant),
    changed: (tenant) => policies.changed(tenant),
  });
  const parts = {
    model: models.of,
    rules: rules.compiled,
    treatments: lists.treatments,
    tenants: async () => [...(await rules.tenants()), ...(await lists.tenants()), ...(await models.tenants())],
  };
  const policies: Policies = await makePolicies({ ...deps, base: policy, parts });

  return {
    rules,
    lists,
    models,
    policies,
    /** Loads a part that another process changed. */
    refresh: {
      policy: (tenant) => policies.changed(tenant),
      rules: (tenant) => policies.changed(tenant),
      lists: async (tenant, detail) => {
        await lists.refresh(tenant, detail);
        await policies.changed(tenant);
      },
      model: (_tenant, detail) =>
        typeof detail === 'string' ? models.refresh(detail) : models.reload((detail as ChangedFile).account),
    } satisfies Partial<Record<Part, Refresh>>,
  };
};
