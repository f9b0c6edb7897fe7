import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';

const program = fileURLToPath(new URL('../examples/webhook-receiver/receiver.ts', import.meta.url));

/** The example as its README starts it, but on a port of its own. */
export const startReceiver = async (folder: string) => {
  const child = spawn(process.execPath, [program, folder], { env: { PATH: process.env.PATH ?? '', PORT: '0' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await vi.waitFor(() => expect(output).toContain('listening:'), { timeout: 20_000, interval: 20 });
  const url = /listening: +(\S+)/.exec(output)?.[1] as string;
  const certificateFile = join(folder, 'certificate.pem');
  return {
    url,
    certificateFile,
    secretFile: join(folder, 'secret'),
    /** What was printed once there is as much as asked for. */
    printed: (pattern: RegExp): Promise<string> =>
      vi.waitFor(() => (pattern.exec(output) ?? expect.fail(`${pattern} is not in ${output}`))[0], {
        timeout: 20_000,
        interval: 20,
      }),
    /** Posts over TLS, trusting the receiver's own certificate alone, and answers with the status. */
    post: (body: string | Buffer, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(url, { method: 'POST', headers, ca: readFileSync(certificateFile) }, (response) => {
          response.resume();
          resolve(response.statusCode as number);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    stop: (): void => void child.kill('SIGKILL'),
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
