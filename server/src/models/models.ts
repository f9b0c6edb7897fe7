import type {
  AccountModel,
  Environment,
  ModelFile,
  ModelList,
  ModelStatus,
  PromotionRequest,
  Training,
  TrainingRequest,
} from '@portcullis/contract';
import type { Model, Policy } from '@portcullis/engine';
import type { Caller } from '../access/access.ts';
import type { Audit } from '../audit/audit.ts';
import { type Backend, type Connection, type Statement, Unavailable } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { ApiError, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Loaded, makeChampions } from './champions.ts';
import { readModelFile } from './load.ts';
import {
  crown,
  findModel,
  findTraining,
  type ModelRow,
  modelsOf,
  pruneModels,
  putModel,
  retire,
  takeOut,
} from './store.ts';
import { modelOfBase, modelOfRow, reasonOf, summaryOfBase, summaryOfRow } from './tell.ts';
import { DEFAULT_MATURITY_DAYS, makeTrainings, type Settled } from './trainings.ts';

/** Models that never scored, kept for whoever wants to see why. */
const KEPT_CHALLENGERS = 20;
const SCORED_ALREADY = 'A model came of it that has scored already: nothing that it learns from is new.';

/** Sandbox and production are scored by the same model, so what changes it is for keys of production alone. */
const requireProduction = ({ environment }: Caller): void => {
  if (environment === 'production') return;
  throw new ApiError('wrong_environment', 'Models are trained and promoted with a key of production.');
};

const VERSION = /^mdl_\w{1,60}$/;

