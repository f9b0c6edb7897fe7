import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Facts, fact, unpackFacts } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { client, DAY_MS, type Json, makeClock, profilePath, type Service, startService } from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { differingFacts, expectedOf, STORED_SECRET_KEY, unpackStore } from '../fixtures/stored-versions.ts';

const FIXTURE = 'store-layout-3';
const expected = expectedOf(FIXTURE);
const [SHOPPING, RENT, VICTIM, THIEF, MALLORY, CORRECTED] = [0, 1, 2, 3, 4, 5];

const startUpgraded = async (dataDir = unpackStore(FIXTURE), more: { cacheBytes?: number } = {}) => {
  const clock = makeClock(expected.at);
  const service = await startService({ clock: clock.now, dataDir, env: { SECRET_KEY: STORED_SECRET_KEY }, ...more });
  const api = client(service, await service.key({ environment: 'production' }));
  return { service, clock, api };
};
type Upgraded = Awaited<ReturnType<typeof startUpgraded>>;

const profilesOf = async ({ api }: Upgraded): Promise<Record<string, unknown>> => {
  const profiles: Record<string, unknown> = {};
  for (const user of Object.keys(expected.profiles)) profiles[user] = (await api.get(profilePath(user))).json;
  return profiles;
};
/** Screens the probes. Returns their signals and facts. */
const probe = async ({ api, clock, service }: Upgraded) => {
  const signals: string[][] = [];
  for (const { path, body } of expected.probes) {
    clock.advance(1000);
    signals.push((await api.post(path, body)).json.signals);
  }
  const rows = await service.app.backend.read<{ facts: Uint8Array }>(
    'SELECT facts FROM screenings ORDER BY seq DESC LIMIT ?',
    expected.probes.length,
  );
  return { signals, facts: rows.reverse().map((row) => unpackFacts(row.facts)) };
};
const messagesOf = ({ logs }: Service): string[] => logs.map((line) => JSON.parse(line).msg);

