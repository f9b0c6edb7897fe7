import { operations, ROLES, type Role } from '@portcullis/contract';
import { describe, expect, test, vi } from 'vitest';
import { makeDevice } from '../fixtures/device-tokens.ts';
import { type Ids, NO_IDS, OPERATIONS, pathOf, request } from '../fixtures/every-operation.ts';
import {
  client,
  DAY_MS,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  type Reply,
  startService,
} from '../fixtures/harness.ts';
import { changeRecords } from '../fixtures/records.ts';
import { queryOf, untilSearched } from '../fixtures/searched.ts';

/** An address of an access provider in Germany, according to the built-in tables. */
const GERMANY = '91.0.0.1';
const VISA = '4111111111111111';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const keys = Object.fromEntries(
  await Promise.all(ROLES.map(async (role) => [role, await service.key({ role })])),
) as Record<Role, string>;
const admin = client(service, keys.admin);

const SENT = {
  user_id: 'user_ada',
  amount: 49.9,
  currency: 'eur',
  ip_address: GERMANY,
  device_token: 'phone of ada',
  payment_method: 'card',
  payment_fingerprint: 'pm_of_ada',
  counterparty_id: 'shop_of_ada',
  email: 'Ada.Lovelace+shop@googlemail.com',
  billing_address: { line1: '12 St James Square', city: 'London', country: 'gb' },
  shipping_address: { line1: '1 Hauptstrasse', postal_code: '10115', country: 'DE' },
  metadata: { order_id: 'order_of_ada' },
};
/** Parts of the request and of its lookups that identify a person, and must reach no reader. */
const PERSONAL = [
  GERMANY,
  '91.0.0.0/24',
  'phone of ada',
  'pm_of_ada',
  'shop_of_ada',
  'lovelace',
  'St James',
  'London',
  'Hauptstrasse',
  '10115',
  'order_of_ada',
];

const READS = ['getTransaction', 'getEvent', 'getDecision', 'getCase'] as const;
const subjectPath = (id: (typeof READS)[number], ids: Ids): string => `${pathOf(operations[id], ids)}?include=subject`;

const paid = (await admin.pay(SENT)).json;
const loggedIn = (await admin.act(login({ ...SENT, user_id: 'user_ada', type: 'login' }))).json;
// A list holds the next payment, so that it may have any address.
await admin.post('/v1/lists', { name: 'held', treatment: 'review' });
await admin.post('/v1/lists/held/entries', { entries: [{ kind: 'user', value: 'user_ada' }] });
const held = (await admin.pay(SENT)).json;
const { transaction_id, decision_id, case_id } = held;
const ids: Ids = { ...NO_IDS, transaction_id, decision_id, case_id, event_id: loggedIn.event_id };

