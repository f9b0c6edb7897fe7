import { makeRandom, SIGNALS } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { makeMutations } from '../fixtures/device-mutations.ts';
import { makeDevice, unsignedToken } from '../fixtures/device-tokens.ts';
import { isSoak, rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import {
  client,
  DAY_MS,
  HOUR_MS,
  login,
  MINUTE_MS,
  makeClock,
  payment,
  START,
  startService,
} from '../fixtures/harness.ts';
import { isStored } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

const MUTATIONS = rounds(500, 100_000);

/** An address of a German access provider in the built-in tables. */
const BERLIN = '91.0.0.1';

/** An account without history. Each has a service of its own: tests move its clock by days, and a clock must not go back. */
const startAccount = async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now, logLevel: 'silent' });
  const api = client(service, await service.key());
  const signalsOf = async (body: Record<string, unknown>): Promise<string[]> => {
    const { status, json } = await api.post('/v1/events', login(body));
    expect(status).toBe(200);
    return json.signals;
  };
  return { clock, service, api, signalsOf };
};
describe('a token of the device SDK', () => {
  test('is one device for histories, profile, lists and rules, and is never stored', async () => {
    const { clock, service, api, signalsOf } = await startAccount();
    const device = makeDevice();
    const tokens = Array.from({ length: 4 }, () => device.token());
    for (const [i, device_token] of tokens.entries()) {
      clock.set(START + i * MINUTE_MS);
      const users = await signalsOf({ user_id: `user_${i}`, device_token });
      expect(users.includes('device_many_users'), `${i}`).toBe(i >= 2);
    }
    const profile = await api.get('/v1/users/user_0/risk-profile');
    expect(profile.json.devices).toMatchObject([{ device_token: device.id, count: 1 }]);

    const body = { entries: [{ kind: 'device', value: device.token(), reason: 'theft' }] };
    const listed = await api.post('/v1/lists/block/entries', body);
    expect(listed.status).toBe(200);
    const checked = await api.post('/v1/lists/check', { device_token: device.token() });
    expect(checked.json.matches).toMatchObject([{ list_id: 'block', kind: 'device', value: device.id }]);
    expect((await api.post('/v1/lists/check', { device_token: device.id })).json.matches).toHaveLength(1);
    expect((await api.post('/v1/lists/check', { device_token: makeDevice().token() })).json.matches).toEqual([]);
    const blocked = await api.post('/v1/transactions/screen', payment({ device_token: device.token() }));
    expect(blocked.json.decision).toBe('block');

    expect(await isStored(service.dataDir, device.id)).toBe(true);
    for (const token of tokens) expect(await isStored(service.dataDir, token.slice(0, 60))).toBe(false);
    expect(await isStored(service.dataDir, device.payload().key as string)).toBe(false);
  });

  test('without a proven key is refused on a list, with the reason', async () => {
    const { api } = await startAccount();
    for (const value of [unsignedToken(), 'pcd1.broken.token', makeDevice().token({ kept: false })]) {
      const { status, json } = await api.post('/v1/lists/block/entries', { entries: [{ kind: 'device', value }] });
      expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('a token of the device SDK')]);
      expect((await api.post('/v1/lists/check', { device_token: value })).json.matches).toEqual([]);
    }
  });

  test('provides variables for rules', async () => {
    const { api } = await startAccount();
    const rule = async (name: string, expression: string): Promise<void> => {
      const made = await api.post('/v1/rules', { name, expression, action: { points: 1 } });
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      for (const state of ['shadow', 'live'])
        expect((await api.put(`/v1/rules/${made.json.rule_id}`, { state })).status).toBe(200);
    };
    await rule('tampered', 'device_state == "tampered"');
    await rule('steered', 'device_automation && device_state == "verified"');
    await rule('aged', 'device_token_age_ms > 60000.0 && device_country == "DE" && device_token.startsWith("dvk_")');
    const signalsOf = async (device_token: string): Promise<string[]> =>
      (await api.post('/v1/events', login({ device_token }))).json.signals.filter((name: string) =>
        name.startsWith('rule.'),
      );
    const device = makeDevice();
    expect(await signalsOf('pcd1.x.y')).toEqual(['rule.tampered']);
    expect(await signalsOf(device.token({ automation: ['webdriver'] }))).toEqual(['rule.steered']);
    expect(await signalsOf(device.token({ at: START - 61_000 }))).toEqual(['rule.aged']);
    expect(await signalsOf(device.token())).toEqual([]);
    expect(await signalsOf('phone')).toEqual([]);
  });

  test('raises each documented signal for its reason, and a normal token raises none', async () => {
    const { clock, signalsOf } = await startAccount();
    const device = makeDevice();
    const at = (more: number): void => clock.set(START + more);
    const mine = { user_id: 'ada', ip_address: BERLIN };
    const token = (more = {}) => ({ ...mine, device_token: device.token({ at: clock.now() - 900, ...more }) });
    for (let day = 0; day < 4; day++) {
      at(day * DAY_MS);
      expect(await signalsOf(token())).toEqual([]);
    }
    at(4 * DAY_MS);
    expect(await signalsOf({ ...token(), device_token: `${device.token()}A` })).toEqual(['tampered_token']);
    expect(await signalsOf({ ...token(), device_token: device.id })).toEqual(['tampered_token']);
    expect(await signalsOf(token({ at: START }))).toEqual(['old_token']);
    expect(await signalsOf(token({ automation: ['headless'] }))).toEqual(['automated_browser']);
    const again = { ...mine, device_token: makeDevice().token({ at: clock.now() }) };
    expect(await signalsOf(again)).toEqual(['storage_cleared']);
    const other = { ...mine, device_token: makeDevice('another').token({ at: clock.now() }) };
    expect((await signalsOf(other)).toSorted()).toEqual(['device_switching', 'new_device']);
    const unsigned = { ...mine, device_token: unsignedToken('a third', { at: clock.now() }) };
    expect(await signalsOf(unsigned)).toEqual(['unproven_device']);

    const abroad = { zone: 'Asia/Ho_Chi_Minh', languages: ['vi-VN'], at: clock.now() };
    const stranger = { user_id: 'someone', ip_address: BERLIN, device_token: makeDevice('abroad').token(abroad) };
    expect(await signalsOf(stranger)).toEqual(['time_zone_mismatch', 'language_mismatch']);
  });

  test('used again is a replay, except by the same user within minutes or with the same Idempotency-Key', async () => {
    const { clock, service, api, signalsOf } = await startAccount();
    const device = makeDevice();
    const device_token = device.token();
    const body = login({ user_id: 'ada', device_token });
    const headers = { 'Idempotency-Key': 'once' };
    const send = () => api.post('/v1/events', body, headers);
    const first = await send();
    clock.advance(5 * MINUTE_MS);
    expect(await signalsOf({ user_id: 'ada', device_token })).toEqual([]);
    clock.advance(HOUR_MS / 2);
    const repeated = await send();
    expect([repeated.headers.get('idempotent-replayed'), repeated.text]).toEqual(['true', first.text]);
    expect(await signalsOf({ user_id: 'ada', device_token })).toEqual(['replayed_token']);
    expect(await signalsOf({ user_id: 'thief', device_token })).toContain('replayed_token');
    expect(await signalsOf({ user_id: 'ada', device_token: device.token({ at: clock.now() }) })).toEqual([]);

    const other = client(service, await service.key({ account: 'another' }));
    const elsewhere = await other.post('/v1/events', login({ user_id: 'ada', device_token }));
    expect(elsewhere.json.signals).toEqual([]);
    const sandbox = client(service, await service.key({ environment: 'production' }));
    expect((await sandbox.post('/v1/events', login({ user_id: 'ada', device_token }))).json.signals).toEqual([]);
  });

  test('of a machine with confirmed fraud raises a signal, with and without its key', async () => {
    const { clock, api, signalsOf } = await startAccount();
    const device = makeDevice('workshop');
    const theft = await api.post(
      '/v1/transactions/screen',
      payment({ user_id: 'thief', device_token: device.token() }),
    );
    await api.post('/v1/labels', { transaction_id: theft.json.transaction_id, label: 'fraud', source: 'chargeback' });
    clock.advance(DAY_MS);
    const by = (user_id: string, token: string) => signalsOf({ user_id, device_token: token });
    const at = clock.now();
    expect(await by('second', device.token({ at }))).toContain('fraud_on_device');
    expect(await by('third', makeDevice('workshop').token({ at }))).toContain('fraud_on_similar_device');
    expect(await by('fourth', unsignedToken('workshop', { at }))).toContain('fraud_on_similar_device');
    expect(await by('fifth', makeDevice('elsewhere').token({ at }))).toEqual([]);
  });

  // A token is verified before the store is used. So only a soak sends mutations to both stores.
  test.skipIf(isShared && !isSoak)(
    `never fails a request when mutated, and raises tampered_token when forged (seed ${SEED})`,
    {
      timeout: timeoutMs(120_000),
    },
    async () => {
      const { service, api } = await startAccount();
      const device = makeDevice();
      const { next, isForged } = makeMutations(device, makeRandom(SEED));
      const known = new Set([...SIGNALS.map(({ name }) => name), 'model_risk']);
      const states = new Set<number>();
      for (let sent = 0; sent < MUTATIONS; sent += 50) {
        const tokens = Array.from({ length: 50 }, next);
        const replies = await Promise.all(
          tokens.map((device_token, i) =>
            api.post('/v1/events', { user_id: `user_${(sent + i) % 997}`, type: 'login', device_token }),
          ),
        );
        for (const [i, { status, json }] of replies.entries()) {
          const token = tokens[i] as string;
          const isTampered = json.signals?.includes('tampered_token');
          expect([status, JSON.stringify(json.error)]).toEqual([200, undefined]);
          expect((json.signals as string[]).filter((name) => !known.has(name))).toEqual([]);
          if (/^pcd\d{1,3}\./.test(token) && isForged(token)) expect([token, isTampered]).toEqual([token, true]);
          states.add(Number(isTampered));
        }
      }
      expect([...states].sort()).toEqual([0, 1]);
      for (const [device_token, isTampered] of [
        ['', false],
        ['d'.repeat(4096), false],
        ['d'.repeat(4097), true],
        [`pcd1.${'a'.repeat(9000)}`, true],
        ['pcd1.a\0b.c', true],
        ['a\0', true],
        ['a\ud83d', true],
      ] as const) {
        const { status, json } = await api.post('/v1/events', login({ device_token }));
        expect([device_token, status, json.signals.includes('tampered_token')]).toEqual([
          device_token,
          200,
          isTampered,
        ]);
      }
      expect(await isStored(service.dataDir, 'pcd1.')).toBe(false);
    },
  );

  test('is described in the factors of a decision', async () => {
    const { api } = await startAccount();
    const device_token = makeDevice().token({ automation: ['webdriver', 'driver'], at: START - 3 * HOUR_MS });
    const { json } = await api.post('/v1/events', login({ device_token }));
    const { factors } = (await api.get(`/v1/decisions/${json.decision_id}`)).json;
    const descriptions = factors.map(({ signal, description }: Record<string, string>) => [signal, description]);
    expect(descriptions).toContainEqual([
      'automated_browser',
      'Automated browser: the browser reports WebDriver, traces of an automation driver in the page',
    ]);
    expect(descriptions).toContainEqual(['old_token', 'Device token made 3 hours before it arrived']);
  });
});