export const makeModels = async (deps: {
  backend: Backend;
  connect: () => Connection;
  /** What every account begins with. */
  base: Loaded;
  audit: Audit;
  note: Note;
  /** Thresholds and points, by which models are measured. */
  policyOf: (tenant: number) => Promise<Policy>;
  /** The model of a tenant is another one. Resolves when screenings are scored by it. */
  changed: (tenant: number) => Promise<void>;
  tenantOf: (account: string, environment: Environment) => Promise<number>;
  trainDaily: boolean;
  runsJobs: boolean;
  newId: NewId;
  clock: () => number;
  log: Log;
  metrics: Metrics;
}) => {
  const { backend, base, audit, clock } = deps;
  const champions = await makeChampions(deps);
  const isBase = (version: string): boolean => version === base.model.version;
  /** As the table knows it: the model that ships has no row. */
  const championOf = (account: string): string | null => champions.crowned(account) ?? null;
  const baseStatus = (account: string): ModelStatus => (championOf(account) === null ? 'champion' : 'retired');

  /** Puts in force what another process crowned. */
  const refresh = async (account: string): Promise<void> => {
    for (const tenant of await champions.refresh(account)) await deps.changed(tenant);
  };
  /** One after the other, of all accounts: each follows from who is champion when it begins, whichever process crowned it. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(account: string, work: () => Promise<T>): Promise<T> => {
    const current = () => refresh(account).then(work);
    const next = turn.then(current, current);
    turn = next.catch(() => {});
    return next;
  };

  /**
   * Another model scores from here on: stored, told to the audit, and in memory before anybody is answered. `row` undefined is the one that ships.
   * `more` is stored with it, and is told how the row then is.
   */
  const enthrone = async (
    caller: Caller,
    action: string,
    row: ModelRow | undefined,
    previous: string | null,
    more: (crowned: ModelRow | undefined) => readonly Statement[],
  ): Promise<void> => {
    const { account } = caller;
    const before = championOf(account);
    const version = row?.model_version ?? base.model.version;
    const loaded = row === undefined ? undefined : { ...readModelFile(row.file), learnedUntil: row.learned_until };
    const at = clock();
    const change = { action, target: 'model', before: before ?? base.model.version, after: version };
    const outcome = await audit.write(caller, change, [
      retire(account, before),
      ...(row === undefined
        ? []
        : [takeOut(account, row.model_version), crown(account, row.model_version, at, previous)]),
      ...deps.note(caller.tenant, 'model', account),
      ...more(row === undefined ? undefined : { ...row, status: 'champion', promoted_at: at, previous }),
    ]);
    if (!outcome.written) throw new Unavailable('the model was changed at the same time');
    for (const tenant of await champions.put(account, row?.model_version, loaded)) await deps.changed(tenant);
  };

  /** What came of a training: a model that is promoted where it passed all gates, and kept where it did not. One that never scored is settled anew. */
  const settle = (
    { caller, startedBy, champion, learned }: Settled,
    end: (message: string, version: string | null) => Statement,
  ): Promise<void> =>
    inTurn(caller.account, async () => {
      if ('notEnough' in learned) {
        await backend.write([end(`Not enough to learn from: ${learned.notEnough}.`, null)]);
        return;
      }
      const { account } = caller;
      const isSame = champions.ofAccount(account).model.version === champion;
      const reason = isSame ? reasonOf(learned.told) : 'another model became champion while it was trained';
      const row: ModelRow = {
        account,
        model_version: learned.file.model_version,
        status: reason === null ? 'challenger' : 'rejected',
        reason,
        file: JSON.stringify(learned.file),
        told: JSON.stringify(learned.told),
        learned_until: learned.learnedUntil,
        trained_at: clock(),
        trained_by: startedBy,
        promoted_at: null,
        previous: null,
      };
      const { model_version: version } = row;
      const known = await findModel(backend, account, version);
      const trained = {
        action: 'model.trained',
        target: version,
        before: known === undefined ? null : { status: known.status, reason: known.reason },
        after: { status: row.status, reason },
      };
      const { written } = await audit.write(caller, trained, [
        putModel(row),
        pruneModels(account, KEPT_CHALLENGERS),
        ...(reason === null ? [] : [end(`It was rejected: ${reason}.`, version)]),
      ]);
      if (!written) await backend.write([end(SCORED_ALREADY, version)]);
      // A crash before this leaves a challenger, and a training that failed: the next one comes to the same model and settles it.
      else if (reason === null)
        await enthrone(caller, 'model.promoted', row, championOf(account), () => [
          end('It passed all gates and was promoted.', version),
        ]);
    });

  const trainings = await makeTrainings({ ...deps, champions, settle });

  const find = async (call: Call): Promise<ModelRow | undefined> => {
    const version = call.params.model_version as string;
    if (isBase(version)) return undefined;
    // What is none is looked for nowhere: PostgreSQL, for one, takes no text with a NUL in it.
    const row = VERSION.test(version) ? await findModel(backend, call.caller.account, version) : undefined;
    if (row === undefined) throw notFound('model');
    return row;
  };
  const resourceOf = (account: string, row: ModelRow | undefined): AccountModel =>
    row === undefined ? modelOfBase(base.file, baseStatus(account)) : modelOfRow(row);
  /** Puts it in force and answers with it as it then is. */
  const change = async (
    call: Call,
    action: string,
    row: ModelRow | undefined,
    previous: string | null,
  ): Promise<Answer> => {
    let answer: Answer | undefined;
    await enthrone(call.caller, action, row, previous, (crowned) => {
      answer = call.answer({ ...resourceOf(call.caller.account, crowned), status: 'champion' });
      return answer.statements;
    });
    return answer as Answer;
  };

  const promote = (call: Call): Promise<Answer> =>
    inTurn(call.caller.account, async () => {
      const row = await find(call);
      const { account } = call.caller;
      requireProduction(call.caller);
      const { force = false } = call.body as PromotionRequest;
      const now = championOf(account);
      if (row?.status === 'rejected' && !force)
        throw new ApiError(
          'model_rejected',
          `It was rejected: ${row.reason}. Send {"force": true} to promote it all the same.`,
        );
      if ((row?.model_version ?? null) !== now) return change(call, 'model.promoted', row, now);
      const answer = call.answer(resourceOf(account, row));
      await backend.write(answer.statements);
      return answer;
    });

  const rollBack = (call: Call): Promise<Answer> =>
    inTurn(call.caller.account, async () => {
      const { account } = call.caller;
      requireProduction(call.caller);
      const now = championOf(account);
      const champion = now === null ? undefined : await findModel(backend, account, now);
      if (champion === undefined)
        throw new ApiError('no_earlier_model', 'The model that ships is in force: there is none before it.');
      const row = champion.previous === null ? undefined : await findModel(backend, account, champion.previous);
      // What was champion before that one stays known, so that one can go back further.
      return change(call, 'model.rolled_back', row, row?.previous ?? null);
    });

  return {
    /** Who scores for a tenant. */
    of: (tenant: number): Model => champions.of(tenant).model,
    /** The same as a file, for another thread. */
    fileOf: (tenant: number): ModelFile => champions.of(tenant).file,
    /** Tenants that are scored by another model than the one that ships. */
    tenants: async (): Promise<readonly number[]> => champions.tenants(),
    byVersion: champions.byVersion,
    list: async (call: Call): Promise<Answer> => {
      const { account } = call.caller;
      const rows = await modelsOf(backend, account);
      const list: ModelList = { models: [...rows.map(summaryOfRow), summaryOfBase(base.file, baseStatus(account))] };
      return call.answer(list);
    },
    get: async (call: Call): Promise<Answer> => call.answer(resourceOf(call.caller.account, await find(call))),
    train: async (call: Call): Promise<Answer> => {
      const { caller } = call;
      requireProduction(caller);
      const { maturity_days = DEFAULT_MATURITY_DAYS } = call.body as TrainingRequest;
      let answer: Answer | undefined;
      const begun = await trainings.begin(caller, withPrefix('key', caller.keyId), maturity_days, (row) => {
        answer = call.answer(trainings.toTraining(row));
        return answer.statements;
      });
      if (begun === undefined)
        throw new ApiError('training_in_progress', 'A training of this account is under way. Wait until it is done.');
      return answer as Answer;
    },
    /** For the command line: trains, and answers when it is done. Undefined where one of the account is under way. */
    trainToEnd: async (
      caller: Caller,
      maturityDays: number = DEFAULT_MATURITY_DAYS,
      onProgress?: (share: number) => void,
    ): Promise<{ training: Training; model: AccountModel | undefined } | undefined> => {
      const { account } = caller;
      const startedBy = withPrefix('key', caller.keyId);
      const begun = await trainings.begin(caller, startedBy, maturityDays, () => [], onProgress);
      if (begun === undefined) return undefined;
      await trainings.idle();
      const training = trainings.toTraining((await findTraining(backend, account, begun.id)) ?? begun);
      const { model_version: version } = training;
      const row = version === null ? undefined : await findModel(backend, account, version);
      return { training, model: row === undefined ? undefined : modelOfRow(row) };
    },
    /** Another process made another model champion. */
    refresh: (account: string): Promise<void> => inTurn(account, async () => {}),
    getTraining: async (call: Call): Promise<Answer> => {
      const id = idOf('training', call.params.training_id as string);
      const row = id === undefined ? undefined : await findTraining(backend, call.caller.account, id);
      if (row === undefined) throw notFound('training');
      return call.answer(trainings.toTraining(row));
    },
    promote,
    rollBack,
    trainDue: trainings.trainDue,
    idle: trainings.idle,
    start: trainings.start,
    stop: trainings.stop,
  };
};
export type Models = Awaited<ReturnType<typeof makeModels>>;
