import { Worker } from 'node:worker_threads';
import {
  type Backtest,
  type BacktestList,
  type BacktestOutcome,
  type BacktestQuery,
  type BacktestRequest,
  type ErrorDetail,
  readTimestamp,
  writeTimestamp,
} from '@portcullis/contract';
import type { Policy } from '@portcullis/engine';
import type { Backend, Connection } from '../backend/backend.ts';
import { ApiError, invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import type { Log } from '../log.ts';
import { makeRounds } from '../rounds.ts';
import type { BacktestData, FromBacktest } from './backtest-thread.ts';
import {
  type BacktestRow,
  endBacktest,
  findBacktest,
  firstWaiting,
  insertBacktest,
  keepAlive,
  listBacktests,
  takeWaiting,
  WAITS,
} from './store.ts';

const DEFAULT_LIMIT = 20;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_MS = 30 * DAY_MS;
/** What is older may still be there until the sweep comes, and is nobody's to look at. */
const RETAINED_MS = 90 * DAY_MS;
const CANDIDATES = ['rule_id', 'rule', 'policy'] as const;
const STOPPED = 'The service was stopped. Ask again.';
const LEFT = 'It waits for a worker.';
const GONE = 'The rule was deleted.';
const FAILED = 'It failed; the log of the service tells why.';

/** Taken for cut short when its process has not been heard of for so long. */
const LOST_AFTER_MS = 15_000;
const HEARD_EVERY_MS = 3_000;
/** How often it is looked whether another process was asked for one that it leaves to others, and how many of those are run at once. */
const PICK_UP_EVERY_MS = 500;
const MOST_PICKED_UP = 2;

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : readTimestamp(text));

interface Running {
  readonly id: string;
  progress: number;
  thread?: Worker;
  saying?: NodeJS.Timeout;
}

