import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.ts';

export interface Cost {
  /** CPU time of all threads since the start, in microseconds. */
  readonly cpuUs: number;
  readonly rssBytes: number;
}

export interface Server {
  readonly target: Target;
  readonly startedInMs: number;
  readonly cost: () => Promise<Cost>;
  readonly stop: () => Promise<void>;
  /** Ends the process without warning (SIGKILL). */
  readonly kill: () => Promise<void>;
}

/** The next message of a child process. Rejects if the process ends first. */
export const nextMessage = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`The server exited with code ${code}.`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });

/** The compile cache of `npm start`. `startServer` repeats its flags and its limit of heaps. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/portcullis', import.meta.url));

/** Shared by all servers of a run, because the clock must not go back at a restart. */
const STARTED_AT = Date.now();

export const KEY = 'sk_test_benchbenchbenchbenchbenchbenchbench1';

/** Starts a benchmark server in its own process. */
export const startServer = async (file: string, env: Record<string, string> = {}): Promise<Server> => {
  const startedAt = performance.now();
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--max-semi-space-size=6', '--v8-pool-size=1'],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MALLOC_ARENA_MAX: '2',
      API_KEYS: KEY,
      BENCH_STARTED_AT: String(STARTED_AT),
      ...env,
    },
  });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    target: { port, key: KEY },
    startedInMs: performance.now() - startedAt,
    cost: async () => {
      child.send('cost');
      const { cpu, rss } = await nextMessage<{ cpu: NodeJS.CpuUsage; rss: number }>(child);
      return { cpuUs: cpu.user + cpu.system, rssBytes: rss };
    },
    stop: () => {
      if (child.connected) child.send('stop');
      return exited;
    },
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
};
