import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unpackFacts } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { client, type Json, makeClock, profilePath, type Service, startService } from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { differingFacts, expectedOf, STORED_SECRET_KEY, unpackStore } from '../fixtures/stored-versions.ts';

const FIXTURE = 'store-0.1';
const expected = expectedOf(FIXTURE);
const SECRET_KEY = STORED_SECRET_KEY;
const startUpgraded = async (dataDir = unpackStore(FIXTURE), more: { cacheBytes?: number } = {}) => {
  const clock = makeClock(expected.at);
  const service = await startService({ clock: clock.now, dataDir, env: { SECRET_KEY }, ...more });
  const production = client(service, await service.key({ environment: 'production' }));
  return { service, clock, production };
};
const messagesOf = ({ logs }: Service): string[] => logs.map((line) => JSON.parse(line).msg);

const readProfiles = async (service: Service): Promise<Record<string, unknown>> => {
  const [sandbox, production, globex] = [
    client(service, await service.key({ environment: 'sandbox' })),
    client(service, await service.key({ environment: 'production' })),
    client(service, await service.key({ environment: 'production', account: 'globex' })),
  ];
  const profiles: Record<string, unknown> = {};
  for (const name of Object.keys(expected.profiles)) {
    const user = name.split(' ').at(-1) as string;
    const api = name.startsWith('sandbox') ? sandbox : name.startsWith('globex') ? globex : production;
    profiles[name] = (await api.get(profilePath(user))).json;
  }
  return profiles;
};

describe.skipIf(isShared)('a store of release 0.1', () => {
  test('keeps every profile and case, and measures as before, to the bit of every fact', async () => {
    const { service, clock, production } = await startUpgraded();
    expect(await readProfiles(service)).toEqual(expected.profiles);
    const cases = expected.cases.map((of: Json) => ({
      ...of,
      priority: 'normal',
      tags: [],
      assignee: null,
      assigned_at: null,
      reason: null,
      summary: null,
      ...{ amount: null, currency: null, amount_usd: null, event_type: null, country: null },
      ...{ snoozed_until: null, notes_count: 0 },
    }));
    expect((await production.get('/v1/cases')).json.cases).toEqual(cases);
    for (const { path, body } of expected.probes) {
      clock.advance(1000);
      expect((await production.post(path, body)).status).toBe(200);
    }
    const facts = await service.app.backend.read<{ facts: Uint8Array }>(
      'SELECT facts FROM screenings ORDER BY seq DESC LIMIT ?',
      expected.probes.length,
    );
    for (const [i, row] of facts.reverse().entries())
      expect(differingFacts(expected.facts[i], unpackFacts(row.facts))).toEqual([]);
  });

  test('shows the request of every screening, and what was looked up for it', async () => {
    const { service, production } = await startUpgraded();
    const rows = await service.app.backend.read<{ id: string; type: 'transaction' | 'event'; request: string }>(
      "SELECT id, type, request FROM screenings WHERE tenant = (SELECT tenant FROM tenants WHERE account = 'acme' AND environment = 'production')",
    );
    expect(rows.length).toBe(25);
    for (const { id, type, request } of rows) {
      const { json } = await production.get(`/v1/${type}s/${type === 'event' ? 'evt' : 'txn'}_${id}?include=subject`);
      expect(json.subject).toEqual(JSON.parse(request));
      expect(json.knowledge.network).toMatch(json.subject.ip_address.includes(':') ? /::\/48$/ : /\.0\/24$/);
      const decision = (await production.get(`/v1/decisions/dec_${id}?include=subject`)).json;
      expect([decision.subject, decision.knowledge]).toEqual([json.subject, json.knowledge]);
    }
    const [{ case_id }] = expected.cases;
    expect((await production.get(`/v1/cases/${case_id}?include=subject`)).json).toMatchObject({
      subject: { amount: 999, ip_address: '175.16.199.40' },
      knowledge: { network: '175.16.199.0/24' },
    });
  });

  test('keeps its histories when the service is stopped, or dies, at any later time', async () => {
    const dataDir = unpackStore(FIXTURE);
    for (let start = 0; start < 3; start++) {
      const { service } = await startUpgraded(dataDir, { cacheBytes: start * 2000 });
      expect(await readProfiles(service)).toEqual(expected.profiles);
      await service.stop();
    }
  });

  test('is converted again after a process died while it converted', async () => {
    const dataDir = unpackStore(FIXTURE);
    const half = readFileSync(join(dataDir, 'counters.db')).subarray(0, 9000);
    for (const left of ['counters.db.new', 'counters.db.new-journal']) writeFileSync(join(dataDir, left), half);
    const { service } = await startUpgraded(dataDir);
    expect(await readProfiles(service)).toEqual(expected.profiles);
    expect(readdirSync(dataDir).filter((name) => name.includes('.new'))).toEqual([]);
  });

  test('keeps the history of a user whose id looks like a card number, under the masked id', async () => {
    const dataDir = unpackStore(FIXTURE);
    const records = new DatabaseSync(join(dataDir, 'portcullis.db'));
    records.exec(`UPDATE screenings SET request = replace(request, '"carol"', '"4111111111111111"')`);
    records.close();
    // Without this file, the histories are counted again from the screenings.
    rmSync(join(dataDir, 'counters.db'));
    const { production } = await startUpgraded(dataDir);
    const { json } = await production.get(profilePath('4111111111111111'));
    expect(json.user_id).toMatch(/^411111\*{6}1111~[a-z]{13}$/);
    expect(json.transactions).toMatchObject({ count: 4, total_by_currency: { EUR: 240 } });
  });

  test('loses what a forged name shared: its user gets a history of their own screenings', async () => {
    const { service, production } = await startUpgraded();
    const [carol, twin] = [
      (await production.get(profilePath('carol'))).json,
      (await production.get(profilePath(expected.twin))).json,
    ];
    expect(carol.transactions).toMatchObject({ count: 4, total_by_currency: { EUR: 240 } });
    expect(twin.transactions).toMatchObject({ count: 3, total_by_currency: { EUR: 2997 } });
    expect((await production.get(profilePath('dormant'))).status).toBe(404);
    const converted = messagesOf(service).find((message) => message.includes('is converted'));
    // Left out are the user that was not seen for 90 days, and their device and address.
    expect(converted).toMatch(/: \d\d histories kept; 3 left out, .*; 1 mixed or damaged ones are rebuilt/);
  });
});
