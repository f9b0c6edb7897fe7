import '../server/bin/runtime.js';
import { makeApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { makeLog } from '../server/src/log.ts';

/**
 * The service as `portcullis serve` runs it, and a way to ask it what it cost. Its clock runs fast, so that a million screenings take about
 * a month: at the speed of the bench users would else pay every few seconds, and a third of the payments would rightly be
 * held or blocked.
 */
const SPEED = 15_000;
const benchStartedAt = Number(process.env.BENCH_STARTED_AT);
const clock = (): number => benchStartedAt + Math.floor((Date.now() - benchStartedAt) * SPEED);

const config = readConfig({ ...process.env, PORT: '0', LOG_LEVEL: 'info' });
if ('mistakes' in config) throw new Error(config.mistakes.join('\n'));
const app = await makeApp({ config, log: makeLog('info'), clock });
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
