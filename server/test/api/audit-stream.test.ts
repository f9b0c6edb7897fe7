import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeKeys } from '../../src/access/keys.ts';
import { makeAudit } from '../../src/audit/audit.ts';
import { openKeysOf } from '../../src/installation.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { tenantOf } from '../fixtures/audit-logs.ts';
import { client, type Json, makeFolder, type Service, startService } from '../fixtures/harness.ts';
import { changeRecords, openRecords, readRecords, settingsOf } from '../fixtures/records.ts';

/** Entries of a file, each with its account. */
const linesOf = (path: string): Json[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];
const numbersOf = (path: string, account = 'acme'): number[] =>
  linesOf(path)
    .filter((entry) => entry.account === account)
    .map(({ number }) => number);
const metricOf = async (service: Service, key: string, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await client(service, key).get('/metrics')).text)?.[1]);
const logged = (service: Service, text: string): Json[] =>
  service.logs.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith(text));

/** Waits until an entry is handed over. Its line may be there before: a file deleted in between is written again. */
const handedOver = ({ app }: Service, number: number): Promise<void> =>
  expect.poll(() => app.backend.read('SELECT MAX(number) AS number FROM audit_streamed')).toEqual([{ number }]);

let lists = 0;
/** A service that streams into a new file. */
const startStreaming = async (path = join(makeFolder(), 'audit.jsonl'), dataDir = makeFolder()) => {
  const service = await startService({ dataDir, env: { AUDIT_STREAM: `file:${path}` } });
  const change = async (key: string, count = 1): Promise<void> => {
    for (let i = 0; i < count; i++)
      expect((await client(service, key).post('/v1/lists', { name: `list_${lists++}` })).status).toBe(201);
  };
  return { service, path, dataDir, change };
};

