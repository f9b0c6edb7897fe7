import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SANDBOX_KEY } from '../fixtures/crash-process.ts';
import {
  countLoad,
  expectExact,
  faultTraffic,
  isUnavailable,
  sendAll,
  startForLoad,
  take,
} from '../fixtures/fault-load.ts';
import { holdWrites } from '../fixtures/records.ts';

describe('another process holds the write lock of the store', () => {
  test('for a moment: screenings wait for it and all succeed', async () => {
    const service = await startForLoad({});
    const release = await holdWrites(service.dataDir);
    const sent = take(20, faultTraffic());
    const answering = sendAll(service, sent);
    await sleep(200);
    await release();
    expect((await answering).map(({ status }) => status)).toEqual(sent.map(() => 200));
    await expectExact(service, service.dataDir, sent);
  });

  test('for long: 503 with Retry-After, reads continue, and it recovers by itself with exact counters', async () => {
    const timeoutMs = 500;
    const service = await startForLoad({ storeTimeoutMs: timeoutMs });
    const next = faultTraffic();
    const before = await countLoad(service, 8, next, 100);
    expect(before.refused).toEqual([]);
    const release = await holdWrites(service.dataDir);

    // Requests that arrive while others wait are refused together with them.
    const early = sendAll(service, take(30, next));
    await sleep(timeoutMs / 2);
    const late = sendAll(service, take(10, next));
    const [known] = before.acknowledged;
    const { transaction_id, event_id } = JSON.parse(known?.text ?? '');
    const path = transaction_id === undefined ? `/v1/events/${event_id}` : `/v1/transactions/${transaction_id}`;
    const read = await service.call('GET', path, { key: SANDBOX_KEY });
    expect([read.status, read.text]).toEqual([200, known?.text]);
    const answers = [...(await early), ...(await late)];
    expect(answers.filter((answer) => !isUnavailable(answer))).toEqual([]);
    expect((await service.call('GET', '/healthz')).status).toBe(200);

    await release();
    await expect.poll(async () => (await service.call('GET', '/readyz')).status).toBe(200);
    const after = await countLoad(service, 8, next, 100);
    expect(after.refused).toEqual([]);
    await expectExact(service, service.dataDir, [...before.acknowledged, ...after.acknowledged]);
    expect(service.logs.join()).toContain('the store failed');
  });
});
