import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.ts';

export interface Cost {
  /** Microseconds of processor time since it started, all threads. */
  readonly cpuUs: number;
  readonly rssBytes: number;
}

export interface Server {
  readonly target: Target;
  readonly startedInMs: number;
  readonly cost: () => Promise<Cost>;
  readonly stop: () => Promise<void>;
  /** Ends it as a power cut would. */
  readonly kill: () => Promise<void>;
}

export const answer = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });

/** As `npm start` has it. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/portcullis', import.meta.url));

/** For all starts of a server in one run: its clock must not go back from one to the next. */
const STARTED_AT = Date.now();

export const KEY = 'sk_test_benchbenchbenchbenchbenchbenchbench1';

/** Starts one of the bench's servers in a process of its own. */
export const startServer = async (file: string, env: Record<string, string> = {}): Promise<Server> => {
  const startedAt = performance.now();
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--max-semi-space-size=6'],
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE, API_KEYS: KEY, BENCH_STARTED_AT: String(STARTED_AT), ...env },
  });
  const { port } = await answer<{ port: number }>(child);
  return {
    target: { port, key: KEY },
    startedInMs: performance.now() - startedAt,
    cost: async () => {
      child.send('cost');
      const { cpu, rss } = await answer<{ cpu: NodeJS.CpuUsage; rss: number }>(child);
      return { cpuUs: cpu.user + cpu.system, rssBytes: rss };
    },
    stop: () => {
      const exited = new Promise<void>((done) => child.once('exit', () => done()));
      child.send('stop');
      return exited;
    },
    kill: () => {
      const exited = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill('SIGKILL');
      return exited;
    },
  };
};
