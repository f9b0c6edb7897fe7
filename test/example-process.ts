import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';

/** An example as its README starts it, but on a port of its own. `program` is a path below `examples/`. */
export const startExample = async (program: string, env: Record<string, string>) => {
  const path = fileURLToPath(new URL(`../examples/${program}`, import.meta.url));
  const command = program.endsWith('.py') ? 'python3' : process.execPath;
  const child = spawn(command, [path], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PYTHONUNBUFFERED: '1', PORT: '0', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  /** What was printed once there is as much as asked for. */
  const printed = (pattern: RegExp): Promise<string> =>
    vi.waitFor(() => (pattern.exec(output) ?? expect.fail(`${pattern} is not in ${output}`))[0], {
      timeout: 20_000,
      interval: 20,
    });
  const url = (await printed(/(?<=listening: +)http:\S+/)) as string;
  return {
    url,
    printed,
    /** All that was printed so far. */
    output: () => output,
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
      });
      const received = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        json: received === '' ? undefined : JSON.parse(received),
      };
    },
    stop: (): void => void child.kill('SIGKILL'),
  };
};
export type Example = Awaited<ReturnType<typeof startExample>>;
