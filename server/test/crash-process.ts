import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEachFile, takeAll } from './after-file.ts';
import { storeEnv } from './shared-store.ts';

export const CLI = fileURLToPath(new URL('../bin/portcullis.js', import.meta.url));
export const SANDBOX_KEY = 'sk_test_0123456789abcdefghijklmnopqrstuvwxyzABCD';
export const PRODUCTION_KEY = 'sk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD';
const START_WITHIN_MS = 25_000;

const folders = new Set<string>();
const alive = new Set<() => Promise<unknown>>();
afterEachFile(async () => {
  await Promise.all(takeAll(alive).map((end) => end()));
  for (const folder of takeAll(folders)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone when the tests of the file are over. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  folders.add(folder);
  return folder;
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of the command line, as a shell would start it. */
export interface Program {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<Exit>;
}

/** Only what is given is in its environment: settings of whoever runs the tests must not leak in. */
export const start = (command: string, args: readonly string[], env: Record<string, string>): Program => {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const end = (): Promise<unknown> => {
    child.kill('SIGKILL');
    return exited;
  };
  alive.add(end);
  void exited.then(
    () => alive.delete(end),
    () => alive.delete(end),
  );
  return {
    pid: child.pid ?? -1,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    exited,
  };
};

/** Runs a command to its end. */
export const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  const program = start(process.execPath, [CLI, ...args], env);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
};

export interface Server extends Program {
  readonly url: string;
  readonly port: number;
}

/** Waits until a program says where it serves. */
export const serving = async (program: Program): Promise<Server> => {
  const deadline = performance.now() + START_WITHIN_MS;
  let ended: Exit | undefined;
  void program.exited.then((exit) => {
    ended = exit;
  });
  for (;;) {
    const url = /Portcullis serves at (http:\/\/\S+)/.exec(program.stdout())?.[1];
    if (url !== undefined) return { ...program, url, port: Number(new URL(url).port) };
    if (ended !== undefined || performance.now() > deadline) {
      const why = ended === undefined ? 'did not start in time' : `ended with ${ended.code ?? ended.signal}`;
      throw new Error(`the server ${why}\n${program.stdout()}\n${program.stderr()}`);
    }
    await new Promise((done) => setTimeout(done, 5));
  }
};

/** The real service on a folder, at a free port. */
export const serve = async (dataDir: string, env: Record<string, string> = {}): Promise<Server> =>
  serving(
    start(process.execPath, [CLI, 'serve'], {
      DATA_DIR: dataDir,
      PORT: '0',
      API_KEYS: `${SANDBOX_KEY},${PRODUCTION_KEY}`,
      ...(await storeEnv(dataDir)),
      ...env,
    }),
  );
