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
import type { BacktestData, FromBacktest } from './backtest-thread.ts';
import { type BacktestRow, endBacktest, failRunning, findBacktest, insertBacktest, listBacktests } from './store.ts';

const DEFAULT_LIMIT = 20;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_MS = 30 * DAY_MS;
/** What is older may still be there until the sweep comes, and is nobody's to look at. */
const RETAINED_MS = 90 * DAY_MS;
const CANDIDATES = ['rule_id', 'rule', 'policy'] as const;
const STOPPED = 'The service was stopped. Ask again.';
const GONE = 'The rule was deleted.';
const FAILED = 'It failed; the log of the service tells why.';

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : readTimestamp(text));

interface Running {
  readonly id: string;
  progress: number;
  thread?: Worker;
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
  newId: NewId;
  clock: () => number;
  log: Log;
}) => {
  const { backend, clock } = deps;
  /** Of those under way in this process: how far they are, and what ends them. One a tenant. */
  const running = new Map<number, Running>();

  const toBacktest = (row: BacktestRow): Backtest => ({
    backtest_id: withPrefix('backtest', row.id),
    status: row.status,
    progress: row.status === 'done' ? 1 : Math.min(1, Math.max(0, progressOf(row))),
    request: JSON.parse(row.request) as BacktestRequest,
    from: writeTimestamp(row.from_at),
    until: writeTimestamp(row.until_at),
    created_at: writeTimestamp(row.created_at),
    ended_at: row.ended_at === null ? null : writeTimestamp(row.ended_at),
    message: row.message,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as BacktestOutcome),
  });
  const progressOf = ({ id, tenant }: BacktestRow): number => {
    const found = running.get(tenant);
    return found?.id === id ? found.progress : 0;
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

  const end = async (row: BacktestRow, ended: Parameters<typeof endBacktest>[1]): Promise<void> => {
    try {
      await backend.write([endBacktest(row.id, ended)]);
    } catch (error) {
      deps.log.error({ err: error }, 'the outcome of a backtest could not be stored');
    }
    running.delete(row.tenant);
  };

  const start = (row: BacktestRow, request: BacktestRequest, own: Running): void => {
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
    const fail = (message: string) => end(row, { status: 'failed', at: clock(), message, outcome: null });
    thread.on('message', (message: FromBacktest) => {
      if ('progress' in message) own.progress = message.progress;
      else if ('gone' in message) void fail(GONE);
      else void end(row, { status: 'done', at: clock(), message: null, outcome: JSON.stringify(message.outcome) });
    });
    thread.on('error', (error) => {
      deps.log.error({ err: error }, 'a backtest failed');
      void fail(FAILED);
    });
  };

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
    if (running.has(tenant)) {
      throw new ApiError('backtest_in_progress', 'A backtest of this account is under way. Wait until it is done.', {
        headers: { 'Retry-After': '1' },
      });
    }
    const row: BacktestRow = {
      id: deps.newId(),
      tenant,
      status: 'running',
      request: JSON.stringify(request),
      from_at: from,
      until_at: until,
      created_at: now,
      ended_at: null,
      message: null,
      outcome: null,
    };
    const answer = call.answer(toBacktest(row));
    // No await between the look and this: of two at once the second finds it taken.
    const own: Running = { id: row.id, progress: 0 };
    running.set(tenant, own);
    try {
      await backend.write([insertBacktest(row), ...answer.statements]);
      start(row, request, own);
    } catch (error) {
      running.delete(tenant);
      throw error;
    }
    return answer;
  };

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
    /** What a crash cut short is not under way any more. */
    recover: async (): Promise<void> => void (await backend.write([failRunning(clock(), STOPPED)])),
    /** What it cuts short is told of by the next start. */
    stop: async (): Promise<void> => {
      await Promise.all([...running.values()].map(({ thread }) => thread?.terminate()));
    },
  };
};
export type Backtests = ReturnType<typeof makeBacktests>;
