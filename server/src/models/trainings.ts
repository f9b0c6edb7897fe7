import { type Environment, type Training, writeTimestamp } from '@portcullis/contract';
import type { Policy } from '@portcullis/engine';
import type { Caller } from '../access/access.ts';
import type { Backend, Connection, Statement } from '../backend/backend.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { makeRounds } from '../rounds.ts';
import type { Champions, Loaded } from './champions.ts';
import type { Learned } from './learn.ts';
import { type Learning, startLearning } from './learning.ts';
import {
  dueAccounts,
  endTraining,
  failLost,
  failTraining,
  firstWaiting,
  insertTraining,
  keepAlive,
  newestLabel,
  type TrainingRow,
  takeWaiting,
  WAITS,
} from './store.ts';

const DAY_MS = 86_400_000;
export const DEFAULT_MATURITY_DAYS = 30;
/** How often it is looked whether a daily training is due, and how many labels make it worth while. */
const LOOK_EVERY_MS = 10 * 60_000;
const FEWEST_NEW_LABELS = 50;
/** How often it is looked whether another process was asked for a training that it leaves to others. */
const PICK_UP_EVERY_MS = 1000;
/** Other processes take a training for cut short when its own has not been heard of for so long. */
const LOST_AFTER_MS = 15_000;
const HEARD_EVERY_MS = 3_000;
const STOPPED = 'The service ended. Train again.';
/** What went wrong may quote what is stored, so it is for the log alone. */
const LEFT = 'It waits for a worker.';
const FAILED = 'It failed; the log of the service tells why.';
const noTreesIn = (kind: string): string =>
  `The base model is of kind ${kind}, and only one of boosted trees can be built upon. Name another in MODEL_FILE, or none.`;
/** Whom the audit names for what no key asked for. */
const DAILY = 'daily_training';

interface Running {
  readonly id: string;
  progress: number;
  learning?: Learning;
}

/** What came of a training, and against whom the challenger was measured. */
export interface Settled {
  readonly caller: Caller;
  readonly startedBy: string | null;
  readonly champion: string;
  readonly learned: Learned;
}

