import type { Backtest, BacktestList, BacktestOutcome, BacktestRequest, ErrorDetail } from '@portcullis/contract';
import { readTimestamp, writeTimestamp } from '@portcullis/contract/values';
import type { Budget, Policy } from '@portcullis/engine';
import type { Backend, Connection } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { type ActiveJob, type Jobs, makeJobs } from '../jobs/jobs.ts';
import type { ByType } from '../policies/proposal.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import { startComparison } from './compare-host.ts';
import { BACKTEST_TABLE, type BacktestRow, endBacktest, findBacktest, insertBacktest, listBacktests } from './store.ts';

const DEFAULT_LIMIT = 20;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_MS = 30 * DAY_MS;
/** Older screenings are past their retention and must not be read, even where the sweep has not deleted them yet. */
const RETAINED_MS = 90 * DAY_MS;
const CANDIDATES = ['rule_id', 'rule', 'policy'] as const;
const STOPPED = 'The service was stopped. Create the backtest again.';
const RULE_DELETED = 'The rule was deleted.';
/** A fixed text, because the error may quote stored data. The log has the error. */
const FAILED = 'The backtest failed. The log of the service has the reason.';
const CANCELLED = 'The backtest was cancelled.';
const PICK_UP_MS = 500;
const MAX_PICKED_UP = 2;

interface BacktestDeps {
  readonly backend: Backend;
  readonly connect: () => Connection;
  readonly policyOf: (tenant: number) => Policy;
  readonly budgetOf: (tenant: number) => ByType<Budget | null>;
  /** The file of the model that scores for the tenant. */
  readonly modelOf: (tenant: number) => string;
  readonly hasRule: (tenant: number, id: string) => Promise<boolean>;
  readonly expressionErrors: (expression: unknown, field: string) => readonly ErrorDetail[];
  readonly pointErrors: (policy: { readonly points?: unknown }) => readonly ErrorDetail[];
  /** Whether backtests run in this process. Otherwise it leaves them to a process that runs them. */
  readonly runsJobs: boolean;
  /** Resolves when this process knows all changes of others: a backtest left to it is measured against them. */
  readonly catchUp: () => Promise<void>;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly log: Log;
}
interface BacktestState extends BacktestDeps {
  /** One a tenant. */
  readonly jobs: Jobs<BacktestRow, number>;
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : readTimestamp(text));

/** An earlier version stored examples without a summary, and no quality. */
const readOutcome = (text: string): BacktestOutcome => {
  const outcome = JSON.parse(text) as BacktestOutcome;
  return {
    ...outcome,
    quality: outcome.quality ?? null,
    examples: outcome.examples.map((example) => ({ ...example, summary: example.summary ?? null })),
  };
};

const toBacktest = ({ jobs }: BacktestState, row: BacktestRow): Backtest => {
  const { status, message, ended_at, progress } = jobs.currentState(row);
  return {
    backtest_id: withPrefix('backtest', row.id),
    status,
    progress: status === 'done' ? 1 : progress,
    request: JSON.parse(row.request) as BacktestRequest,
    from: writeTimestamp(row.from_at),
    until: writeTimestamp(row.until_at),
    created_at: writeTimestamp(row.created_at),
    ended_at: ended_at === null ? null : writeTimestamp(ended_at),
    message,
    outcome: row.outcome === null ? null : readOutcome(row.outcome),
  };
};

/** Errors that the schema cannot express. They are returned together with those of the schema. */
const requestErrors = (state: BacktestState, body: Readonly<Record<string, unknown>>): ErrorDetail[] => {
  const candidates = CANDIDATES.filter((name) => body[name] !== undefined && body[name] !== null);
  const { expression } = (body.rule ?? {}) as { expression?: unknown };
  return [
    ...(candidates.length === 1
      ? []
      : [{ field: candidates[0] ?? 'rule', message: 'send exactly one of `rule_id`, `rule` and `policy`' }]),
    ...(expression === undefined ? [] : state.expressionErrors(expression, 'rule.expression')),
    ...state.pointErrors(body.policy ?? {}).map(({ field, message }) => ({ field: `policy.${field}`, message })),
  ];
};

const end = async ({ backend, log }: BacktestState, id: string, ending: Parameters<typeof endBacktest>[1]) => {
  try {
    await backend.write([endBacktest(id, ending)]);
  } catch (error) {
    log.error({ err: error }, 'storing the outcome of a backtest failed');
  }
};
const fail = (state: BacktestState, id: string, message: string): Promise<void> =>
  end(state, id, { status: 'failed', at: state.clock(), message, outcome: null });

const run = (state: BacktestState, row: BacktestRow, job: ActiveJob): void => {
  const policy = state.policyOf(row.tenant);
  const thread = startComparison(
    state.connect(),
    {
      tenant: row.tenant,
      from: Math.max(row.from_at, row.created_at - RETAINED_MS),
      until: row.until_at,
      request: JSON.parse(row.request) as BacktestRequest,
      model: state.modelOf(row.tenant),
      thresholds: policy.thresholds,
      eventThresholds: policy.eventThresholds ?? policy.thresholds,
      points: policy.points,
      alwaysReviewed: policy.alwaysReviewed,
      treatments: [...(policy.treatments ?? [])],
      budget: state.budgetOf(row.tenant),
    },
    {
      onProgress: (share) => {
        job.progress = Math.min(1, Math.max(0, share));
      },
      onResult: async (result) => {
        if ('ruleDeleted' in result) await fail(state, row.id, RULE_DELETED);
        else {
          const outcome = JSON.stringify(result.outcome);
          await end(state, row.id, { status: 'done', at: state.clock(), message: null, outcome });
        }
        state.jobs.remove(job);
      },
      onError: async (error) => {
        state.log.error({ err: error }, 'backtest failed');
        await fail(state, row.id, FAILED);
        state.jobs.remove(job);
      },
    },
  );
  job.stop = thread.stop;
};