describe('200', () => {
  const subject = {
    ...SENT,
    currency: 'EUR',
    billing_address: { ...SENT.billing_address, country: 'GB' },
  };
  const knowledge = {
    network: '91.0.0.0/24',
    country: 'DE',
    place: { lat: expect.any(Number), lon: expect.any(Number), radius_km: expect.any(Number) },
    asn: 3320,
    hosting: false,
    vpn: false,
    proxy: null,
    tor: null,
    reserved: false,
    mailbox: 'adalovelace@gmail.com',
    email_disposable: false,
    email_free: true,
    device_id: 'phone of ada',
    device_state: null,
    device_automation: null,
    device_country: null,
    unavailable: [],
  };

  test.each(['getTransaction', 'getDecision', 'getCase'] as const)(
    '%s shows the request as stored, and what was looked up',
    async (id) => {
      const { json } = await admin.get(subjectPath(id, ids));
      expect([json.subject, json.knowledge]).toEqual([subject, knowledge]);
    },
  );

  test('an event shows its own fields', async () => {
    const { user_id, ip_address, device_token, email, metadata } = SENT;
    const event = { user_id, type: 'login', outcome: 'succeeded', ip_address, device_token, email, metadata };
    for (const path of [`events/${loggedIn.event_id}`, `decisions/${loggedIn.decision_id}`]) {
      const { json } = await admin.get(`/v1/${path}?include=subject`);
      expect([json.subject, json.knowledge]).toEqual([event, knowledge]);
    }
  });

  test('fields that were not sent are absent, and nothing is known about them', async () => {
    const { json } = await admin.pay({ user_id: 'user_bob', amount: 1, currency: 'EUR' });
    const read = (await admin.get(`/v1/transactions/${json.transaction_id}?include=subject`)).json;
    expect(read.subject).toEqual({ user_id: 'user_bob', amount: 1, currency: 'EUR' });
    const { unavailable, ...known } = read.knowledge;
    expect([new Set(Object.values(known)), unavailable]).toEqual([new Set([null]), []]);
  });

  test('a verified token is shown as the device it proves, an altered one only as altered', async () => {
    const device = makeDevice();
    const token = device.token({ at: clock.now(), automation: ['webdriver'], zone: 'Europe/Berlin' });
    const read = async (device_token: string): Promise<Json> => {
      const { json } = await admin.act(login({ device_token, ip_address: GERMANY }));
      return (await admin.get(`/v1/events/${json.event_id}?include=subject`)).json;
    };
    const verified = await read(token);
    expect(verified.subject.device_token).toMatch(/^dvk_/);
    expect(verified.knowledge).toMatchObject({
      device_id: verified.subject.device_token,
      device_state: 'verified',
      device_automation: true,
      device_country: 'DE',
    });
    const altered = await read(`${token.slice(0, -2)}AA`);
    expect(altered.subject).not.toHaveProperty('device_token');
    expect(altered.knowledge).toMatchObject({ device_id: null, device_state: 'tampered', device_automation: null });
  });

  test('card numbers are masked', async () => {
    const { json } = await admin.pay(
      payment({ user_id: VISA, email: `${VISA}@example.com`, metadata: { note: `card ${VISA}` } }),
    );
    const { text, json: read } = await admin.get(`/v1/transactions/${json.transaction_id}?include=subject`);
    expect(text).not.toContain(VISA);
    expect(read.subject.metadata).toEqual({ note: 'card 411111******1111' });
    expect(read.subject.user_id).toBe(json.user_id);
  });

  test('card numbers that release 0.1 stored in clear text are masked when they are read', async () => {
    const { json } = await admin.pay(payment({ user_id: 'clear text', billing_address: { line1: 'line of text' } }));
    const id = json.transaction_id.slice('txn_'.length);
    for (const [before, after] of [
      ['clear text', VISA],
      ['line of text', `card ${VISA}`],
    ] as const)
      await changeRecords(service.dataDir, 'UPDATE screenings SET request = replace(request, ?, ?)', before, after);
    const { subject } = (await admin.get(`/v1/transactions/txn_${id}?include=subject`)).json;
    expect(subject.user_id).toMatch(/^411111\*{6}1111~[a-z]{13}$/);
    expect(subject.billing_address).toEqual({ line1: 'card 411111******1111' });
  });

  test('a response without `include` is what it was: neither subject nor knowledge', async () => {
    expect((await admin.get(`/v1/transactions/${paid.transaction_id}`)).json).toEqual(paid);
    for (const id of READS) {
      const { json } = await admin.get(pathOf(operations[id], ids));
      expect(json).not.toHaveProperty('subject');
      expect(json).not.toHaveProperty('knowledge');
    }
  });
});

describe('400', () => {
  test.each(READS)('%s refuses another value of include', async (id) => {
    const reply = await admin.get(subjectPath(id, ids).replace('subject', 'everything'));
    expect([reply.status, reply.json.error.details[0].field]).toEqual([400, 'include']);
  });
});

// Written out here, not derived from the code.
const MAY_READ: readonly Role[] = ['admin', 'manager', 'analyst'];

describe.each(ROLES)('as %s', (role) => {
  test.each(READS)('%s with the subject', async (id) => {
    const { status, json, text } = await client(service, keys[role]).get(subjectPath(id, ids));
    if (MAY_READ.includes(role)) {
      expect([status, json.subject.user_id]).toEqual([200, 'user_ada']);
      return;
    }
    expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
    expect(json.error.message).toBe(
      `include=subject needs the permission read_personal. A key of role ${role} does not have it.`,
    );
    expect(PERSONAL.filter((part) => text.includes(part))).toEqual([]);
  });
});

describe('403', () => {
  test('is the same for an id that exists and one that does not', async () => {
    const reader = client(service, keys.reader);
    for (const id of READS) {
      const [known, unknown] = [await reader.get(subjectPath(id, ids)), await reader.get(subjectPath(id, NO_IDS))];
      expect([known.status, known.json.error.message]).toEqual([unknown.status, unknown.json.error.message]);
    }
  });

  test('a restricted key needs read and read_personal', async () => {
    const make = async (permissions: string[]): Promise<string> =>
      (await admin.post('/v1/api-keys', { permissions })).json.secret;
    const path = subjectPath('getDecision', ids);
    expect((await client(service, await make(['read', 'read_personal'])).get(path)).status).toBe(200);
    expect((await client(service, await make(['read', 'review'])).get(path)).status).toBe(403);
    expect((await client(service, await make(['read_personal'])).get(path)).status).toBe(403);
  });
});