/** Trainings of all accounts in this process, one after the other: two at once would take the processors from screening. */
export const makeTrainings = async (deps: {
  backend: Backend;
  connect: () => Connection;
  base: Loaded;
  champions: Champions;
  /** Thresholds and points, by which models are measured. */
  policyOf: (tenant: number) => Promise<Policy>;
  /** Stores what came of it, with what ends the training. */
  settle: (of: Settled, end: (message: string, version: string | null) => Statement) => Promise<void>;
  trainDaily: boolean;
  /** Whether trainings are run here; else they are left to a process that does. */
  runsJobs: boolean;
  tenantOf: (account: string, environment: Environment) => Promise<number>;
  newId: NewId;
  clock: () => number;
  log: Log;
  metrics: Metrics;
}) => {
  const { backend, champions, clock, log, metrics } = deps;
  const running = new Map<string, Running>();
  let queue: Promise<unknown> = Promise.resolve();
  let stopped = false;
  await backend.write([failLost(clock(), STOPPED)]);

  /** Says now and then that it goes on. What that cannot be said of is taken for lost by others, and does no harm: it is settled all the same. */
  const saysAlive = (own: Running): (() => void) => {
    const say = (): void =>
      void backend.write([keepAlive(own.id, clock() + LOST_AFTER_MS, own.progress)]).catch((error: unknown) => {
        log.warn({ err: error }, 'that a training goes on could not be stored');
      });
    const saying = setInterval(say, HEARD_EVERY_MS);
    saying.unref();
    return () => clearInterval(saying);
  };

  const fail = async (id: string, message: string): Promise<void> => {
    metrics.trainings.inc({ outcome: 'failed' });
    await backend.write([endTraining(id, { status: 'failed', message, model_version: null, ended_at: clock() })]);
  };

  const run = async (
    caller: Caller,
    { id, started_by: startedBy, maturity_days: maturityDays }: TrainingRow,
    own: Running,
    onProgress: (share: number) => void,
  ): Promise<void> => {
    if (stopped) return;
    const { account, tenant } = caller;
    const { kind } = deps.base.file;
    if (kind !== 'trees') return fail(id, noTreesIn(kind));
    const champion = champions.ofAccount(account);
    const { model: _model, rules: _rules, treatments: _treatments, ...policy } = await deps.policyOf(tenant);
    own.learning = startLearning(
      deps.connect,
      {
        account,
        tenant,
        base: deps.base.file,
        champion: champion.file,
        championUntil: champion.learnedUntil,
        policy,
        maturityMs: maturityDays * DAY_MS,
        now: clock(),
      },
      (share) => {
        own.progress = Math.max(own.progress, Math.min(share, 1));
        onProgress(own.progress);
      },
    );
    const learned = await own.learning.learned;
    await deps.settle({ caller, startedBy, champion: champion.model.version, learned }, (message, model_version) =>
      endTraining(id, { status: 'done', message, model_version, ended_at: clock() }),
    );
    metrics.trainings.inc({ outcome: 'done' });
  };

  /** Behind those that were begun before. It is stored as this process's. */
  const enqueue = (caller: Caller, row: TrainingRow, onProgress: (share: number) => void): void => {
    const { account } = caller;
    const own: Running = { id: row.id, progress: 0 };
    running.set(account, own);
    const endSaying = saysAlive(own);
    queue = queue
      .then(() => run(caller, row, own, onProgress))
      .catch(async (error: unknown) => {
        if (stopped) return;
        log.error({ err: error, account }, 'a training failed');
        await fail(row.id, FAILED);
      })
      .catch((error: unknown) => log.error({ err: error }, 'what came of a training could not be stored'))
      .finally(() => {
        endSaying();
        // The next one of the account may have begun when this one was stored as ended.
        if (running.get(account) === own) running.delete(account);
      });
  };

  /** Undefined where one of the account is under way. `more` is stored with it. */
  const begin = async (
    caller: Caller,
    startedBy: string | null,
    maturityDays: number,
    more: (row: TrainingRow) => readonly Statement[],
    onProgress: (share: number) => void = () => {},
  ): Promise<TrainingRow | undefined> => {
    const { account, tenant } = caller;
    const row: TrainingRow = {
      id: deps.newId(),
      account,
      status: 'running',
      message: deps.runsJobs ? null : LEFT,
      model_version: null,
      started_at: clock(),
      started_by: startedBy,
      ended_at: null,
      labels_through: await newestLabel(backend, tenant),
      alive_until: deps.runsJobs ? clock() + LOST_AFTER_MS : WAITS,
      progress: 0,
      maturity_days: maturityDays,
    };
    // Of this process none is lost, however its clock was set.
    const lost = running.has(account) ? [] : [failLost(clock(), STOPPED, account)];
    const { written } = await backend.write([...lost, insertTraining(row), ...more(row)]);
    if (!written) return undefined;
    if (deps.runsJobs) enqueue(caller, row, onProgress);
    return row;
  };

  /** Trains where enough was labelled since the last time. */
  const trainDue = async (): Promise<void> => {
    for (const { account, tenant } of await dueAccounts(backend, clock() - DAY_MS, FEWEST_NEW_LABELS)) {
      const caller: Caller = { keyId: DAILY, tenant, account, environment: 'production', role: 'admin' };
      await begin(caller, null, DEFAULT_MATURITY_DAYS, () => []);
    }
  };
  const daily = makeRounds({
    act: () => backend.unlessBusy('daily training', trainDue),
    firstMs: LOOK_EVERY_MS,
    restMs: LOOK_EVERY_MS,
    onFault: (error) => log.warn({ err: error }, 'the daily training could not begin and is tried again'),
  });

  /** Begins what another process was asked for, unless there is enough to do: another may have more time. */
  const pickUp = async (): Promise<void> => {
    if (running.size > 0) return;
    const row = await firstWaiting(backend);
    if (row === undefined) return;
    const { account, started_by: startedBy } = row;
    const tenant = await deps.tenantOf(account, 'production');
    const { written } = await backend.write([takeWaiting(row.id, clock() + LOST_AFTER_MS)]);
    if (!written) return;
    const keyId = (startedBy === null ? undefined : idOf('key', startedBy)) ?? DAILY;
    enqueue({ keyId, tenant, account, environment: 'production', role: 'admin' }, row, () => {});
  };
  const pickingUp = makeRounds({
    act: pickUp,
    firstMs: PICK_UP_EVERY_MS,
    restMs: PICK_UP_EVERY_MS,
    onFault: (error) => log.warn({ err: error }, 'trainings that wait could not be looked for yet'),
  });

  return {
    begin,
    trainDue,
    /** When all that were begun are done. */
    idle: (): Promise<unknown> => queue,
    toTraining: (row: TrainingRow): Training => {
      const own = running.get(row.account);
      const isLost =
        row.status === 'running' && own?.id !== row.id && row.alive_until !== WAITS && row.alive_until < clock();
      const ended = isLost ? row.alive_until : row.ended_at;
      return {
        training_id: withPrefix('training', row.id),
        status: isLost ? 'failed' : row.status,
        progress: row.status === 'running' && !isLost ? (own?.progress ?? row.progress) : 1,
        message: isLost ? STOPPED : row.message,
        model_version: row.model_version,
        started_at: writeTimestamp(row.started_at),
        ended_at: ended === null ? null : writeTimestamp(ended),
      };
    },
    start: (): void => {
      if (!deps.runsJobs) return;
      if (deps.trainDaily) daily.start();
      pickingUp.start();
    },
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all([daily.stop(), pickingUp.stop()]);
      const cut = [...running.values()];
      await Promise.all(cut.map(({ learning }) => learning?.stop()));
      await queue;
      if (cut.length > 0) await backend.write(cut.map(({ id }) => failTraining(id, clock(), STOPPED)));
    },
  };
};
export type Trainings = Awaited<ReturnType<typeof makeTrainings>>;