/** What a rule or a policy would have done with what was screened: asked for by API, computed in a thread, kept. */
export const makeBacktests = (deps: {
  backend: Backend;
  connect: () => Connection;
  policyOf: (tenant: number) => Policy;
  /** The model the tenant is decided by, as a file. */
  modelOf: (tenant: number) => string;
  hasRule: (tenant: number, id: string) => Promise<boolean>;
  expressionFaults: (expression: unknown, field: string) => readonly ErrorDetail[];
  pointFaults: (policy: { readonly points?: unknown }) => readonly ErrorDetail[];
  /** Whether backtests are run here; else they are left to a process that does. */
  runsJobs: boolean;
  /** Resolves when what others changed is known here: what was asked of them is to be measured against it. */
  catchUp: () => Promise<void>;
  newId: NewId;
  clock: () => number;
  log: Log;
}) => {
  const { backend, clock } = deps;
  /** Of those under way in this process: how far they are, and what ends them. One a tenant. */
  const running = new Map<number, Running>();

  const toBacktest = (row: BacktestRow): Backtest => {
    const own = running.get(row.tenant);
    const isOwn = own?.id === row.id;
    const isLost = row.status === 'running' && !isOwn && row.alive_until !== WAITS && row.alive_until <= clock();
    const ended = isLost ? row.alive_until : row.ended_at;
    return {
      backtest_id: withPrefix('backtest', row.id),
      status: isLost ? 'failed' : row.status,
      progress: row.status === 'done' ? 1 : isOwn ? own.progress : row.progress,
      request: JSON.parse(row.request) as BacktestRequest,
      from: writeTimestamp(row.from_at),
      until: writeTimestamp(row.until_at),
      created_at: writeTimestamp(row.created_at),
      ended_at: ended === null ? null : writeTimestamp(ended),
      message: isLost ? STOPPED : row.message,
      outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as BacktestOutcome),
    };
  };

  /** Told together with the faults of the other members. */
  const faults = (body: Readonly<Record<string, unknown>>): ErrorDetail[] => {
    const given = CANDIDATES.filter((name) => body[name] !== undefined && body[name] !== null);
    const found: ErrorDetail[] =
      given.length === 1 ? [] : [{ field: given[0] ?? 'rule', message: 'give one of `rule_id`, `rule` and `policy`' }];
    const { expression } = (body.rule ?? {}) as { expression?: unknown };
    return [
      ...found,
      ...(expression === undefined ? [] : deps.expressionFaults(expression, 'rule.expression')),
      ...deps.pointFaults(body.policy ?? {}).map(({ field, message }) => ({ field: `policy.${field}`, message })),
    ];
  };

  const end = async (id: string, ended: Parameters<typeof endBacktest>[1]): Promise<void> => {
    try {
      await backend.write([endBacktest(id, ended)]);
    } catch (error) {
      deps.log.error({ err: error }, 'the outcome of a backtest could not be stored');
    }
  };
  const forget = (tenant: number): void => {
    clearInterval(running.get(tenant)?.saying);
    running.delete(tenant);
  };
  const fail = (id: string, message: string) => end(id, { status: 'failed', at: clock(), message, outcome: null });

  /** Says now and then that it goes on, and how far it is, to other processes and to those who ask them. */
  const sayAlive = (own: Running): void => {
    own.saying = setInterval(() => {
      backend.write([keepAlive(own.id, clock() + LOST_AFTER_MS, own.progress)]).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'that a backtest goes on could not be stored');
      });
    }, HEARD_EVERY_MS);
    own.saying.unref();
  };

  const begin = (row: BacktestRow, request: BacktestRequest, own: Running): void => {
    const policy = deps.policyOf(row.tenant);
    const connection = deps.connect();
    const data: BacktestData = {
      connection,
      tenant: row.tenant,
      from: Math.max(row.from_at, row.created_at - RETAINED_MS),
      until: row.until_at,
      request,
      model: deps.modelOf(row.tenant),
      thresholds: policy.thresholds,
      eventThresholds: policy.eventThresholds ?? policy.thresholds,
      points: policy.points,
      treatments: [...(policy.treatments ?? [])],
    };
    const thread = new Worker(new URL('./backtest-thread.ts', import.meta.url), {
      workerData: data,
      transferList: [...connection.ports],
    });
    own.thread = thread;
    const ended = async (id: string, message: Exclude<FromBacktest, { progress: number }>): Promise<void> => {
      if ('gone' in message) await fail(id, GONE);
      else await end(id, { status: 'done', at: clock(), message: null, outcome: JSON.stringify(message.outcome) });
      forget(row.tenant);
    };
    thread.on('message', (message: FromBacktest) => {
      if ('progress' in message) own.progress = Math.min(1, Math.max(0, message.progress));
      else void ended(row.id, message);
    });
    thread.on('error', (error) => {
      deps.log.error({ err: error }, 'a backtest failed');
      void fail(row.id, FAILED).then(() => forget(row.tenant));
    });
    sayAlive(own);
  };

  const inProgress = (): ApiError =>
    new ApiError('backtest_in_progress', 'A backtest of this account is under way. Wait until it is done.', {
      headers: { 'Retry-After': '1' },
    });

  const create = async (call: Call): Promise<Answer> => {
    const request = call.body as BacktestRequest;
    const { tenant } = call.caller;
    const now = clock();
    const until = Math.min(now + 1, timeOf(request.until) ?? now + 1);
    const from = timeOf(request.from) ?? until - DEFAULT_MS;
    if (from >= until) throw invalidRequest([{ field: 'from', message: 'must be before `until`' }]);
    if (request.rule_id !== undefined) {
      const id = idOf('rule', request.rule_id);
      if (id === undefined || !(await deps.hasRule(tenant, id))) throw notFound('rule');
    }
    if (running.has(tenant)) throw inProgress();
    const row: BacktestRow = {
      id: deps.newId(),
      tenant,
      status: 'running',
      request: JSON.stringify(request),
      from_at: from,
      until_at: until,
      created_at: now,
      ended_at: null,
      message: deps.runsJobs ? null : LEFT,
      outcome: null,
      alive_until: deps.runsJobs ? now + LOST_AFTER_MS : WAITS,
      progress: 0,
    };
    const answer = call.answer(toBacktest(row));
    // In turn: of two written at once, neither sees that the other is under way.
    const insert = async (): Promise<void> => {
      const { written } = await backend.inTurn(`backtest ${tenant}`, () =>
        backend.write([insertBacktest(row), ...answer.statements]),
      );
      if (!written) throw inProgress();
    };
    if (!deps.runsJobs) {
      await insert();
      return answer;
    }
    // No await between the look and this: of two at once the second finds it taken.
    const own: Running = { id: row.id, progress: 0 };
    running.set(tenant, own);
    try {
      await insert();
      begin(row, request, own);
    } catch (error) {
      forget(tenant);
      throw error;
    }
    return answer;
  };

  /** Begins what another process was asked for, unless there is enough to do: another may have more time. */
  const pickUp = async (): Promise<boolean> => {
    if (running.size >= MOST_PICKED_UP) return false;
    const row = await firstWaiting(backend);
    if (row === undefined || running.has(row.tenant)) return false;
    await deps.catchUp();
    const own: Running = { id: row.id, progress: 0 };
    running.set(row.tenant, own);
    try {
      const { written } = await backend.write([takeWaiting(row.id, clock() + LOST_AFTER_MS)]);
      if (written) begin(row, JSON.parse(row.request) as BacktestRequest, own);
      else forget(row.tenant);
      return true;
    } catch (error) {
      forget(row.tenant);
      throw error;
    }
  };
  const pickingUp = makeRounds({
    act: pickUp,
    firstMs: PICK_UP_EVERY_MS,
    moreMs: 0,
    restMs: PICK_UP_EVERY_MS,
    onFault: (error) => deps.log.warn({ err: error }, 'backtests that wait could not be looked for yet'),
  });

  const get = async (call: Call): Promise<Answer> => {
    const id = idOf('backtest', call.params.backtest_id as string);
    const row = id === undefined ? undefined : await findBacktest(backend, call.caller.tenant, id);
    if (row === undefined) throw notFound('backtest');
    return call.answer(toBacktest(row));
  };

  const list = async (call: Call): Promise<Answer> => {
    const { limit = DEFAULT_LIMIT, before } = call.query as BacktestQuery;
    const last = before === undefined ? undefined : idOf('backtest', before);
    const rows = await listBacktests(backend, call.caller.tenant, last, limit + 1);
    const found: BacktestList = { backtests: rows.slice(0, limit).map(toBacktest), has_more: rows.length > limit };
    return call.answer(found);
  };

  return {
    faults,
    create,
    get,
    list,
    start: (): void => {
      if (deps.runsJobs) pickingUp.start();
    },
    stop: async (): Promise<void> => {
      await pickingUp.stop();
      const cut = [...running];
      for (const [tenant] of cut) forget(tenant);
      await Promise.all(cut.map(([, { thread }]) => thread?.terminate()));
      await Promise.all(cut.map(([, { id }]) => fail(id, STOPPED)));
    },
  };
};
export type Backtests = ReturnType<typeof makeBacktests>;