test('no response to a reader has the content of a request; the same reads show it to an analyst', async () => {
  const listed = [
    { kind: 'ip_address', value: '91.0.0.0/24' },
    { kind: 'device', value: SENT.device_token },
    { kind: 'email', value: SENT.email },
    { kind: 'payment_fingerprint', value: SENT.payment_fingerprint },
  ];
  await admin.post('/v1/lists/held/entries', { entries: listed });
  await admin.post('/v1/labels', { transaction_id, label: 'fraud', source: 'report' });
  const rule = { name: 'any', expression: 'amount > 1', action: { points: 1 } };
  const { json: backtest } = await admin.post('/v1/backtests', {
    rule: { expression: rule.expression, action: rule.action },
  });
  const { json: made } = await admin.post('/v1/rules', rule);
  for (const state of ['shadow', 'live']) await admin.put(`/v1/rules/${made.rule_id}`, { state });
  await admin.pay(SENT);
  const backtestPath = `/v1/backtests/${backtest.backtest_id}`;
  await vi.waitUntil(async () => (await admin.get(backtestPath)).json.status === 'done', { timeout: 90_000 });
  await untilSearched(admin, clock);
  const known: Ids = {
    ...ids,
    ...{ user_id: 'user_ada', value: 'user_ada', list_id: 'held' },
    ...{ rule_id: made.rule_id, backtest_id: backtest.backtest_id },
  };
  const found = async (key: string): Promise<Set<string>> => {
    const places = new Set<string>();
    const look = ({ text, status }: Reply, place: string): void => {
      const parts = PERSONAL.filter((part) => text.toLowerCase().includes(part.toLowerCase()));
      if (status < 300) for (const part of parts) places.add(`${place}: ${part}`);
    };
    for (const [id, { method }] of OPERATIONS)
      if (method === 'GET') look(await request(service, id, known, { key }), id);
    const api = client(service, key);
    for (const query of [
      'groups?by=device',
      'groups?by=email',
      `?device_token=${encodeURIComponent(SENT.device_token)}`,
    ])
      look(await api.get(`/v1/screenings/${query}`.replace('/?', '?')), query);
    // A payee is a business, which every role may look up.
    for (const q of PERSONAL.filter((part) => part !== SENT.counterparty_id))
      look(await api.get(`/v1/search?${queryOf({ q })}`), 'search');
    for (const { kind, value } of listed)
      look(await api.get(`/v1/lists/held/entries?${queryOf({ kind, value })}`), 'listed');
    const { user_id, email, ip_address, device_token } = SENT;
    look(await api.post('/v1/lists/check', { user_id, email, ip_address, device_token }), 'check');
    look(await api.post(`/v1/decisions/${decision_id}/replay`, {}), 'replay');
    return places;
  };
  expect(await found(keys.reader)).toEqual(new Set());
  const placesOf = async (key: string): Promise<Set<string>> =>
    new Set([...(await found(key))].map((place) => place.split(':')[0] as string));
  // The key of a system that screens sees in figures what it sent itself.
  expect([...(await placesOf(keys.service))].sort()).toEqual(
    ['check', 'getRiskProfile', 'listListEntries', 'listed'].sort(),
  );
  const shown = await placesOf(keys.analyst);
  for (const place of [
    'getRiskProfile',
    'listListEntries',
    'getUsual',
    'exportScreenings',
    'search',
    'check',
    'listed',
  ])
    expect(shown).toContain(place);
  const profile = (await client(service, keys.reader).get('/v1/users/user_ada/risk-profile')).json;
  expect(profile.devices).toMatchObject([{ device_token: 'hidden', count: expect.any(Number) }]);
  expect(profile.ip_addresses).toMatchObject([{ ip_address: 'hidden' }]);
});

test('answers to a resolution and to a review do not carry the subject', async () => {
  const { json } = await admin.put(`/v1/cases/${held.case_id}`, { status: 'approved' });
  expect(json).not.toHaveProperty('subject');
  const reviewed = await admin.post(`/v1/decisions/${held.decision_id}/review`, { decision: 'allow' });
  expect(PERSONAL.filter((part) => reviewed.text.includes(part))).toEqual([]);
});

test('another tenant gets 404 for the subject, as for an id that does not exist', async () => {
  const foreign = [await service.key({ account: 'globex' }), await service.key({ environment: 'production' })];
  for (const key of foreign)
    for (const id of READS) {
      const [known, unknown] = [
        await client(service, key).get(subjectPath(id, ids)),
        await client(service, key).get(subjectPath(id, NO_IDS)),
      ];
      expect([known.status, known.json.error.code]).toEqual([404, 'not_found']);
      expect(known.json.error.message).toBe(unknown.json.error.message);
    }
});

test('a test address is shown as reserved', async () => {
  const { case_id } = await admin.flagPayment();
  const { subject, knowledge } = (await admin.get(`/v1/cases/${case_id}?include=subject`)).json;
  expect([subject.ip_address, knowledge.reserved, knowledge.country]).toEqual([REVIEW_IP, true, null]);
});

// Last, because it moves the clock.
test('a case outlives its request: after 90 days its subject is null', async () => {
  clock.advance(91 * DAY_MS);
  expect((await admin.get(subjectPath('getTransaction', ids))).status).toBe(404);
  const { json } = await admin.get(subjectPath('getCase', ids));
  expect(json).toMatchObject({ case_id, subject: null, knowledge: null });
});
