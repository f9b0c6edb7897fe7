import type { AccountModel, Environment, ModelFile, ModelList, Training, TrainingList } from '@portcullis/contract';
import type { Model, Policy } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Connection } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { authorOf, type Caller } from '../http/caller.ts';
import type { Answer, AnyCall, Call, CallWith } from '../http/route.ts';
import { idOf, type NewId } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { type LoadedModel, makeChampions } from './champions.ts';
import { championVersion, inTurn, type PromotionState, promote, settle } from './promotion.ts';
import { modelOfBase, modelOfRow, summaryOfBase, summaryOfRow } from './resource.ts';
import { findModel, type ModelRow, modelsOf } from './store.ts';
import { DEFAULT_MATURITY_DAYS, makeTrainings, type Trainings } from './training-jobs.ts';
import { findTraining, listTrainingRows } from './training-store.ts';

const DEFAULT_TRAININGS = 20;

const VERSION = /^mdl_\w{1,60}$/;

interface ModelDeps {
  readonly backend: Backend;
  readonly connect: () => Connection;
  readonly base: LoadedModel;
  readonly audit: Audit;
  readonly note: Note;
  readonly policyOf: (tenant: number) => Promise<Policy>;
  readonly changed: (tenant: number) => Promise<void>;
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
  readonly trainDaily: boolean;
  readonly runsJobs: boolean;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * A model is trained on production and scores both environments. To keys of the sandbox, models and trainings do not
 * exist: their figures are production data.
 */
const ownsModels = ({ environment }: Caller): boolean => environment === 'production';

const requireProduction = (caller: Caller): void => {
  if (ownsModels(caller)) return;
  throw new ApiError('wrong_environment', 'Training and promoting models needs a production key.');
};

const baseStatus = (state: PromotionState, account: string) =>
  championVersion(state, account) === null ? 'champion' : 'retired';

const resourceOf = (state: PromotionState, account: string, row: ModelRow | undefined): AccountModel =>
  row === undefined ? modelOfBase(state.base.file, baseStatus(state, account)) : modelOfRow(row);

/** The row of the model in the path; undefined for the base model. */
const findCalled = async (
  { backend, base }: PromotionState,
  call: CallWith<'model_version'>,
): Promise<ModelRow | undefined> => {
  const { caller, params } = call;
  const version = params.model_version;
  if (version === base.model.version) return undefined;
  // Other texts are not looked up: PostgreSQL rejects a text with a NUL, for one.
  const isKnown = ownsModels(caller) && VERSION.test(version);
  const row = isKnown ? await findModel(backend, caller.account, version) : undefined;
  if (row === undefined) throw notFound('model');
  return row;
};

/** Promotes a model and answers with the champion. */
const changeChampion = async (
  state: PromotionState,
  call: AnyCall,
  action: string,
  row: ModelRow | undefined,
  previous: string | null,
): Promise<Answer> => {
  let answer: Answer | undefined;
  await promote(state, call.caller, action, row, previous, (promoted) => {
    answer = call.answer({ ...resourceOf(state, call.caller.account, promoted), status: 'champion' });
    return answer.statements;
  });
  return answer as Answer;
};

const promoteCalled = (state: PromotionState, call: Call<'promoteModel'>): Promise<Answer> =>
  inTurn(state, call.caller.account, async () => {
    const row = await findCalled(state, call);
    const { account } = call.caller;
    requireProduction(call.caller);
    const { force = false } = call.body;
    const champion = championVersion(state, account);
    if (row?.status === 'rejected' && !force)
      throw new ApiError(
        'model_rejected',
        `The model was rejected: ${row.reason}. Send {"force": true} to promote it anyway.`,
      );
    if ((row?.model_version ?? null) !== champion) return changeChampion(state, call, 'model.promoted', row, champion);
    const answer = call.answer(resourceOf(state, account, row));
    await state.backend.write(answer.statements);
    return answer;
  });

const rollBack = (state: PromotionState, call: Call<'rollBackModel'>): Promise<Answer> =>
  inTurn(state, call.caller.account, async () => {
    const { backend } = state;
    const { account } = call.caller;
    requireProduction(call.caller);
    const version = championVersion(state, account);
    const champion = version === null ? undefined : await findModel(backend, account, version);
    if (champion === undefined)
      throw new ApiError('no_earlier_model', 'The base model is in force. There is no earlier model.');
    const row = champion.previous === null ? undefined : await findModel(backend, account, champion.previous);
    // The row keeps its own `previous`, so that the next rollback goes back further.
    return changeChampion(state, call, 'model.rolled_back', row, row?.previous ?? null);
  });

const list = async (state: PromotionState, call: Call<'listModels'>): Promise<Answer> => {
  const { account, tenant } = call.caller;
  const rows = ownsModels(call.caller) ? await modelsOf(state.backend, tenant, account) : [];
  const models = [...rows.map(summaryOfRow), summaryOfBase(state.base.file, baseStatus(state, account))];
  return call.answer({ models } satisfies ModelList);
};

const train = async (trainings: Trainings, call: Call<'trainModel'>): Promise<Answer> => {
  const { caller } = call;
  requireProduction(caller);
  const { maturity_days = DEFAULT_MATURITY_DAYS } = call.body;
  let answer: Answer | undefined;
  const begun = await trainings.begin(caller, authorOf(caller), maturity_days, (row) => {
    answer = call.answer(trainings.toTraining(row));
    return answer.statements;
  });
  if (begun === undefined)
    throw new ApiError('training_in_progress', 'A training of this account is in progress. Wait until it is done.');
  return answer as Answer;
};

/** For the command line: resolves when the training has ended; undefined when one of the account is in progress. */
const trainToEnd = async (
  backend: Backend,
  trainings: Trainings,
  caller: Caller,
  maturityDays: number,
  onProgress?: (share: number) => void,
): Promise<{ training: Training; model: AccountModel | undefined } | undefined> => {
  const { account } = caller;
  const startedBy = authorOf(caller);
  const begun = await trainings.begin(caller, startedBy, maturityDays, () => [], onProgress);
  if (begun === undefined) return undefined;
  await trainings.idle();
  const training = trainings.toTraining((await findTraining(backend, account, begun.id)) ?? begun);
  const { model_version: version } = training;
  const row = version === null ? undefined : await findModel(backend, account, version);
  return { training, model: row === undefined ? undefined : modelOfRow(row) };
};

const getTraining = async (backend: Backend, trainings: Trainings, call: Call<'getTraining'>): Promise<Answer> => {
  const id = ownsModels(call.caller) ? idOf('training', call.params.training_id) : undefined;
  const row = id === undefined ? undefined : await findTraining(backend, call.caller.account, id);
  if (row === undefined) throw notFound('training');
  return call.answer(trainings.toTraining(row));
};

const listTrainings = async (backend: Backend, trainings: Trainings, call: Call<'listTrainings'>): Promise<Answer> => {
  const { limit = DEFAULT_TRAININGS, before } = call.query;
  const { tenant, account } = call.caller;
  const cursor = before === undefined ? undefined : idOf('training', before);
  const { rows, hasMore } = ownsModels(call.caller)
    ? await listTrainingRows(backend, tenant, account, cursor, limit)
    : { rows: [], hasMore: false };
  const list: TrainingList = { trainings: rows.map(trainings.toTraining), has_more: hasMore };
  return call.answer(list);
};

export const makeModels = async (deps: ModelDeps) => {
  const champions = await makeChampions(deps);
  const { backend } = deps;
  const state: PromotionState = { ...deps, champions, turn: Promise.resolve() };
  const trainings = await makeTrainings({
    ...deps,
    champions,
    settle: (settled, end) => settle(state, settled, end),
  });
  return {
    /** The model that scores for a tenant. */
    of: (tenant: number): Model => champions.of(tenant).model,
    /** The same model as a file, which can be passed to a thread. */
    fileOf: (tenant: number): ModelFile => champions.of(tenant).file,
    /** Tenants whose model is not the base model. */
    tenants: async (): Promise<readonly number[]> => champions.tenants(),
    /** The file of a model that scored for an account, now or earlier. */
    fileOfVersion: champions.fileOf,
    list: (call: Call<'listModels'>) => list(state, call),
    get: async (call: Call<'getModel'>): Promise<Answer> =>
      call.answer(resourceOf(state, call.caller.account, await findCalled(state, call))),
    train: (call: Call<'trainModel'>) => train(trainings, call),
    trainToEnd: (caller: Caller, maturityDays: number = DEFAULT_MATURITY_DAYS, onProgress?: (share: number) => void) =>
      trainToEnd(backend, trainings, caller, maturityDays, onProgress),
    /** Loads the champion that another process promoted. */
    refresh: (account: string): Promise<void> => inTurn(state, account, async () => {}),
    /** Loads the champion again, whose file has changed. */
    reload: (account: string): Promise<void> => {
      champions.forget(account);
      return inTurn(state, account, async () => {});
    },
    listTrainings: (call: Call<'listTrainings'>) => listTrainings(backend, trainings, call),
    getTraining: (call: Call<'getTraining'>) => getTraining(backend, trainings, call),
    promote: (call: Call<'promoteModel'>) => promoteCalled(state, call),
    rollBack: (call: Call<'rollBackModel'>) => rollBack(state, call),
    trainDue: trainings.trainDue,
    idle: trainings.idle,
    start: trainings.start,
    stop: trainings.stop,
  };
};
export type Models = Awaited<ReturnType<typeof makeModels>>;
