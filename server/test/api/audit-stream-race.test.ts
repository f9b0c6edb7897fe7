import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ownerOf } from '../../src/access/access.ts';
import { makeKeys } from '../../src/access/keys.ts';
import { actor, makeAudit } from '../../src/audit/audit.ts';
import { makeAuditStream } from '../../src/audit/stream.ts';
import { readDestination } from '../../src/audit-destination.ts';
import type { Backend, Outcome } from '../../src/backend/backend.ts';
import { openKeysOf } from '../../src/installation.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { openRecords, settingsOf } from '../fixtures/records.ts';

const folder = makeFolder();
const records = await openRecords(folder);
afterAll(() => records.close());
const { seal } = await openKeysOf(records, await settingsOf(folder));
const clock = Date.now;

const path = join(makeFolder(), 'audit.jsonl');
const audit = makeAudit({ backend: records, seal, clock });
const keys = makeKeys({ backend: records, audit, seal, note: () => [], newId: makeIds(clock), clock });
const tenant = await keys.tenantOf('acme', 'sandbox');
const change = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++)
    await audit.write(
      actor('settings', tenant),
      { action: 'policy.changed', target: 'policy', before: null, after: {} },
      [],
    );
};
const numbers = (): number[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).number);
const position = async (): Promise<number | undefined> =>
  (await records.read<{ number: number }>('SELECT number FROM audit_streamed WHERE tenant = ?', tenant))[0]?.number;

/** A process that holds the lock, as far as it knows. `freeze` stops it between handing entries over and storing it. */
const makeProcess = () => {
  const refused: Outcome[] = [];
  let isFrozen = false;
  let resume: (() => void) | undefined;
  const backend: Backend = {
    ...records,
    tryWithLock: (_job, task) => task(),
    write: async (unit) => {
      if (isFrozen)
        await new Promise<void>((done) => {
          resume = done;
        });
      const outcome = await records.write(unit);
      if (!outcome.written) refused.push(outcome);
      return outcome;
    },
  };
  const stream = makeAuditStream({
    backend,
    audit,
    ownerOf: (one) => ownerOf(backend, one),
    destination: readDestination(`file:${path}`),
    runsJobs: true,
    log: makeLog('silent'),
    metrics: makeMetrics(),
  });
  return {
    ...stream,
    refused,
    freeze: (): void => {
      isFrozen = true;
    },
    isInPage: (): boolean => resume !== undefined,
    resume: (): void => {
      isFrozen = false;
      resume?.();
    },
  };
};

test('a process that wakes up after another took over repeats entries, but never moves the position back', async () => {
  const [one, two] = [makeProcess(), makeProcess()];
  await change(1);
  one.start();
  await expect.poll(position).toBe(1);
  one.freeze();
  await change(2);
  await expect.poll(one.isInPage).toBe(true);
  two.start();
  await expect.poll(position).toBe(3);
  await change(3);
  await expect.poll(position).toBe(6);
  one.resume();
  await expect.poll(() => one.refused).toHaveLength(1);
  expect(await position()).toBe(6);
  await change(1);
  await expect.poll(position).toBe(7);
  await Promise.all([one.stop(), two.stop()]);
  expect([...new Set(numbers())]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(numbers().length).toBeGreaterThan(7);
});