const inProgress = (): ApiError =>
  new ApiError('backtest_in_progress', 'A backtest of this account is in progress. Wait until it is done.', {
    headers: { 'Retry-After': '1' },
  });

/** Makes the row of a new backtest, after the checks that need the store. */
const newRow = async (state: BacktestState, call: Call<'createBacktest'>): Promise<BacktestRow> => {
  const request = call.body;
  const { tenant } = call.caller;
  const now = state.clock();
  const until = Math.min(now + 1, timeOf(request.until) ?? now + 1);
  const from = timeOf(request.from) ?? until - DEFAULT_MS;
  if (from >= until) throw invalidRequest([{ field: 'from', message: 'must be before `until`' }]);
  if (request.rule_id !== undefined) {
    const id = idOf('rule', request.rule_id);
    if (id === undefined || !(await state.hasRule(tenant, id))) throw notFound('rule');
  }
  return {
    id: state.newId(),
    tenant,
    request: JSON.stringify(request),
    from_at: from,
    until_at: until,
    created_at: now,
    outcome: null,
    ...state.jobs.newJob(),
  };
};

const create = async (state: BacktestState, call: Call<'createBacktest'>): Promise<Answer> => {
  const { backend, jobs } = state;
  const row = await newRow(state, call);
  const { tenant } = row;
  if (jobs.isActive(tenant)) throw inProgress();
  const answer = call.answer(toBacktest(state, row));
  // One at a time: of two inserts at once, neither sees that the other backtest is in progress.
  const insert = async (): Promise<void> => {
    const { written } = await backend.withLock(`backtest ${tenant}`, () =>
      backend.write([insertBacktest(row), ...answer.statements]),
    );
    if (!written) throw inProgress();
  };
  if (!state.runsJobs) {
    await insert();
    return answer;
  }
  // No await between isActive and add: of two requests at once, the second finds the tenant taken.
  const job = jobs.add(row);
  try {
    await insert();
    run(state, row, job);
  } catch (error) {
    jobs.remove(job);
    throw error;
  }
  return answer;
};

const get = async (state: BacktestState, call: Call<'getBacktest'>): Promise<Answer> => {
  const id = idOf('backtest', call.params.backtest_id);
  const row = id === undefined ? undefined : await findBacktest(state.backend, call.caller.tenant, id);
  if (row === undefined) throw notFound('backtest');
  return call.answer(toBacktest(state, row));
};

/** Ends a backtest. Another process that runs it notices with its next heartbeat. */
const cancel = async (state: BacktestState, call: Call<'cancelBacktest'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const id = idOf('backtest', call.params.backtest_id);
  const row = id === undefined ? undefined : await findBacktest(state.backend, tenant, id);
  if (row === undefined) throw notFound('backtest');
  const ending = { status: 'failed', at: state.clock(), message: CANCELLED, outcome: null } as const;
  await state.backend.write([endBacktest(row.id, ending)]);
  await state.jobs.end(row.id);
  const ended = await findBacktest(state.backend, tenant, row.id);
  const answer = call.answer(toBacktest(state, ended ?? row));
  if (answer.statements.length > 0) await state.backend.write(answer.statements);
  return answer;
};

const list = async (state: BacktestState, call: Call<'listBacktests'>): Promise<Answer> => {
  const { limit = DEFAULT_LIMIT, before } = call.query;
  const last = before === undefined ? undefined : idOf('backtest', before);
  const { rows, hasMore } = await listBacktests(state.backend, call.caller.tenant, last, limit);
  const page: BacktestList = { backtests: rows.map((row) => toBacktest(state, row)), has_more: hasMore };
  return call.answer(page);
};

/** Backtests of rules and policies on stored screenings: requested by API, computed in a thread, kept in the store. */
export const makeBacktests = (deps: BacktestDeps) => {
  const prepare = async (row: BacktestRow) => {
    await deps.catchUp();
    return (job: ActiveJob): void => run(state, row, job);
  };
  const jobs = makeJobs<BacktestRow, number>({
    ...deps,
    table: BACKTEST_TABLE,
    name: 'backtest',
    keyOf: ({ tenant }) => tenant,
    lostMessage: STOPPED,
    pickUp: { everyMs: PICK_UP_MS, moreMs: 0, maxActive: MAX_PICKED_UP, prepare },
  });
  const state: BacktestState = { ...deps, jobs };
  return {
    requestErrors: (body: Readonly<Record<string, unknown>>) => requestErrors(state, body),
    create: (call: Call<'createBacktest'>) => create(state, call),
    get: (call: Call<'getBacktest'>) => get(state, call),
    cancel: (call: Call<'cancelBacktest'>) => cancel(state, call),
    list: (call: Call<'listBacktests'>) => list(state, call),
    start: jobs.start,
    stop: async (): Promise<void> => {
      const stopped = await jobs.stop();
      await Promise.all(stopped.map((id) => fail(state, id, STOPPED)));
    },
  };
};
export type Backtests = ReturnType<typeof makeBacktests>;