describe.skipIf(isShared)('a store with histories of layout 3', () => {
  test('keeps every profile and case, and every fact of its version to the bit', async () => {
    const upgraded = await startUpgraded();
    expect(await profilesOf(upgraded)).toEqual(expected.profiles);
    const cases = expected.cases.map((of: Json) => ({
      ...of,
      priority: 'normal',
      tags: [],
      assignee: null,
      assigned_at: null,
      summary: null,
      ...{ amount: null, currency: null, amount_usd: null, event_type: null, country: null },
      ...{ snoozed_until: null, notes_count: 0 },
    }));
    expect((await upgraded.api.get('/v1/cases')).json.cases).toEqual(cases);
    const { facts } = await probe(upgraded);
    // The address of ada had a tag and dots. Its mailbox begins with the stored screenings.
    const isMailbox = (name: string): boolean => name.startsWith('email.');
    for (const [i, now] of facts.entries())
      expect(differingFacts(expected.facts[i], now).filter((name) => !isMailbox(name))).toEqual([]);
    expect(facts[SHOPPING]?.[fact('email.payments')]).toBe(6);
  });

  test('keeps its customers trusted, also with what their histories did not record before', async () => {
    const { facts } = await probe(await startUpgraded());
    const of = (at: number, name: string): number => (facts[at] as Facts)[fact(`user.this_${name}`)] as number;
    for (const kind of ['device', 'network', 'fingerprint', 'email', 'counterparty'])
      expect(of(SHOPPING as number, `${kind}_paid_ms`), kind).toBeGreaterThan(129 * DAY_MS);
    // From the stored screenings: once 62, 31 and 1 days ago.
    expect(of(SHOPPING as number, 'shipping_paid_ms')).toBeGreaterThan(61 * DAY_MS);
    expect(of(SHOPPING as number, 'shipping_days')).toBe(3);
    expect([of(RENT as number, 'recurring_payments'), of(RENT as number, 'recurring_days')]).toEqual([3, 3]);
  });

  test('blames the thief and the new account for the stored labels, not the victim', async () => {
    const { signals } = await probe(await startUpgraded());
    const aboutFraud = signals.map((of) => of.filter((name) => name.startsWith('fraud_on_')));
    expect(aboutFraud[VICTIM as number]).toEqual([]);
    expect(aboutFraud[THIEF as number]).toEqual(['fraud_on_device', 'fraud_on_address']);
    expect(aboutFraud[MALLORY as number]).toEqual(['fraud_on_user']);
    expect(aboutFraud[CORRECTED as number]).toEqual([]);
  });

  test('counts a correction of a stored label, and a new reason of it', async () => {
    const upgraded = await startUpgraded();
    const { api } = upgraded;
    const { labels } = (await api.get('/v1/labels')).json;
    const fraudOf = (user: string) =>
      labels.find((label: { subject_id: string }) => label.subject_id === items.get(user)) as { subject_id: string };
    const items = new Map<string, string>();
    for (const { subject_id } of labels)
      items.set((await api.get(`/v1/transactions/${subject_id}`)).json.user_id, subject_id);
    const give = (user: string, more: object) =>
      api.post('/v1/labels', { transaction_id: fraudOf(user).subject_id, source: 'test', ...more });
    await give('mallory', { label: 'legitimate' });
    await give('carol', { label: 'fraud', reason: 'mule' });
    const { signals } = await probe(upgraded);
    expect(signals[MALLORY as number]?.filter((name) => name.startsWith('fraud_on_'))).toEqual([]);
    expect(signals[VICTIM as number]).toContain('fraud_on_user');
  });

  test('keeps its histories when the service is stopped at any later time, with any cache', async () => {
    const dataDir = unpackStore(FIXTURE);
    for (let start = 0; start < 3; start++) {
      const upgraded = await startUpgraded(dataDir, { cacheBytes: start * 2000 });
      expect(await profilesOf(upgraded)).toEqual(expected.profiles);
      await upgraded.service.stop();
    }
    const { facts } = await probe(await startUpgraded(dataDir));
    expect(differingFacts(expected.facts[VICTIM as number], facts[VICTIM as number] as Facts)).toEqual([]);
    expect(facts[SHOPPING]?.[fact('user.this_shipping_days')]).toBe(3);
  });

  test('is converted again after a process died while it converted', async () => {
    const dataDir = unpackStore(FIXTURE);
    const half = readFileSync(join(dataDir, 'counters.db')).subarray(0, 9000);
    for (const left of ['counters.db.new', 'counters.db.new-journal']) writeFileSync(join(dataDir, left), half);
    const upgraded = await startUpgraded(dataDir);
    expect(await profilesOf(upgraded)).toEqual(expected.profiles);
    expect(readdirSync(dataDir).filter((name) => name.includes('.new'))).toEqual([]);
  });

  test('is converted whatever its version number says, and a damaged row is rebuilt from the screenings', async () => {
    const dataDir = unpackStore(FIXTURE);
    const counters = new DatabaseSync(join(dataDir, 'counters.db'));
    counters.exec('PRAGMA user_version = 4');
    const largest = 'SELECT shelf FROM shelves ORDER BY length(bytes) DESC LIMIT 1';
    counters.exec(`UPDATE shelves SET bytes = zeroblob(length(bytes)) WHERE shelf = (${largest})`);
    counters.close();
    const upgraded = await startUpgraded(dataDir);
    const { facts } = await probe(upgraded);
    expect(messagesOf(upgraded.service).join('\n')).toContain('1 damaged ones are rebuilt');
    // The history of before 90 days is gone, the rest is counted again.
    expect(facts[SHOPPING]?.[fact('user.payments')]).toBeGreaterThan(5);
    expect(facts[VICTIM]?.[fact('user.payments')]).toBeGreaterThan(4);
  });

  test('is refused if it is ahead of the records', async () => {
    const dataDir = unpackStore(FIXTURE);
    const records = new DatabaseSync(join(dataDir, 'portcullis.db'));
    records.exec('DELETE FROM labels; DELETE FROM screenings WHERE seq > (SELECT MIN(seq) FROM screenings)');
    records.close();
    await expect(startUpgraded(dataDir)).rejects.toThrow('not from the same backup');
  });
});
