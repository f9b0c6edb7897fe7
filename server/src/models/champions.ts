import type { ModelFile } from '@portcullis/contract';
import { ENVIRONMENTS, type Environment } from '@portcullis/contract/values';
import type { Model } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { readModelFile } from './model-file.ts';
import { allChampions, findBase, findModel, type ModelRow, putBase, storedChampion } from './store.ts';

/** A model and the file it was read from. */
export interface LoadedModel {
  readonly file: ModelFile;
  readonly model: Model;
}
export interface Champion extends LoadedModel {
  /** Items from this time on were not used in its training. */
  readonly learnedUntil: number;
}

interface ChampionDeps {
  readonly backend: Backend;
  readonly base: LoadedModel;
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
  readonly log: Log;
}
interface ChampionState extends ChampionDeps {
  readonly base: Champion;
  readonly byAccount: Map<string, Champion>;
  readonly byTenant: Map<number, Champion>;
  /** The stored version, also of a champion that cannot be read. Accounts with the base model have none. */
  readonly versions: Map<string, string>;
}

/** Undefined where the base model scores. */
const readChampion = ({ log }: ChampionState, row: ModelRow | undefined): Champion | undefined => {
  if (row === undefined) return undefined;
  try {
    return { ...readModelFile(row.file), learnedUntil: row.learned_until };
  } catch (error) {
    // The model of one account must not keep the service from starting for all others.
    log.error(
      { account: row.account, model_version: row.model_version, reason: (error as Error).message },
      'the model of an account cannot be read: the base model scores instead; train the account again',
    );
    return undefined;
  }
};

/** Sets the champion in memory; undefined for the base model. Returns the tenants it scores for. */
const put = async (
  { tenantOf, byAccount, byTenant, versions }: ChampionState,
  account: string,
  version: string | undefined,
  champion: Champion | undefined,
): Promise<readonly number[]> => {
  // Both tenants of the account, used or not: a key created later must be scored by the same model.
  const tenants = await Promise.all(ENVIRONMENTS.map((environment) => tenantOf(account, environment)));
  if (version === undefined) versions.delete(account);
  else versions.set(account, version);
  if (champion === undefined) byAccount.delete(account);
  else byAccount.set(account, champion);
  for (const tenant of tenants) {
    if (champion === undefined) byTenant.delete(tenant);
    else byTenant.set(tenant, champion);
  }
  return tenants;
};

/** Loads the champion that another process promoted. Returns the tenants whose model changed. */
const refresh = async (state: ChampionState, account: string): Promise<readonly number[]> => {
  const { backend, versions } = state;
  const version = await storedChampion(backend, account);
  if (version === versions.get(account)) return [];
  const row = version === undefined ? undefined : await findModel(backend, account, version);
  return put(state, account, version, readChampion(state, row));
};

const fileOf = async (state: ChampionState, account: string, version: string): Promise<string | undefined> => {
  const { backend, base, byAccount } = state;
  const inMemory = [base, byAccount.get(account)].find((champion) => champion?.model.version === version);
  if (inMemory !== undefined) return JSON.stringify(inMemory.file);
  return ((await findModel(backend, account, version)) ?? (await findBase(backend, version)))?.file;
};

/** The champion of every account, in memory: every screening needs one. */
export const makeChampions = async (deps: ChampionDeps) => {
  const base: Champion = { ...deps.base, learnedUntil: 0 };
  const state: ChampionState = {
    ...deps,
    base,
    byAccount: new Map(),
    byTenant: new Map(),
    versions: new Map(),
  };
  const { backend, byAccount, byTenant, versions } = state;
  await backend.write([putBase(base.file)]);
  for (const row of await allChampions(backend))
    await put(state, row.account, row.model_version, readChampion(state, row));

  return {
    put: (account: string, version: string | undefined, champion: Champion | undefined) =>
      put(state, account, version, champion),
    refresh: (account: string) => refresh(state, account),
    /** The stored file of the champion changed: the next refresh loads it again. */
    forget: (account: string): void => void state.versions.delete(account),
    /** The stored version; undefined for the base model. */
    version: (account: string): string | undefined => versions.get(account),
    of: (tenant: number): Champion => byTenant.get(tenant) ?? base,
    ofAccount: (account: string): Champion => byAccount.get(account) ?? base,
    tenants: (): number[] => [...byTenant.keys()],
    /** The file of a model that scored for the account, now or earlier; undefined when it is not stored. */
    fileOf: (account: string, version: string) => fileOf(state, account, version),
  };
};
export type Champions = Awaited<ReturnType<typeof makeChampions>>;
