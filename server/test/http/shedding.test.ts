import { expect, test } from 'vitest';
import { watchLoop } from '../../src/http/shedding.ts';
import { client, login, payment, type Reply, startService } from '../fixtures/harness.ts';

let late: (ms: number) => void = () => {};
const service = await startService({
  watchLoop: (report) => {
    late = report;
    return () => {};
  },
});
const api = client(service, await service.key());
const metric = async (): Promise<string | undefined> =>
  /^portcullis_screenings_shed_total (\d+)$/m.exec((await api.get('/metrics')).text)?.[1];
const statuses = async (): Promise<number[]> => [
  (await api.pay(payment())).status,
  (await api.act(login())).status,
  (await api.get('/v1/cases')).status,
  (await service.call('GET', '/healthz')).status,
  (await service.call('GET', '/readyz')).status,
];
const ALL = [200, 200, 200, 200, 200];
const SHED = [503, 503, 200, 200, 200];

test('an event loop that is late occasionally sheds nothing', async () => {
  for (const ms of [4000, 4000, 0, 0, 900, 900, 499, 499, 499]) {
    late(ms);
    expect(await statuses()).toEqual(ALL);
  }
  expect(await metric()).toBe('0');
});

test('an event loop that stays late sheds screenings before any work, and nothing else', async () => {
  for (let i = 0; i < 3; i++) late(501);
  expect(await statuses()).toEqual(SHED);
  const refused: Reply = await service.call('POST', '/v1/transactions/screen', { body: payment() });
  expect([refused.status, refused.json.error.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'unavailable',
    '1',
  ]);
  expect(await metric()).toBe('3');
  expect(service.logs.filter((line) => line.includes('refusing screenings'))).toHaveLength(1);
  expect(service.logs.filter((line) => line.includes('request refused'))).toEqual([]);
});

test('the first timely check admits screenings again, and the next late one refuses them', async () => {
  late(0);
  expect(await statuses()).toEqual(ALL);
  late(700);
  expect(await statuses()).toEqual(SHED);
  for (let i = 0; i < 3; i++) late(0);
  late(700);
  expect(await statuses()).toEqual(ALL);
});

test('watchLoop measures how long the event loop was blocked', async () => {
  const reports: number[] = [];
  const stop = watchLoop((ms) => void reports.push(ms));
  await expect.poll(() => reports.length).toBeGreaterThan(1);
  const before = reports.length;
  const until = performance.now() + 400;
  while (performance.now() < until);
  await expect.poll(() => reports.length).toBeGreaterThan(before);
  expect(reports[before]).toBeGreaterThan(290);
  stop();
});
