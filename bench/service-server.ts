import '../server/bin/runtime.js';
import { makeApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { makeLog } from '../server/src/log.ts';

/** The service as `portcullis serve` runs it, and a way to ask it what it cost. */
const config = readConfig({ ...process.env, PORT: '0', LOG_LEVEL: 'info' });
if ('mistakes' in config) throw new Error(config.mistakes.join('\n'));
const app = await makeApp({ config, log: makeLog('info') });
await app.keys.provide(config.apiKeys);
await app.listen();

process.on('message', async (message) => {
  if (message === 'stop') {
    await app.close();
    process.exit(0);
  }
  process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
});
process.send?.({ port: (app.http.server.address() as { port: number }).port });
