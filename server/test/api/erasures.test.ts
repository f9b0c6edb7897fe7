import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelFile, PrivacyExport } from '@portcullis/contract';
import { kindIndex } from '@portcullis/engine';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { rebuildHistories } from '../../src/backend/open.ts';
import { makeServiceIdentities } from '../../src/backend/service-identities.ts';
import { openInstallation } from '../../src/installation.ts';
import { readModelFile } from '../../src/models/model-file.ts';
import {
  client,
  DAY_MS,
  HOUR_MS,
  type Json,
  makeClock,
  makeFolder,
  payment,
  profilePath,
  REVIEW_IP,
  type Service,
  saved,
  startService,
} from '../fixtures/harness.ts';
import { addChallenger, withCategory } from '../fixtures/model-files.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';
import { breakTable, inRecords, isStored, readRecords, settingsOf, storedBytes } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const key = await service.key();
const api = client(service, key);

const ADA = {
  user_id: 'user_ada_lovelace_1815',
  email: 'Ada.Lovelace+shop@countess.example',
  ip_address: '198.51.100.77',
  device_token: 'device-of-ada-byron-king',
  payment_fingerprint: 'pm_ada_analytical_engine',
  counterparty_id: 'payee_charles_babbage',
  metadata: { seller: 'Annabella Milbanke' },
  billing_address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' },
  shipping_address: { line1: 'Ockham Park Estate', city: 'Surrey', postal_code: 'KT24 6PW', country: 'GB' },
};
const NOTES = 'Spoke to Countess Lovelace by telephone';
/** Whatever spelling is stored, none of these may be left. */
const TRACES = [
  'user_ada_lovelace_1815',
  'countess.example',
  'ada.lovelace',
  '198.51.100.77',
  'device-of-ada-byron-king',
  'pm_ada_analytical_engine',
  'payee_charles_babbage',
  'Annabella',
  'St James Square',
  'SW1Y',
  'Ockham Park',
  'KT24',
  'Countess Lovelace',
  'Lord Byron',
];
const tracesIn = async ({ dataDir }: Service): Promise<string[]> => {
  const bytes = (await storedBytes(dataDir)).toString('latin1').toLowerCase();
  return TRACES.filter((trace) => bytes.includes(trace.toLowerCase()));
};

/** The numbers under which the store keeps the histories of an entity, as bytes and as text. */
const identityBytes = async (
  folder: string,
  tenant: number,
  kind: keyof typeof kindIndex,
  name: string,
): Promise<Buffer[]> => {
  const { identityKey } = await openInstallation(await settingsOf(folder), clock.now);
  const [keys, checks]: [number[], number[]] = [[], []];
  makeServiceIdentities(identityKey)(tenant)(kindIndex[kind], name, keys, checks);
  return [keys, checks].flatMap((numbers) => {
    const number = numbers[kindIndex[kind]] as number;
    const [double, integer] = [Buffer.alloc(8), Buffer.alloc(8)];
    double.writeDoubleLE(number);
    integer.writeBigInt64BE(BigInt(number));
    // SQLite leaves out leading zero bytes.
    return [double, integer.subarray(1), Buffer.from(String(number))];
  });
};

/** Waits until an erasure is done. */
const done = async (of: Service, by: typeof api, id: string): Promise<Json> => {
  let erasure: Json;
  await expect
    .poll(
      async () => {
        clock.advance(20_000);
        erasure = (await by.get(`/v1/privacy/erasures/${id}`)).json;
        return erasure.status;
      },
      { timeout: 90_000, interval: 100 },
    )
    .toBe('done')
    .catch((error: Error) => {
      throw new Error(
        `${error.message}\n${of.logs
          .filter((line) => line.includes('erasure'))
          .slice(-2)
          .join('\n')}`,
      );
    });
  return erasure;
};

/** Asks for an erasure and waits until it is done. */
const erase = async (of: Service, by: typeof api, body: Record<string, string>): Promise<Json> => {
  const { status, json } = await by.post('/v1/privacy/erasures', body);
  expect(status).toBe(202);
  return done(of, by, json.erasure_id);
};

