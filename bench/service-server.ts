import '../server/bin/runtime.js';
import { makeApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { makeLog } from '../server/src/runtime/log.ts';

/**
 * The service as `portcullis serve` runs it, which also reports its CPU time and memory. Its clock runs fast, so that a
 * million screenings take about a month. At real speed, users would pay every few seconds, and a third of the payments
 * would rightly be reviewed or blocked. BENCH_SPEED is slower where people work: their sessions end after twelve hours.
 */
const SPEED = Number(process.env.BENCH_SPEED ?? 15_000);
const benchStartedAt = Number(process.env.BENCH_STARTED_AT);
const clock = (): number => benchStartedAt + Math.floor((Date.now() - benchStartedAt) * SPEED);

const config = readConfig({ ...process.env, PORT: '0', LOG_LEVEL: 'info' });
if ('errors' in config) throw new Error(config.errors.join('\n'));
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
