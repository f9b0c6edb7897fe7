import { ENVIRONMENTS, type Environment, type ModelFile } from '@portcullis/contract';
import { type Model, ModelFault } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../log.ts';
import { readModelFile } from './load.ts';
import { champions, findBase, findModel, keepBase, type ModelRow, storedChampion } from './store.ts';

/** A model with what it was read from. */
export interface Loaded {
  readonly file: ModelFile;
  readonly model: Model;
}
export interface Champion extends Loaded {
  /** Nothing from here on was learned by it. */
  readonly learnedUntil: number;
}

/** A later version of the service may not know the features of a model that an earlier one trained. */
const readIfPossible = (text: string): Model | undefined => {
  try {
    return readModelFile(text).model;
  } catch (error) {
    if (error instanceof ModelFault) return undefined;
    throw error;
  }
};

/** Models of old decisions that somebody reads: a few at a time. */
const MOST_REMEMBERED = 16;

/** Who scores for whom: in memory, since it is asked with every screening. */
export const makeChampions = async (deps: {
  backend: Backend;
  base: Loaded;
  tenantOf: (account: string, environment: Environment) => Promise<number>;
  log: Log;
}) => {
  const { backend, log } = deps;
  const base: Champion = { ...deps.base, learnedUntil: 0 };
  const byAccount = new Map<string, Champion>();
  /** As the table has it, whether it could be read or not; none where the model that ships scores. */
  const crowned = new Map<string, string>();
  const byTenant = new Map<number, Champion>();
  const remembered = new Map<string, Model>();

  /** Both of the account's tenants, whether they were used or not: whoever makes a key later is scored by the same model. */
  const tenantsOf = (account: string): Promise<number[]> =>
    Promise.all(ENVIRONMENTS.map((environment) => deps.tenantOf(account, environment)));

  /** Undefined where the one that ships is to score. */
  const read = (row: ModelRow | undefined): Champion | undefined => {
    if (row === undefined) return undefined;
    try {
      return { ...readModelFile(row.file), learnedUntil: row.learned_until };
    } catch (error) {
      // One account's model must not keep the service from all others. Its own is scored by the model that ships, and this says so.
      log.error(
        { account: row.account, model_version: row.model_version, reason: (error as Error).message },
        'the model of an account cannot be read: the one that ships scores in its place; train it anew',
      );
      return undefined;
    }
  };

  /** Who is champion from now on; undefined for the model that ships. Answers with the tenants that it scores for. */
  const put = async (
    account: string,
    version: string | undefined,
    champion: Champion | undefined,
  ): Promise<readonly number[]> => {
    const tenants = await tenantsOf(account);
    if (version === undefined) crowned.delete(account);
    else crowned.set(account, version);
    if (champion === undefined) byAccount.delete(account);
    else byAccount.set(account, champion);
    for (const tenant of tenants) {
      if (champion === undefined) byTenant.delete(tenant);
      else byTenant.set(tenant, champion);
    }
    return tenants;
  };

  await backend.write([keepBase(base.file)]);
  for (const row of await champions(backend)) await put(row.account, row.model_version, read(row));

  return {
    put,
    /** Looks whether another process crowned another. Answers with the tenants that are scored by another model from now on. */
    refresh: async (account: string): Promise<readonly number[]> => {
      const version = await storedChampion(backend, account);
      if (version === crowned.get(account)) return [];
      return put(
        account,
        version,
        version === undefined ? undefined : read(await findModel(backend, account, version)),
      );
    },
    /** The version the table has; undefined for the model that ships. */
    crowned: (account: string): string | undefined => crowned.get(account),
    of: (tenant: number): Champion => byTenant.get(tenant) ?? base,
    ofAccount: (account: string): Champion => byAccount.get(account) ?? base,
    tenants: (): number[] => [...byTenant.keys()],
    /** The model an old decision was made with; undefined when it is not kept. */
    byVersion: async (account: string, version: string): Promise<Model | undefined> => {
      if (version === base.model.version) return base.model;
      const champion = byAccount.get(account);
      if (version === champion?.model.version) return champion.model;
      const key = `${account} ${version}`;
      const known = remembered.get(key);
      if (known !== undefined) {
        remembered.delete(key);
        remembered.set(key, known);
        return known;
      }
      const row = (await findModel(backend, account, version)) ?? (await findBase(backend, version));
      const model = row === undefined ? undefined : readIfPossible(row.file);
      if (model === undefined) return undefined;
      remembered.set(key, model);
      if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value as string);
      return model;
    },
  };
};
export type Champions = Awaited<ReturnType<typeof makeChampions>>;
