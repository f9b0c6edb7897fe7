import type { Environment } from '@portcullis/contract';
import type { Destination } from '../audit-destination.ts';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { type Audit, toEntry } from './audit.ts';
import { type AuditRow, advanceStreamed, entriesAfter, type LogBehind, logsBehind } from './store.ts';
import { makeFileSink } from './stream-file.ts';
import { describeFailure, type Sink, type StreamedEntry } from './stream-sink.ts';
import { makeSyslogSink } from './stream-syslog.ts';

/** Entries handed over at once, and in one turn of the event loop. */
const PAGE_ROWS = 100;
/** Entries of other processes and of commands are found this soon, and a stream without a process is taken over. */
const ROUND_MS = 2000;
/** Pause after each round: many changes at once share a page. */
const PAUSE_MS = 100;
/** The pause after a failure doubles with each further one. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** How long the page in progress may take once the process stops. */
const STOP_MS = 1000;

interface Owner {
  readonly account: string;
  readonly environment: Environment;
}

interface StreamDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'onWrite'>;
  readonly ownerOf: (tenant: number) => Promise<Owner | undefined>;
  /** Undefined: nothing is streamed. */
  readonly destination: Destination | undefined;
  readonly runsJobs: boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'gauge' | 'auditStreamFailures'>;
}

interface StreamState extends StreamDeps {
  readonly name: string;
  readonly sink: Sink;
  /** Entries that were not handed over, as far as this process knows; 0 while another process streams. */
  behind: number;
  /** Whether this process wrote an entry since the logs were last read. */
  isDue: boolean;
  /** Failures since entries were last handed over. */
  failures: number;
  isStopped: boolean;
  /** Ends the pause between two rounds. */
  wake: () => void;
  /** Ends any pause. */
  endPause: () => void;
}

const NO_OWNER = { account: null, environment: null };

const toStreamed = (row: AuditRow, owner: Owner | undefined): StreamedEntry => {
  try {
    return { ...(owner ?? NO_OWNER), ...toEntry(row) };
  } catch {
    return { ...(owner ?? NO_OWNER), ...row };
  }
};

const succeed = (state: StreamState): void => {
  if (state.failures > 0) state.log.info({ destination: state.name }, 'audit stream works again');
  state.failures = 0;
};

/** Hands over the next entries of a log. Undefined if another process has handed over entries of it. */
const handOverPage = async (
  state: StreamState,
  { tenant, through }: LogBehind,
): Promise<{ readonly through: number | null; readonly hasMore: boolean } | undefined> => {
  const { backend, name, sink, ownerOf } = state;
  const { rows, hasMore } = await entriesAfter(backend, tenant, through ?? 0, PAGE_ROWS);
  const last = rows.at(-1);
  if (last === undefined) return { through, hasMore: false };
  const owner = await ownerOf(tenant);
  await sink.write(rows.map((row) => toStreamed(row, owner)));
  succeed(state);
  const { written } = await backend.write([advanceStreamed(name, { tenant, through }, last.number)]);
  if (!written) return undefined;
  state.behind = Math.max(0, state.behind - rows.length);
  return { through: last.number, hasMore };
};

/** Hands over all entries, a page of each tenant in turn. Returns false if another process does the same. */
const handOverAll = async (state: StreamState): Promise<boolean> => {
  state.isDue = false;
  let logs = await logsBehind(state.backend, state.name);
  state.behind = logs.reduce((sum, { behind }) => sum + behind, 0);
  while (logs.length > 0) {
    const unfinished: LogBehind[] = [];
    for (const log of logs) {
      if (state.isStopped) return true;
      const page = await handOverPage(state, log);
      if (page === undefined) return false;
      if (page.hasMore) unfinished.push({ ...log, through: page.through });
    }
    logs = unfinished;
  }
  state.behind = 0;
  succeed(state);
  return true;
};

const pause = (state: StreamState, ms: number, isWoken = false): Promise<void> =>
  new Promise((resolve) => {
    if (state.isStopped) return resolve();
    const timer = setTimeout(resolve, ms).unref();
    state.endPause = () => {
      clearTimeout(timer);
      resolve();
    };
    state.wake = isWoken ? state.endPause : () => {};
  });

/** Streams until the process stops or another process streams. */
const stream = async (state: StreamState): Promise<true> => {
  try {
    while (!state.isStopped && (await handOverAll(state))) {
      await pause(state, PAUSE_MS);
      if (!state.isDue) await pause(state, ROUND_MS, true);
    }
    return true;
  } finally {
    await state.sink.close();
  }
};

const fail = (state: StreamState, error: unknown): void => {
  const { log, metrics, name } = state;
  metrics.auditStreamFailures.inc();
  if (state.failures++ > 0) return;
  log.error(
    { destination: name, ...describeFailure(error) },
    'audit stream interrupted; entries stay in the database and are handed over later',
  );
};

/**
 * Streams while no other process does. The lock ends with its process or when that hangs. A process that lost the lock
 * without noticing stops at its next page: the other one has moved the position.
 */
const run = async (state: StreamState): Promise<void> => {
  while (!state.isStopped) {
    try {
      const streamed = await state.backend.tryWithLock(`audit stream to ${state.name}`, () => stream(state));
      if (streamed === undefined) state.behind = 0;
      await pause(state, ROUND_MS);
    } catch (error) {
      if (state.isStopped) return;
      fail(state, error);
      await pause(state, Math.min(FIRST_RETRY_MS * 2 ** (state.failures - 1), MAX_RETRY_MS));
    }
  }
};

/** Hands every audit entry over to a destination outside the database, at least once and in the order of each log. */
export const makeAuditStream = (deps: StreamDeps) => {
  const { audit, destination, runsJobs, metrics } = deps;
  let state: StreamState | undefined;
  metrics.gauge(
    'portcullis_audit_stream_behind',
    'Audit entries not handed over to AUDIT_STREAM yet, in the process that streams.',
    () => state?.behind ?? 0,
  );
  if (destination === undefined || !runsJobs) return { start: (): void => {}, stop: async (): Promise<void> => {} };
  const streaming: StreamState = {
    ...deps,
    name: destination.name,
    sink: 'path' in destination ? makeFileSink(destination.path) : makeSyslogSink(destination.receiver),
    behind: 0,
    isDue: false,
    failures: 0,
    isStopped: false,
    wake: () => {},
    endPause: () => {},
  };
  state = streaming;
  let running: Promise<void> = Promise.resolve();
  audit.onWrite(() => {
    streaming.isDue = true;
    streaming.wake();
  });
  return {
    start: (): void => {
      running = run(streaming);
    },
    /** Entries that were not handed over are left to the next start. */
    stop: async (): Promise<void> => {
      streaming.isStopped = true;
      streaming.endPause();
      const giveUp = setTimeout(() => void streaming.sink.close().catch(() => {}), STOP_MS);
      await running.finally(() => clearTimeout(giveUp));
    },
  };
};
