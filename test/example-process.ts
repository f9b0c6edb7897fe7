import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';

/** Starts an example as its README does, but on a free port. `program` is a path below `examples/`. */
export const startExample = async (program: string, env: Record<string, string>, args: readonly string[] = []) => {
  const path = fileURLToPath(new URL(`../examples/${program}`, import.meta.url));
  const command = program.endsWith('.py') ? 'python3' : process.execPath;
  const child = spawn(command, [path, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PYTHONUNBUFFERED: '1', PORT: '0', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  /** Waits until the output matches, and returns the match. */
  const printed = (pattern: RegExp): Promise<string> =>
    vi.waitFor(() => (pattern.exec(output) ?? expect.fail(`${pattern} is not in ${output}`))[0], {
      timeout: 20_000,
      interval: 20,
    });
  const url = (await printed(/(?<=listening: +)https?:\S+/)) as string;
  return {
    url,
    printed,
    /** The output so far. */
    output: () => output,
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
      });
      const received = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        json: received === '' ? undefined : JSON.parse(received),
      };
    },
    stop: (): void => void child.kill('SIGKILL'),
  };
};
export type Example = Awaited<ReturnType<typeof startExample>>;
