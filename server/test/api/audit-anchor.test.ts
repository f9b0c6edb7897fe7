import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { ownerOf } from '../../src/access/access.ts';
import { makeKeys } from '../../src/access/keys.ts';
import { makeAnchors } from '../../src/audit/anchors.ts';
import { actor, makeAudit, positionOf } from '../../src/audit/audit.ts';
import { toAuditCheck } from '../../src/audit/check.ts';
import { makeAuditWatch } from '../../src/audit/watch.ts';
import { acceptAudit, checkAudit, exportAnchors } from '../../src/commands/audit.ts';
import { openKeysOf } from '../../src/installation.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { copyTables, restoreTables, withAnchorPlace } from '../fixtures/audit-logs.ts';
import { client, type Json, makeFolder, startService } from '../fixtures/harness.ts';
import { changeRecords, openRecords, settingsOf } from '../fixtures/records.ts';

const EMPTIED = ['DELETE FROM audit', 'DELETE FROM audit_heads'];
afterEach(() => {
  process.exitCode = undefined;
});

// One store for all tests: dropping a database of PostgreSQL takes seconds.
const folder = makeFolder();
const config = await settingsOf(folder);
const backend = await openRecords(folder);
const { seal } = await openKeysOf(backend, config);
const clock = Date.now;
afterAll(() => backend.close());

/** A new installation, whose audit any number of processes write, one after the other or at once. */
const started: (() => Promise<void>)[] = [];
const install = async () => {
  // The processes of the test before would write their anchor into the new installation.
  for (const stop of started.splice(0)) await stop();
  await changeRecords(folder, [...EMPTIED, 'DELETE FROM audit_anchors']);
  await withAnchorPlace(folder, (place) => place.remove());

  /** A process: its memory starts empty. */
  const start = async () => {
    const logs: Json[] = [];
    const log = makeLog('info', { write: (line) => void logs.push(JSON.parse(line)) });
    const metrics = makeMetrics();
    const place = await withAnchorPlace(folder, async (one) => one);
    const anchors = makeAnchors({
      backend,
      seal,
      clock,
      place: {
        name: place.name,
        read: () => withAnchorPlace(folder, (one) => one.read()),
        write: (text) => withAnchorPlace(folder, (one) => one.write(text)),
      },
    });
    await anchors.read();
    const audit = makeAudit({ backend, seal, clock, anchors });
    const watch = makeAuditWatch({
      backend,
      seal,
      audit,
      anchors,
      ownerOf: (tenant) => ownerOf(backend, tenant),
      runsJobs: true,
      log,
      metrics,
    });
    started.push(watch.stop);
    await watch.round();
    const keys = makeKeys({ backend, audit, seal, note: () => [], newId: makeIds(clock), clock });
    const tenant = await keys.tenantOf('acme', 'sandbox');
    const change = (): Promise<unknown> =>
      audit.write(
        actor('settings', tenant),
        { action: 'policy.changed', target: 'policy', before: null, after: {} },
        [],
      );
    return {
      logs,
      round: watch.round,
      keys,
      change,
      check: async (anchor?: string) =>
        toAuditCheck(await audit.checkTenant(tenant, anchor === undefined ? undefined : positionOf(anchor))),
      isIntact: async (): Promise<boolean> => (await metrics.text()).includes('\nportcullis_audit_intact 1\n'),
    };
  };
  return { start };
};

/** An installation with four anchored entries; the process that wrote them has ended. */
const installWithEntries = async () => {
  const installation = await install();
  const first = await installation.start();
  for (let i = 0; i < 4; i++) await first.change();
  await first.round();
  const { anchor } = await first.check();
  return { ...installation, anchor: anchor as string };
};