describe('a person who is erased', async () => {
  await api.post('/v1/webhooks', {
    url: 'https://receiver.invalid/hook',
    events: ['transaction.screened', 'event.screened', 'case.created', 'case.resolved', 'decision.reviewed'],
  });
  for (const query of [`email=${encodeURIComponent(ADA.email)}`, `user_id=${ADA.user_id}`, 'user_id=someone_else'])
    await api.post('/v1/views', { page: 'explorer', name: 'A person', query });
  await api.post('/v1/lists/review/entries', {
    entries: [
      { kind: 'user', value: ADA.user_id, reason: NOTES },
      { kind: 'email', value: ADA.email },
      { kind: 'device', value: ADA.device_token },
      { kind: 'user', value: 'user_of_another_person' },
    ],
  });
  const model = withCategory('metadata.seller', { 'Annabella Milbanke': 0.5, 'Another Seller': 1 });
  await inRecords(service.dataDir, (records) => addChallenger(records, 'acme', model));
  await api.pay(payment({ user_id: 'user_of_another_person', metadata: { seller: 'Another Seller' } }));
  const first = (await api.pay(payment(ADA), { 'Idempotency-Key': 'ada-1' })).json;
  const held = (await api.pay(payment({ ...ADA, ip_address: REVIEW_IP }))).json;
  await api.act({ user_id: ADA.user_id, type: 'login', device_token: ADA.device_token, email: ADA.email });
  await api.put(`/v1/cases/${held.case_id}`, { status: 'rejected', analyst_id: 'analyst_7', notes: NOTES });
  await api.post('/v1/labels', {
    transaction_id: first.transaction_id,
    label: 'fraud',
    source: 'chargeback',
    notes: NOTES,
  });
  await api.post(`/v1/cases/${held.case_id}/notes`, { text: 'Her father is Lord Byron.' });
  const bob = payment({ user_id: 'user_bob', ip_address: REVIEW_IP, amount: 20 });
  await api.pay(bob);
  const before = (await api.get(`/v1/decisions/${first.decision_id}`)).json;

  test('was stored before', async () => {
    await saved(service);
    expect(await tracesIn(service)).toEqual(TRACES);
  });

  test('is in no byte of the store any more', { timeout: 120_000 }, async () => {
    const erasure = await erase(service, api, { user_id: ADA.user_id });
    expect(erasure).toMatchObject({
      status: 'done',
      progress: 1,
      counts: { screenings: 3, cases: 3, reviews: 1, labels: 2, list_entries: 3 },
    });
    expect(erasure.person).not.toContain('ada');
    await saved(service);
    expect(await tracesIn(service)).toEqual([]);
    const bytes = await storedBytes(service.dataDir);
    for (const identity of [
      ...(await identityBytes(service.dataDir, 1, 'user', ADA.user_id)),
      ...(await identityBytes(service.dataDir, 1, 'device', ADA.device_token)),
      ...(await identityBytes(service.dataDir, 1, 'fingerprint', ADA.payment_fingerprint)),
    ])
      expect(bytes.includes(identity)).toBe(false);
  });

  test('leaves decisions, figures and an intact audit log behind', async () => {
    const { json } = await api.get(`/v1/decisions/${first.decision_id}`);
    expect(json).toEqual({ ...before, user_id: '' });
    expect((await api.get(`/v1/cases/${held.case_id}`)).json).toMatchObject({
      ...{ user_id: '', status: 'rejected', notes: null, risk_score: held.risk_score },
    });
    expect((await api.get(`/v1/transactions/${first.transaction_id}?include=subject`)).json).toMatchObject({
      ...{ user_id: '', amount: 49.9, risk_score: first.risk_score },
      subject: { user_id: '', amount: 49.9, currency: 'EUR' },
    });
    expect((await api.get('/v1/audit/check')).json).toMatchObject({ intact: true });
    expect((await api.get('/v1/audit')).text).toContain('person.erased');
  });

  test('is in no model, and the model can still be read', async () => {
    const [row] = await readRecords<{ file: string }>(service.dataDir, 'SELECT file FROM models');
    const { file } = readModelFile(row?.file ?? '');
    expect(file.model_version).toBe(model.model_version);
    const [{ values }] = file.categories as [ModelFile['categories'][0]];
    expect(Object.keys(values).filter((value) => !value.startsWith('\0'))).toEqual(['Another Seller']);
    expect(Object.values(values)).toEqual([0.5, 1]);
  });

  test('is a stranger at the next screening, and others are as before', async () => {
    expect((await api.get(profilePath(ADA.user_id))).status).toBe(404);
    clock.advance(HOUR_MS);
    const again = (await api.pay(payment({ ...ADA, amount: 10 }))).json;
    expect(again.signals).not.toContain('list:review');
    const profile = (await api.get(profilePath(ADA.user_id))).json;
    expect(profile).toMatchObject({ transactions: { count: 1 }, confirmed_fraud: 0 });
    expect((await api.get(profilePath('user_bob'))).json).toMatchObject({ transactions: { count: 1 } });
    expect((await api.get('/v1/lists/review/entries')).json.entries).toHaveLength(1);
  });
});

