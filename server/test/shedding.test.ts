import { expect, test } from 'vitest';
import { watchLoop } from '../src/http/shedding.ts';
import { client, login, payment, type Reply, startService } from './harness.ts';

let late: (ms: number) => void = () => {};
const service = await startService({
  watchLoop: (note) => {
    late = note;
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

test('a loop that is late now and then sheds nothing', async () => {
  for (const ms of [4000, 4000, 0, 0, 900, 900, 499, 499, 499]) {
    late(ms);
    expect(await statuses()).toEqual(ALL);
  }
  expect(await metric()).toBe('0');
});

test('a loop that stays late sheds screenings before anything is done for them, and all else goes on', async () => {
  for (let i = 0; i < 3; i++) late(501);
  expect(await statuses()).toEqual(SHED);
  const refused: Reply = await service.call('POST', '/v1/transactions/screen', { body: payment() });
  expect([refused.status, refused.json.error.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'unavailable',
    '1',
  ]);
  expect(await metric()).toBe('3');
  expect(service.logs.filter((line) => line.includes('screenings are refused'))).toHaveLength(1);
  expect(service.logs.filter((line) => line.includes('"unavailable"'))).toEqual([]);
});

test('screenings are taken again with the first look that is in time, and refused again with the next that is not', async () => {
  late(0);
  expect(await statuses()).toEqual(ALL);
  late(700);
  expect(await statuses()).toEqual(SHED);
  for (let i = 0; i < 3; i++) late(0);
  late(700);
  expect(await statuses()).toEqual(ALL);
});

test('how late it is, is measured: a turn that takes long makes it late by as much', async () => {
  const told: number[] = [];
  const stop = watchLoop((ms) => void told.push(ms));
  await expect.poll(() => told.length).toBeGreaterThan(1);
  const before = told.length;
  const until = performance.now() + 400;
  while (performance.now() < until);
  await expect.poll(() => told.length).toBeGreaterThan(before);
  expect(told[before]).toBeGreaterThan(290);
  stop();
});