/** Runs a command. Returns its output and whether it failed. */
const run = async (command: () => Promise<void>): Promise<{ out: string; failed: boolean }> => {
  const lines: string[] = [];
  const write = (line: unknown): boolean => lines.push(String(line)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(write));
  try {
    await command();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const failed = process.exitCode === 1;
  process.exitCode = undefined;
  return { out: lines.join(''), failed };
};

test('the service reports an emptied log at its start, in log and metric, and still serves', async () => {
  const service = await startService();
  const key = await service.key();
  await service.stop();
  await changeRecords(service.dataDir, EMPTIED);
  const again = await startService({ dataDir: service.dataDir, logLevel: 'info' });
  const api = client(again, key);
  await again.app.auditWatch.round();
  expect(again.logs.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'error',
      msg: 'audit log not intact',
      account: 'acme',
      environment: 'sandbox',
      finding: 'emptied',
      broken_at: 1,
    }),
  );
  expect((await api.get('/metrics')).text).toMatch(/^portcullis_audit_intact 0$/m);
  expect((await again.call('GET', '/readyz')).status).toBe(200);
  // The numbers of the deleted entries are not used again.
  await api.put('/v1/policy', { points: { new_device: 1 } });
  expect((await api.get('/v1/audit')).json.entries.map(({ number }: Json) => number)).toEqual([2]);
  expect((await api.get('/v1/audit/check')).json).toMatchObject({ finding: 'emptied', broken_at: 1 });
});

describe('a process that starts', () => {
  test('reports nothing if the log is intact', async () => {
    const { start, anchor } = await installWithEntries();
    const { logs, check, isIntact } = await start();
    expect([logs, await isIntact()]).toEqual([[], true]);
    expect(await check(anchor)).toMatchObject({ intact: true, entries: 4 });
  });

  test('reports an older copy of the tables', async () => {
    const { start } = await install();
    const first = await start();
    await first.change();
    const copy = await copyTables(folder);
    await first.change();
    await first.round();
    await restoreTables(folder, copy);
    expect((await start()).logs).toMatchObject([{ level: 'error', finding: 'rolled_back', broken_at: 2 }]);
  });

  test.each([
    ['missing', undefined],
    ['forged', 'nothing'],
    ['forged', JSON.stringify({ at: 1, heads: [], seal: '0'.repeat(64) })],
  ] as const)('reports an anchor that is %s, until an operator accepts it', async (state, text) => {
    const { start } = await installWithEntries();
    await withAnchorPlace(folder, (place) => (text === undefined ? place.remove() : place.write(text)));
    const { logs, check, isIntact, round } = await start();
    expect([await isIntact(), await check()]).toMatchObject([false, { finding: `anchor_${state}`, broken_at: null }]);
    await round();
    expect(logs).toMatchObject([{ level: 'error', anchor: state }]);
    expect((await run(() => acceptAudit(config, { reason: 'a new Redis' }))).out).toContain(`anchor_${state}`);
    const later = await start();
    expect([later.logs, await later.isIntact()]).toEqual([[], true]);
    expect(await later.check()).toMatchObject({ intact: true, entries: 5, accepted: [{ number: 5 }] });
  });

  test('anchors the log of an earlier release', async () => {
    const { start } = await installWithEntries();
    await changeRecords(folder, 'DELETE FROM audit_anchors');
    await withAnchorPlace(folder, (place) => place.remove());
    expect((await start()).logs).toEqual([]);
    await changeRecords(folder, EMPTIED);
    expect((await start()).logs).toMatchObject([{ finding: 'emptied' }]);
  });
});

describe('a running process', () => {
  test('notices that logs were emptied and that they are back, and logs each once', async () => {
    const { start } = await installWithEntries();
    const { logs, keys, round, isIntact } = await start();
    await keys.create('other', 'sandbox', { role: 'admin' });
    await round();
    const copy = await copyTables(folder);
    await changeRecords(folder, EMPTIED);
    await round();
    await round();
    expect(logs).toMatchObject([
      { account: 'acme', finding: 'emptied' },
      { account: 'other', finding: 'emptied' },
    ]);
    await restoreTables(folder, copy);
    await round();
    expect(await isIntact()).toBe(true);
  });

  test('detects an older copy of both tables and anchor, and writes a lost anchor again', async () => {
    const { start } = await installWithEntries();
    const { logs, check, change, round } = await start();
    const read = () => withAnchorPlace(folder, (place) => place.read()) as Promise<string>;
    const [copy, oldAnchor] = [await copyTables(folder), await read()];
    await change();
    await round();
    const newAnchor = await read();
    expect(newAnchor).not.toBe(oldAnchor);

    await withAnchorPlace(folder, (place) => place.remove());
    await round();
    expect(logs).toMatchObject([{ level: 'error', anchor: 'missing' }]);
    expect(JSON.parse(await read()).heads).toEqual(JSON.parse(newAnchor).heads);
    expect(await check()).toMatchObject({ intact: true, entries: 5 });

    await restoreTables(folder, copy);
    await withAnchorPlace(folder, (place) => place.write(oldAnchor));
    expect(await check()).toMatchObject({ finding: 'rolled_back', broken_at: 5 });
  });

  test('anchors the entries of other processes', async () => {
    const { start } = await install();
    const [one, two] = [await start(), await start()];
    for (let i = 0; i < 3; i++) {
      await one.change();
      await two.change();
    }
    await Promise.all([one.round(), two.round()]);
    await one.round();
    const { logs, check } = await start();
    expect([logs, await check()]).toMatchObject([[], { intact: true, entries: 6 }]);
  });
});