test('what others share stays for them, and an e-mail address of a thief does not make the thief the person', async () => {
  const shared = { device_token: 'device-of-a-family', ip_address: '198.51.100.99' };
  const email = 'Carol@family.example';
  const ordered = (await api.pay(payment({ user_id: 'guest_1', email, ...shared }))).json;
  const again = (await api.pay(payment({ user_id: 'guest_2', email: 'carol+x@family.example' }))).json;
  const stolen = (await api.pay(payment({ user_id: 'user_thief', email }))).json;
  const other = (await api.pay(payment({ user_id: 'user_thief', ...shared }))).json;
  await api.pay(payment({ user_id: 'user_dave', ...shared }));
  const userOf = async ({ transaction_id }: Json) => (await api.get(`/v1/transactions/${transaction_id}`)).json.user_id;
  const { counts } = await erase(service, api, { email });
  expect(counts).toMatchObject({ screenings: 3 });
  expect(await Promise.all([ordered, again, stolen, other].map(userOf))).toEqual(['', '', '', 'user_thief']);
  const profiles = ['guest_1', 'guest_2', 'user_thief', 'user_dave'].map(profilePath);
  expect((await Promise.all(profiles.map((path) => api.get(path)))).map(({ status }) => status)).toEqual([
    ...[404, 404, 200, 200],
  ]);
  await saved(service);
  const bytes = await storedBytes(service.dataDir);
  const isThere = async (kind: 'device' | 'user', name: string): Promise<boolean> =>
    (await identityBytes(service.dataDir, 1, kind, name)).some((identity) => bytes.includes(identity));
  expect(await isThere('device', shared.device_token)).toBe(true);
  expect(await isThere('user', 'guest_1')).toBe(false);
  expect((await api.get('/v1/users')).json.users.map(({ user_id }: Json) => user_id)).not.toContain('');
  // Users are found by the start of their id as long as they have an item that is not erased.
  const startingWith = async (start: string): Promise<string[]> =>
    (await api.get(`/v1/users?q=${start}`)).json.users.map(({ user_id }: Json) => user_id);
  expect([await startingWith('guest_'), await startingWith('user_thi')]).toEqual([[], ['user_thief']]);
});

test('an erasure continues after a restart, and leaves what came after the request to a stranger', async () => {
  const eve = { user_id: 'user_eve_of_eden', email: 'eve@eden.example', device_token: 'device-of-eve' };
  const folder = makeFolder();
  const first = await startService({ clock: clock.now, dataDir: folder });
  const ofFirst = client(first, await first.key());
  for (let count = 0; count < 3; count++) await ofFirst.pay(payment({ ...eve, ip_address: REVIEW_IP }));
  const repair = await breakTable(folder, 'cases', 'UPDATE');
  const { erasure_id } = (await ofFirst.post('/v1/privacy/erasures', { user_id: eve.user_id })).json;
  clock.advance(20_000);
  const later = (await ofFirst.pay(payment({ user_id: eve.user_id, amount: 7 }))).json;
  await expect
    .poll(() => first.logs.some((line) => line.includes('an erasure failed')), { timeout: 90_000 })
    .toBe(true);
  expect(first.logs.join()).not.toContain('eden');
  expect((await ofFirst.get(`/v1/privacy/erasures/${erasure_id}`)).json.status).toBe('running');
  await first.stop();
  await repair();
  expect(await isStored(folder, eve.email)).toBe(true);
  const second = await startService({ clock: clock.now, dataDir: folder });
  const ofSecond = client(second, await second.key());
  expect(await done(second, ofSecond, erasure_id)).toMatchObject({ counts: { screenings: 3 } });
  const profile = (await ofSecond.get(profilePath(eve.user_id))).json;
  expect(profile).toMatchObject({ transactions: { count: 1, total_by_currency: { EUR: 7 } }, devices: [] });
  expect((await ofSecond.get(`/v1/transactions/${later.transaction_id}`)).json.user_id).toBe(eve.user_id);
  expect(await isStored(folder, eve.email)).toBe(false);
  await second.stop();
});

test('a rebuild of the histories does not bring an erased person back', async () => {
  const frank = { user_id: 'user_frank', device_token: 'device-of-frank' };
  const folder = makeFolder();
  const first = await startService({ clock: clock.now, dataDir: folder });
  const ofFirst = client(first, await first.key());
  const { transaction_id } = (await ofFirst.pay(payment(frank))).json;
  await ofFirst.pay(payment({ user_id: 'user_grace' }));
  await erase(first, ofFirst, { user_id: frank.user_id });
  expect((await ofFirst.post('/v1/labels', { transaction_id, label: 'fraud', source: 'chargeback' })).status).toBe(201);
  await saved(first);
  await first.stop();
  const settings = await settingsOf(folder);
  const { identityKey } = await openInstallation(settings, clock.now);
  const { shared } = settings;
  if (shared === undefined)
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `counters.db${end}`), { force: true });
  else {
    clock.advance(60_000);
    await rebuildHistories({ ...settings, shared }, { identityKey, pause: async () => {} });
  }
  const second = await startService({ clock: clock.now, dataDir: folder });
  const ofSecond = client(second, await second.key());
  expect((await ofSecond.get(profilePath(frank.user_id))).status).toBe(404);
  expect((await ofSecond.get(profilePath('user_grace'))).json).toMatchObject({ transactions: { count: 1 } });
  await second.stop();
});