describe('a file', () => {
  test('gets every entry of every tenant as the API shows it, with account and environment, but for the person', async () => {
    const { service, path } = await startStreaming();
    const owners = [
      { account: 'acme', environment: 'sandbox' },
      { account: 'acme', environment: 'production' },
      { account: 'Łódź "1"', environment: 'sandbox' },
    ] as const;
    const expected: Json[] = [];
    for (const owner of owners) {
      const api = client(service, await service.key(owner));
      await api.put('/v1/policy', { points: { new_device: 3 } });
      await api.post('/v1/lists/block/entries', { entries: [{ kind: 'user', value: 'zoë\n\u2028' }] });
      const { entries } = (await api.get('/v1/audit')).json;
      expect(entries).toHaveLength(3);
      expected.push(...entries.reverse().map(({ person: _, ...entry }: Json) => ({ ...owner, ...entry })));
    }
    await expect.poll(() => linesOf(path).length).toBe(9);
    for (const { account, environment } of owners) {
      const isOwn = (one: Json): boolean => one.account === account && one.environment === environment;
      expect(linesOf(path).filter(isOwn)).toEqual(expected.filter(isOwn));
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is created again after it was rotated away or deleted, and the rotated one is left as it is', async () => {
    const { service, path, change } = await startStreaming();
    const key = await service.key();
    await expect.poll(() => numbersOf(path)).toEqual([1]);
    renameSync(path, `${path}.1`);
    await change(key);
    await expect.poll(() => numbersOf(path)).toEqual([2]);
    await handedOver(service, 2);
    rmSync(path);
    await change(key);
    await expect.poll(() => numbersOf(path)).toEqual([3]);
    expect(numbersOf(`${path}.1`)).toEqual([1]);
  });

  test('with a partial last line gets a newline before the next entry', async () => {
    const path = join(makeFolder(), 'audit.jsonl');
    writeFileSync(path, '{"number":1}\n{"numb');
    const { service, change } = await startStreaming(path);
    const key = await service.key();
    await expect.poll(() => readFileSync(path, 'utf8').split('\n').length).toBe(4);
    await change(key);
    await expect.poll(() => readFileSync(path, 'utf8').split('\n').length).toBe(5);
    const [first, partial, ...entries] = readFileSync(path, 'utf8').split('\n');
    expect([first, partial, entries.pop()]).toEqual(['{"number":1}', '{"numb', '']);
    expect(entries.map((line) => JSON.parse(line).number)).toEqual([1, 2]);
    // A page whose end was cut off, as by a full disk, in the middle of a stream.
    await handedOver(service, 2);
    rmSync(path);
    await change(key);
    await expect.poll(() => numbersOf(path)).toEqual([3]);
    appendFileSync(path, '{"cut');
    await service.stop();
    const restarted = await startStreaming(path, service.dataDir);
    await restarted.change(key);
    await expect.poll(() => readFileSync(path, 'utf8')).toMatch(/"number":3.*\n\{"cut\n\{.*"number":4.*\n$/);
  });

  test('that cannot be written delays no change and loses no entry', async () => {
    const folder = join(makeFolder(), 'missing');
    const { service, path, change } = await startStreaming(join(folder, 'audit.jsonl'));
    const key = await service.key();
    await change(key, 20);
    await expect.poll(() => metricOf(service, key, 'portcullis_audit_stream_behind')).toBeGreaterThan(0);
    expect(await metricOf(service, key, 'portcullis_audit_stream_failures_total')).toBeGreaterThan(0);
    mkdirSync(folder);
    await expect.poll(() => numbersOf(path)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
    await expect.poll(() => metricOf(service, key, 'portcullis_audit_stream_behind')).toBe(0);
    expect(logged(service, 'audit stream interrupted')).toEqual([
      expect.objectContaining({
        level: 'error',
        destination: `file:${path}`,
        reason: expect.stringContaining('no such file or directory'),
        remedy: 'create the folder of the file',
      }),
    ]);
    expect(logged(service, 'audit stream works again')).toHaveLength(1);
  });

  test('that is a pipe or a device is refused, and repeated failures are counted but logged once', async () => {
    const { service } = await startStreaming('/dev/full');
    const key = await service.key();
    await expect.poll(() => metricOf(service, key, 'portcullis_audit_stream_failures_total')).toBeGreaterThan(1);
    const refusal = { reason: '/dev/full is not a regular file' };
    expect(logged(service, 'audit stream interrupted')).toEqual([expect.objectContaining(refusal)]);
  });
});

test('entries stored before the stream are streamed from the first on, a restart repeats none, another file gets all', async () => {
  const dataDir = makeFolder();
  const before = await startService({ dataDir });
  const key = await before.key();
  await client(before, key).put('/v1/policy', { points: { new_device: 1 } });
  await before.stop();
  const first = await startStreaming(undefined, dataDir);
  await expect.poll(() => numbersOf(first.path)).toEqual([1, 2]);
  await first.change(key);
  await expect.poll(() => numbersOf(first.path)).toEqual([1, 2, 3]);
  await first.service.stop();
  const second = await startStreaming(first.path, dataDir);
  await second.change(key);
  await expect.poll(() => numbersOf(first.path)).toEqual([1, 2, 3, 4]);
  await second.service.stop();
  const other = await startStreaming(undefined, dataDir);
  await expect.poll(() => numbersOf(other.path)).toEqual([1, 2, 3, 4]);
  await expect
    .poll(() => readRecords(dataDir, 'SELECT destination, number FROM audit_streamed ORDER BY destination'))
    .toEqual([first.path, other.path].sort().map((path) => ({ destination: `file:${path}`, number: 4 })));
});

test('more entries than a page, of tenants in turn, arrive in order', async () => {
  const dataDir = makeFolder();
  const before = await startService({ dataDir });
  await before.key();
  await before.key({ account: 'beta' });
  await before.stop();
  const [acme, beta] = [await tenantOf(dataDir, 'acme'), await tenantOf(dataDir, 'beta')];
  const row = "'key_x', 'admin', 'rule.created', 'rule', 'null', 'null', 'hash'";
  const rows = (tenant: number, count: number): string =>
    Array.from({ length: count }, (_, at) => `(${tenant}, ${at + 2}, 0, ${row})`).join(', ');
  await changeRecords(
    dataDir,
    `INSERT INTO audit (tenant, number, at, key_id, role, action, target, before, after, hash) VALUES ${rows(acme, 250)}, ${rows(beta, 1)}`,
  );
  const { path } = await startStreaming(undefined, dataDir);
  await expect.poll(() => linesOf(path).length).toBe(253);
  expect(numbersOf(path)).toEqual(Array.from({ length: 251 }, (_, at) => at + 1));
  // One tenant with many entries does not hold up the others.
  expect(linesOf(path).findLastIndex(({ account }) => account === 'beta')).toBeLessThan(202);
});

test('entries of commands arrive too', async () => {
  const { dataDir, path } = await startStreaming();
  const backend = await openRecords(dataDir);
  const { seal } = await openKeysOf(backend, await settingsOf(dataDir));
  const clock = Date.now;
  const audit = makeAudit({ backend, seal, clock });
  const keys = makeKeys({ backend, audit, seal, note: () => [], newId: makeIds(clock), clock });
  await keys.create('command', 'sandbox', { role: 'admin' });
  await backend.close();
  await expect.poll(() => numbersOf(path, 'command')).toEqual([1]);
});

test('an entry that was made unreadable and a deleted head do not stop the stream', async () => {
  const { service, dataDir, path, change } = await startStreaming();
  const key = await service.key();
  await expect.poll(() => numbersOf(path)).toEqual([1]);
  const tenant = await tenantOf(dataDir, 'acme');
  await changeRecords(
    dataDir,
    `INSERT INTO audit (tenant, number, at, key_id, role, action, target, before, after, hash) VALUES (${tenant}, 2, 9000000000000000, 'key_x', 'admin', 'a b', '', '{not JSON', 'null', 'hash')`,
  );
  await changeRecords(dataDir, 'DELETE FROM audit_heads');
  await change(key);
  await expect.poll(() => numbersOf(path)).toEqual([1, 2, 3]);
  expect(linesOf(path)[1]).toMatchObject({ account: 'acme', at: 9_000_000_000_000_000, before: '{not JSON' });
});