test('an older copy of both tables and anchor needs an exported anchor to be detected', async () => {
  const { start } = await installWithEntries();
  const copy = await copyTables(folder);
  const anchor = (await withAnchorPlace(folder, (place) => place.read())) as string;
  const first = await start();
  await first.change();
  await first.round();
  const file = join(makeFolder(), 'anchors.json');
  const { out: json } = await run(() => exportAnchors(config));
  writeFileSync(file, json);
  const [exported] = JSON.parse(json).anchors;
  expect(exported).toMatchObject({ account: 'acme', environment: 'sandbox', anchor: expect.stringMatching(/^5:/) });
  expect((await run(() => checkAudit(config, { anchors: file }))).failed).toBe(false);

  await restoreTables(folder, copy);
  await withAnchorPlace(folder, (place) => place.write(anchor));
  const { check } = await start();
  expect(await check()).toMatchObject({ intact: true, entries: 4 });
  expect(await check(exported.anchor)).toMatchObject({ finding: 'rolled_back', broken_at: 5 });
  const { out, failed } = await run(() => checkAudit(config, { anchors: file }));
  expect([failed, out]).toEqual([true, expect.stringContaining('acme, sandbox: The log is an older copy')]);
});

describe('portcullis audit accept', () => {
  test('ends a finding with an entry, and what was accepted cannot be changed later', async () => {
    const { start, anchor } = await installWithEntries();
    await changeRecords(folder, 'DELETE FROM audit WHERE number IN (2, 4)');
    expect((await run(() => checkAudit(config, {}))).failed).toBe(true);
    expect((await run(() => exportAnchors(config))).failed).toBe(true);
    const { out } = await run(() => acceptAudit(config, { reason: 'restored from the backup of Monday' }));
    expect(out).toContain('acme, sandbox: accepted (removed)');
    const { logs, change, check } = await start();
    await change();
    expect(logs).toEqual([]);
    const accepted = [{ number: 5, broken_at: 2 }];
    for (const query of [undefined, anchor])
      expect(await check(query)).toMatchObject({ intact: true, entries: 6, accepted });
    const { audit } = await copyTables(folder);
    expect(audit.find(({ number }) => number === 5)).toMatchObject({
      key_id: 'key_command_line',
      action: 'audit.accepted',
      before: '{"finding":"removed","broken_at":2}',
      after: '{"reason":"restored from the backup of Monday"}',
    });
    expect((await run(() => acceptAudit(config, { reason: 'again' }))).out).toContain('All audit logs are intact');
    await changeRecords(folder, "UPDATE audit SET after = 'null' WHERE number = 3");
    expect(await check()).toMatchObject({ finding: 'removed', broken_at: 2 });
  });

  test('anchors a database that was restored while the service runs', async () => {
    const { start } = await installWithEntries();
    const { change, check, round, isIntact } = await start();
    const copy = await copyTables(folder);
    await change();
    await round();
    await restoreTables(folder, copy);
    await change();
    await round();
    expect(await isIntact()).toBe(false);
    await run(() => acceptAudit(config, { reason: 'a restore' }));
    await round();
    expect(await isIntact()).toBe(true);
    await change();
    expect(await check()).toMatchObject({ intact: true, entries: 8, accepted: [{ number: 7, broken_at: 5 }] });
  });
});
