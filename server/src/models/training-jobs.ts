import type { Training } from '@portcullis/contract';
import { type Environment, ROLE_PERMISSIONS, writeTimestamp } from '@portcullis/contract/values';
import type { Policy } from '@portcullis/engine';
import { type Audit, actor } from '../audit/audit.ts';
import type { Backend, Connection, Statement } from '../backend/backend.ts';
import { newestLabel } from '../backend/journal-pages.ts';
import { type Caller, keyIdOf } from '../http/caller.ts';
import { type ActiveJob, type Jobs, makeJobs } from '../jobs/jobs.ts';
import { type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { repeat } from '../runtime/repeat.ts';
import type { Champions, LoadedModel } from './champions.ts';
import type { TrainingResult } from './train-challenger.ts';
import { startTraining } from './train-challenger-host.ts';
import {
  dueAccounts,
  endTraining,
  failLost,
  failTraining,
  insertTraining,
  TRAINING_TABLE,
  type TrainingRow,
} from './training-store.ts';

const DAY_MS = 86_400_000;
export const DEFAULT_MATURITY_DAYS = 30;
const DUE_CHECK_MS = 10 * 60_000;
/** Fewer new labels than this start no daily training. */
const MIN_NEW_LABELS = 50;
const PICK_UP_MS = 1000;
const STOPPED = 'The service was stopped. Train again.';
/** A fixed text, because the error may quote stored data. The log has the error. */
const FAILED = 'The training failed. The log of the service has the reason.';
const unsupportedBase = (kind: string): string =>
  `The base model is of kind ${kind}; only boosted trees can be trained further. Set MODEL_FILE to a model of boosted trees, or unset it.`;

/** The result of a training, and the champion its challenger was measured against. */
export interface SettledTraining {
  readonly caller: Caller;
  readonly startedBy: string | null;
  readonly champion: string;
  readonly result: TrainingResult;
}

interface TrainingDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write'>;
  readonly connect: () => Connection;
  readonly base: LoadedModel;
  readonly champions: Champions;
  /** Thresholds and points, by which models are measured. */
  readonly policyOf: (tenant: number) => Promise<Policy>;
  /** Stores the result, together with the statement that ends the training. */
  readonly settle: (
    settled: SettledTraining,
    end: (message: string, version: string | null) => Statement,
  ) => Promise<void>;
  readonly trainDaily: boolean;
  /** Whether trainings run in this process. Otherwise it leaves them to a process that runs them. */
  readonly runsJobs: boolean;
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface TrainingState extends TrainingDeps {
  readonly jobs: Jobs<TrainingRow, string>;
  /**
   * Resolves when every training of this process has ended. They run one at a time, to leave processors for
   * screening.
   */
  queue: Promise<unknown>;
  isStopped: boolean;
}

const fail = async ({ backend, metrics, clock }: TrainingState, id: string, message: string): Promise<void> => {
  metrics.trainings.inc({ outcome: 'failed' });
  await backend.write([endTraining(id, { status: 'failed', message, model_version: null, ended_at: clock() })]);
};

const run = async (
  state: TrainingState,
  caller: Caller,
  { id, started_by: startedBy, maturity_days: maturityDays }: TrainingRow,
  job: ActiveJob,
  onProgress: (share: number) => void,
): Promise<void> => {
  if (state.isStopped) return;
  const { clock } = state;
  const { account, tenant } = caller;
  const { kind } = state.base.file;
  if (kind !== 'trees') return fail(state, id, unsupportedBase(kind));
  const champion = state.champions.ofAccount(account);
  const { model: _model, rules: _rules, treatments: _treatments, ...policy } = await state.policyOf(tenant);
  const thread = startTraining(
    state.connect,
    tenant,
    {
      base: state.base.file,
      champion: champion.file,
      championUntil: champion.learnedUntil,
      policy,
      maturityMs: maturityDays * DAY_MS,
      now: clock(),
    },
    (share) => {
      job.progress = Math.max(job.progress, Math.min(share, 1));
      onProgress(job.progress);
    },
  );
  job.stop = thread.stop;
  const result = await thread.result;
  await state.settle({ caller, startedBy, champion: champion.model.version, result }, (message, model_version) =>
    endTraining(id, { status: 'done', message, model_version, ended_at: clock() }),
  );
  state.metrics.trainings.inc({ outcome: 'done' });
};

/** Runs the training after those begun before it in this process. */
const enqueue = (
  state: TrainingState,
  caller: Caller,
  row: TrainingRow,
  job: ActiveJob,
  onProgress: (share: number) => void,
): void => {
  const { log } = state;
  state.queue = state.queue
    .then(() => run(state, caller, row, job, onProgress))
    .catch(async (error: unknown) => {
      if (state.isStopped) return;
      log.error({ err: error, account: caller.account }, 'training failed');
      await fail(state, row.id, FAILED);
    })
    .catch((error: unknown) => log.error({ err: error }, 'storing the outcome of a training failed'))
    .finally(() => state.jobs.remove(job));
};

/** Returns undefined when a training of the account is in progress. `more` is stored in the same transaction. */
const begin = async (
  state: TrainingState,
  caller: Caller,
  startedBy: string | null,
  maturityDays: number,
  more: (row: TrainingRow) => readonly Statement[],
  onProgress: (share: number) => void = () => {},
): Promise<TrainingRow | undefined> => {
  const { audit, backend, jobs, clock } = state;
  const { account, tenant } = caller;
  const row: TrainingRow = {
    id: state.newId(),
    account,
    model_version: null,
    started_at: clock(),
    started_by: startedBy,
    labels_through: await newestLabel(backend, tenant),
    maturity_days: maturityDays,
    ...jobs.newJob(),
  };
  // A training that runs in this process is never failed as lost, even if the clock jumped.
  const lost = jobs.isActive(account) ? [] : [failLost(clock(), STOPPED, account)];
  const target = withPrefix('training', row.id);
  const started = { action: 'training.started', target, before: null, after: { maturity_days: maturityDays } };
  const { written } = await audit.write(caller, started, [...lost, insertTraining(row), ...more(row)]);
  if (!written) return undefined;
  if (state.runsJobs) enqueue(state, caller, row, jobs.add(row), onProgress);
  return row;
};

const dailyCaller = (account: string, tenant: number): Caller => ({
  ...actor('daily_training', tenant),
  permissions: ROLE_PERMISSIONS.admin,
  account,
  environment: 'production',
});

/** Begins the daily training of every account with enough new labels. */
const trainDue = async (state: TrainingState): Promise<void> => {
  for (const { account, tenant } of await dueAccounts(state.backend, state.clock() - DAY_MS, MIN_NEW_LABELS))
    await begin(state, dailyCaller(account, tenant), null, DEFAULT_MATURITY_DAYS, () => []);
};

const toTraining = ({ jobs }: TrainingState, row: TrainingRow): Training => {
  const { status, message, ended_at, progress } = jobs.currentState(row);
  return {
    training_id: withPrefix('training', row.id),
    status,
    progress: status === 'running' ? progress : 1,
    message,
    model_version: row.model_version,
    started_at: writeTimestamp(row.started_at),
    ended_at: ended_at === null ? null : writeTimestamp(ended_at),
  };
};

/** Trainings of all accounts in this process. */
export const makeTrainings = async (deps: TrainingDeps) => {
  const { backend, clock, log } = deps;
  await backend.write([failLost(clock(), STOPPED)]);
  const prepare = async (row: TrainingRow) => {
    const tenant = await deps.tenantOf(row.account, 'production');
    const keyId = row.started_by === null ? undefined : keyIdOf(row.started_by);
    const daily = dailyCaller(row.account, tenant);
    return (job: ActiveJob): void =>
      enqueue(state, keyId === undefined ? daily : { ...daily, keyId }, row, job, () => {});
  };
  const jobs = makeJobs<TrainingRow, string>({
    ...deps,
    table: TRAINING_TABLE,
    name: 'training',
    keyOf: ({ account }) => account,
    lostMessage: STOPPED,
    pickUp: { everyMs: PICK_UP_MS, maxActive: 1, prepare },
  });
  const state: TrainingState = { ...deps, jobs, queue: Promise.resolve(), isStopped: false };
  const daily = repeat({
    task: () => backend.tryWithLock('daily training', () => trainDue(state)),
    firstMs: DUE_CHECK_MS,
    restMs: DUE_CHECK_MS,
    onError: (error) => log.warn({ err: error }, 'daily training could not begin; retrying in 10 minutes'),
  });

  return {
    begin: (
      caller: Caller,
      startedBy: string | null,
      maturityDays: number,
      more: (row: TrainingRow) => readonly Statement[],
      onProgress?: (share: number) => void,
    ) => begin(state, caller, startedBy, maturityDays, more, onProgress),
    trainDue: () => trainDue(state),
    /** Resolves when all trainings begun so far have ended. */
    idle: (): Promise<unknown> => state.queue,
    toTraining: (row: TrainingRow): Training => toTraining(state, row),
    start: (): void => {
      if (!deps.runsJobs) return;
      if (deps.trainDaily) daily.start();
      jobs.start();
    },
    stop: async (): Promise<void> => {
      state.isStopped = true;
      await daily.stop();
      const stopped = await jobs.stop();
      await state.queue;
      if (stopped.length > 0) await backend.write(stopped.map((id) => failTraining(id, clock(), STOPPED)));
    },
  };
};
export type Trainings = Awaited<ReturnType<typeof makeTrainings>>;