test('a rebuild of search after an erasure gives the same rows, and figures stay as they were', async () => {
  const email = 'mallory@shared.example';
  const folder = makeFolder();
  const first = await startService({ clock: clock.now, dataDir: folder });
  const ofFirst = client(first, await first.key());
  await ofFirst.pay(payment({ user_id: 'user_ivan', payment_fingerprint: 'pm_ivan' }));
  await ofFirst.pay(payment({ user_id: 'user_judy', email, device_token: 'device-of-judy' }));
  clock.advance(2 * DAY_MS);
  await ofFirst.pay(payment({ user_id: 'user_ivan', email, ip_address: '198.51.100.98' }));
  const sharesOf = async (): Promise<Json> => (await ofFirst.get('/v1/stats/service')).json.members;
  const ofEmail = { type: 'transaction', name: 'email', requests: 1, share: 1 };
  await expect.poll(sharesOf).toContainEqual(ofEmail);
  await erase(first, ofFirst, { email });
  expect(await sharesOf()).toContainEqual(ofEmail);
  await first.stop();
  const written = await dumpProjection(folder);
  expect(written.users.map(({ user_id }) => user_id)).toEqual(['user_ivan']);
  expect(await dumpRebuilt(folder)).toEqual(written);
});

test('an erasure needs a person, and is of one account and environment', async () => {
  const { status, json } = await api.post('/v1/privacy/erasures', {});
  expect([status, json.error.details]).toEqual([
    400,
    [{ field: 'user_id', message: 'send `user_id`, `email`, or both' }],
  ]);
  const live = client(service, await service.key({ environment: 'production' }));
  const paid = (await live.pay(payment({ user_id: 'user_in_both' }))).json;
  await api.pay(payment({ user_id: 'user_in_both' }));
  const { erasure_id } = await erase(service, api, { user_id: 'user_in_both' });
  expect((await live.get(`/v1/transactions/${paid.transaction_id}`)).json.user_id).toBe('user_in_both');
  expect((await live.get(profilePath('user_in_both'))).status).toBe(200);
  expect((await live.get(`/v1/privacy/erasures/${erasure_id}`)).status).toBe(404);
});

test('an export has everything that is stored about a person, in words, and is recorded without their name', async () => {
  const person = { user_id: 'user_heidi', email: 'heidi@alps.example' };
  const held = await api.flagPayment({ ...person, metadata: { note: 'goat cheese' } });
  await api.put(`/v1/cases/${held.case_id}`, { status: 'approved', notes: 'Her grandfather called.' });
  await api.post(`/v1/cases/${held.case_id}/notes`, { text: 'He lives on the Alm.' });
  await api.post('/v1/lists/review/entries', { entries: [{ kind: 'email', value: person.email }] });
  await expect.poll(async () => (await api.get('/v1/screenings?user_id=user_heidi')).json.screenings.length).toBe(1);
  const { status, json, headers } = await api.post('/v1/privacy/exports', { user_id: person.user_id });
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="person.json"']);
  expect(Value.Errors(PrivacyExport, json)).toEqual([]);
  expect(json).toMatchObject({
    person: { user_id: person.user_id, email: null },
    items: [
      {
        subject_id: held.transaction_id,
        subject: { ...person, amount: 49.9, metadata: { note: 'goat cheese' } },
        decision: { decision: 'allow', reviews: [{ notes: 'Her grandfather called.' }] },
        case: { status: 'approved' },
        case_notes: [{ text: 'He lives on the Alm.' }],
        labels: [{ label: 'legitimate' }],
      },
    ],
    risk_profiles: [{ user_id: person.user_id, transactions: { count: 1 } }],
    list_entries: [{ list_id: 'review', value: person.email }],
  });
  expect(json.items[0].decision.factors[0].description).toBe('Test IP address: the decision is always review');
  const { entries } = (await api.get('/v1/audit')).json;
  expect(entries[0]).toMatchObject({ action: 'person.exported', after: { by: ['user_id'] } });
  expect(JSON.stringify(entries[0])).not.toContain('heidi');
  const unknown = (await api.post('/v1/privacy/exports', { email: 'nobody@alps.example' })).json;
  expect(unknown).toMatchObject({ items: [], risk_profiles: [], older_cases: [], list_entries: [] });
});

test('an export needs the permission to read personal data too', async () => {
  const { json } = await api.post('/v1/api-keys', { permissions: ['administer'] });
  const { status } = await client(service, json.secret).post('/v1/privacy/exports', { user_id: 'user_bob' });
  expect(status).toBe(403);
});
