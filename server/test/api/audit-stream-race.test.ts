import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ownerOf } from '../../src/access/access.ts';
import { makeKeys } from '../../src/access/keys.ts';
import { actor, makeAudit } from '../../src/audit/audit.ts';
import { makeAuditStream } from '../../src/audit/stream.ts';
import { readDestination } from '../../src/audit-destination.ts';
import type { Backend } from '../../src/backend/backend.ts';
import { openKeysOf } from '../../src/installation.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { openRecords, settingsOf } from '../fixtures/records.ts';

const CHANGES = 150;

const folder = makeFolder();
const records = await openRecords(folder);
afterAll(() => records.close());
const { seal } = await openKeysOf(records, await settingsOf(folder));
const clock = Date.now;

test('processes that stream at once, having lost the lock, lose nothing and never move the position back', async () => {
  const path = join(makeFolder(), 'audit.jsonl');
  const positions: number[] = [];
  const refused: number[] = [];
  /** Both processes hold the lock, as after a process was stopped, replaced and continued. */
  const backend: Backend = {
    ...records,
    tryWithLock: (_job, task) => task(),
    write: async (unit) => {
      const outcome = await records.write(unit);
      if (!unit[0]?.sql.includes('audit_streamed')) return outcome;
      if (!outcome.written) refused.push(outcome.refused);
      const [row] = await records.read<{ number: number }>(
        'SELECT number FROM audit_streamed WHERE tenant = ?',
        tenant,
      );
      positions.push(row?.number ?? 0);
      return outcome;
    },
  };
  const audit = makeAudit({ backend, seal, clock });
  const keys = makeKeys({ backend, audit, seal, note: () => [], newId: makeIds(clock), clock });
  const tenant = await keys.tenantOf('acme', 'sandbox');
  const streams = ['one', 'two'].map(() =>
    makeAuditStream({
      backend,
      audit,
      ownerOf: (one) => ownerOf(backend, one),
      destination: readDestination(`file:${path}`),
      runsJobs: true,
      log: makeLog('silent'),
      metrics: makeMetrics(),
    }),
  );
  const write = (number: number): Promise<unknown> =>
    audit.write(
      actor('settings', tenant),
      { action: 'policy.changed', target: 'policy', before: null, after: { number } },
      [],
    );
  await write(0);
  for (const { start } of streams) start();
  for (let number = 1; number < CHANGES; number++) await write(number);
  const every = Array.from({ length: CHANGES }, (_, at) => at + 1);
  const numbers = (): number[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).number);
  await expect.poll(() => [...new Set(numbers())]).toEqual(every);
  await Promise.all(streams.map(({ stop }) => stop()));
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  expect(positions.at(-1)).toBe(CHANGES);
  expect(refused.length).toBeGreaterThan(0);
});
