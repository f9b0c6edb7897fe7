import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { startExample } from './example-process.ts';

/** Starts the example receiver, with its certificate and secret in `folder`. */
export const startExampleReceiver = async (folder: string) => {
  const { url, printed, stop } = await startExample('webhook-receiver/receiver.ts', {}, [folder]);
  const certificateFile = join(folder, 'certificate.pem');
  return {
    url,
    printed,
    stop,
    certificateFile,
    secretFile: join(folder, 'secret'),
    /** Posts over TLS, trusting only the receiver's own certificate, and returns the status. */
    post: (body: string | Buffer, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(url, { method: 'POST', headers, ca: readFileSync(certificateFile) }, (response) => {
          response.resume();
          resolve(response.statusCode as number);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
  };
};
export type ExampleReceiver = Awaited<ReturnType<typeof startExampleReceiver>>;
