import type { Environment } from '@portcullis/contract';
import type { Policy } from '@portcullis/engine';
import type { Seal } from './access/seal.ts';
import { makeAudit } from './audit/audit.ts';
import type { Backend, Connection } from './backend/backend.ts';
import type { Note, Refresh } from './changes/changes.ts';
import type { Part } from './changes/store.ts';
import type { NewId } from './ids.ts';
import { makeLists } from './lists/lists.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Loaded } from './models/champions.ts';
import { type Models, makeModels } from './models/models.ts';
import { makePolicies, type Policies, storedPolicy } from './policies/policies.ts';
import { makeRules } from './rules/rules.ts';

/** What decides for each account, put together: its rules, lists, model and policy, each told of changes of the others, here and in other processes. */
export const makeDeciding = async (deps: {
  backend: Backend;
  connect: () => Connection;
  base: Loaded;
  /** What decides where an account changed nothing. */
  policy: Policy;
  seal: Seal;
  note: Note;
  tenantOf: (account: string, environment: Environment) => Promise<number>;
  trainDaily: boolean;
  runsJobs: boolean;
  newId: NewId;
  clock: () => number;
  log: Log;
  metrics: Metrics;
}) => {
  const { backend, policy } = deps;
  const audit = makeAudit(deps);
  const rules = makeRules({
    ...deps,
    audit,
    changed: (tenant, author) => policies.changed(tenant, author),
    listNames: async (tenant) => (await lists.treatments(tenant)).keys(),
  });
  const lists = await makeLists({
    ...deps,
    audit,
    changed: (tenant) => policies.changed(tenant),
    isUsed: rules.usesList,
    testAddresses: policy.testAddresses,
  });
  const models: Models = await makeModels({
    ...deps,
    audit,
    policyOf: (tenant) => storedPolicy(backend, policy, tenant),
    changed: (tenant) => policies.changed(tenant),
  });
  const parts = {
    model: models.of,
    rules: rules.compiled,
    treatments: lists.treatments,
    tenants: async () => [...(await rules.tenants()), ...(await lists.tenants()), ...(await models.tenants())],
  };
  const policies: Policies = await makePolicies({ ...deps, base: policy, parts, audit });

  return {
    audit,
    rules,
    lists,
    models,
    policies,
    /** What to do where another process changed one of these. */
    refresh: {
      policy: (tenant) => policies.changed(tenant),
      rules: (tenant) => policies.changed(tenant),
      lists: async (tenant, detail) => {
        await lists.refresh(tenant, detail);
        await policies.changed(tenant);
      },
      model: (_tenant, account) => models.refresh(account as string),
    } satisfies Partial<Record<Part, Refresh>>,
  };
};
