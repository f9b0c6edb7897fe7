import type { Audit } from '../audit/audit.ts';
import { type Backend, type Statement, Unavailable } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import type { Caller } from '../http/caller.ts';
import type { Champions, LoadedModel } from './champions.ts';
import { readModelFile } from './model-file.ts';
import { reasonOf } from './resource.ts';
import { findModel, type ModelRow, promoteModel, pruneModels, putModel, retire, unlink } from './store.ts';
import type { ModelReport } from './train-challenger.ts';
import type { SettledTraining } from './training-jobs.ts';

/** How many models that never scored are kept for inspection. */
const KEPT_CHALLENGERS = 20;
const SCORED_ALREADY = 'The training gave a model that has scored already: there is nothing new to learn from.';

export interface PromotionState {
  readonly backend: Backend;
  /** The model that every account starts with. */
  readonly base: LoadedModel;
  readonly champions: Champions;
  readonly audit: Audit;
  readonly note: Note;
  /** Call it when the model of a tenant changed. Resolves when screenings are scored by the new model. */
  readonly changed: (tenant: number) => Promise<void>;
  readonly clock: () => number;
  /** The newest change in the queue of `inTurn`. */
  turn: Promise<unknown>;
}

/** The version of the champion; null for the base model, which has no row. */
export const championVersion = ({ champions }: PromotionState, account: string): string | null =>
  champions.version(account) ?? null;

/** Loads the champion that another process promoted. */
const refresh = async ({ champions, changed }: PromotionState, account: string): Promise<void> => {
  for (const tenant of await champions.refresh(account)) await changed(tenant);
};

/** Runs changes of champions one at a time, for all accounts. Each starts from the stored champion of any process. */
export const inTurn = <T>(state: PromotionState, account: string, task: () => Promise<T>): Promise<T> => {
  const refreshed = () => refresh(state, account).then(task);
  const result = state.turn.then(refreshed, refreshed);
  state.turn = result.catch(() => {});
  return result;
};

/**
 * Makes a model the champion; `row` undefined is the base model. It is stored, audited and in memory when this
 * resolves. `more` receives the row as it will be stored, and returns statements for the same transaction.
 */
export const promote = async (
  state: PromotionState,
  caller: Caller,
  action: string,
  row: ModelRow | undefined,
  previous: string | null,
  more: (promoted: ModelRow | undefined) => readonly Statement[],
): Promise<void> => {
  const { base, champions, audit } = state;
  const { account } = caller;
  const before = championVersion(state, account);
  const version = row?.model_version ?? base.model.version;
  const loaded = row === undefined ? undefined : { ...readModelFile(row.file), learnedUntil: row.learned_until };
  const at = state.clock();
  const change = { action, target: 'model', before: before ?? base.model.version, after: version };
  const outcome = await audit.write(caller, change, [
    retire(account, before),
    ...(row === undefined ? [] : [unlink(account, version), promoteModel(account, version, at, previous)]),
    ...state.note(caller.tenant, 'model', account),
    ...more(row === undefined ? undefined : { ...row, status: 'champion', promoted_at: at, previous }),
  ]);
  if (!outcome.written) throw new Unavailable('the model was changed at the same time');
  for (const tenant of await champions.put(account, row?.model_version, loaded)) await state.changed(tenant);
};

/** Why the challenger is not promoted; null if it is. */
const rejection = ({ champions }: PromotionState, account: string, champion: string, report: ModelReport) =>
  champions.ofAccount(account).model.version === champion
    ? reasonOf(report)
    : 'another model became champion while it was trained';

/** Stores the result of a training, and promotes a model that passed all gates. */
export const settle = (
  state: PromotionState,
  { caller, startedBy, champion, result }: SettledTraining,
  end: (message: string, version: string | null) => Statement,
): Promise<void> =>
  inTurn(state, caller.account, async () => {
    const { backend, audit } = state;
    if ('notEnough' in result) {
      await backend.write([end(`Not enough to learn from: ${result.notEnough}.`, null)]);
      return;
    }
    const { account } = caller;
    const reason = rejection(state, account, champion, result.report);
    const row: ModelRow = {
      account,
      model_version: result.file.model_version,
      status: reason === null ? 'challenger' : 'rejected',
      reason,
      file: JSON.stringify(result.file),
      told: JSON.stringify(result.report),
      learned_until: result.learnedUntil,
      trained_at: state.clock(),
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
      ...(reason === null ? [] : [end(`The model was rejected: ${reason}.`, version)]),
    ]);
    if (!written) await backend.write([end(SCORED_ALREADY, version)]);
    // A crash before this leaves a challenger and a failed training. The next training promotes the same model.
    else if (reason === null)
      await promote(state, caller, 'model.promoted', row, championVersion(state, account), () => [
        end('The model passed all gates and was promoted.', version),
      ]);
  });
