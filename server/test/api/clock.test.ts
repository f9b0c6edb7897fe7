import { describe, expect, test } from 'vitest';
import {
  client,
  countRows,
  DAY_MS,
  HOUR_MS,
  iso,
  makeFolder,
  payment,
  profilePath,
  type Service,
  START,
  startService,
} from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/** A machine whose time passes, and whose clock is set, by the test. */
const makeMachine = (setBy = 0) => {
  let [passed, wrongBy] = [0, setBy];
  const wall = (): number => START + passed + wrongBy;
  return {
    sources: {
      wall,
      monotonic: () => passed,
      sleptMs: () => 0,
      // The database is on a machine with the same clock, so that this clock alone decides.
      database: async () => wall(),
    },
    wall,
    set: (ms: number): void => {
      wrongBy += ms;
    },
    pass: (ms: number): void => {
      passed += ms;
    },
  };
};
type Machine = ReturnType<typeof makeMachine>;

/** Time passes while the service asks for it, as it does all the time. */
const passWatched = async (machine: Machine, service: Service, ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 30 * SECOND_MS) {
    machine.pass(Math.min(left, 30 * SECOND_MS));
    await service.app.retention.sweep();
  }
};
const sweepLogs = ({ logs }: Service): string[] =>
  logs.filter((line) => line.includes('retention')).map((line) => JSON.parse(line).msg);

/**
 * PostgreSQL deletes the rows of a week at once, days later. Without its week, a row is deleted alone and in time, as in
 * the embedded store.
 */
const dropWeekOfStart = async ({ app }: Service): Promise<void> => {
  if (isShared) await app.backend.write([{ sql: 'DROP TABLE screenings_20261109', params: [] }]);
};

/** Everything that a clock can expire, made so that it expires days later; and the state of each. */
const makeWorld = async (service: Service, machine: Machine) => {
  const api = client(service, await service.key());
  await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.expired'] });
  await dropWeekOfStart(service);
  const old = (await api.pay(payment({ user_id: 'ada' }))).json;
  machine.pass(89 * DAY_MS + HOUR_MS);
  const flagged = await api.flagPayment();
  const entry = { kind: 'user', value: 'mallory', expires_at: iso(machine.wall() + 10 * DAY_MS) };
  const listed = await api.post('/v1/lists/block/entries', { entries: [entry] });
  expect(listed.status).toBeLessThan(300);
  const once = { body: payment({ user_id: 'once' }), headers: { 'Idempotency-Key': 'once' } };
  const first = await api.pay(once.body, once.headers);
  const limited = client(service, await service.key({ perMinute: 1 }));
  await limited.get('/v1/cases');
  return {
    api,
    states: async () => ({
      'screening of 89 days': (await api.get(`/v1/transactions/${old.transaction_id}`)).status,
      case: (await api.get(`/v1/cases/${flagged.case_id}`)).json.status,
      'case.expired messages': await countRows(service, 'deliveries'),
      'idempotent response': (await api.pay(once.body, once.headers)).text === first.text,
      'list entry': (await api.pay(payment({ user_id: 'mallory' }))).json.decision,
      'list entries': await countRows(service, 'list_entries'),
      'rate limit': (await limited.get('/v1/cases')).status,
    }),
  };
};
const UNCHANGED = {
  'screening of 89 days': 200,
  case: 'open',
  'case.expired messages': 0,
  'idempotent response': true,
  'list entry': 'block',
  'list entries': 1,
  'rate limit': 429,
};

describe('the system clock', () => {
  test.each([100 * DAY_MS, -100 * DAY_MS])('jumps by %i ms for four seconds: nothing happens', async (jump) => {
    const machine = makeMachine();
    const service = await startService({ clockSources: machine.sources });
    const { api, states } = await makeWorld(service, machine);
    expect(await states()).toEqual(UNCHANGED);
    machine.set(jump);
    for (let second = 0; second < 4; second++) {
      expect(await states()).toEqual(UNCHANGED);
      await service.app.retention.sweep();
      await service.app.expiry.send();
      machine.pass(SECOND_MS);
    }
    const { json } = await api.pay(payment({ user_id: 'ada' }));
    machine.set(-jump);
    await service.app.retention.sweep();
    await service.app.expiry.send();
    expect(await states()).toEqual(UNCHANGED);
    expect(Math.abs(Date.parse(json.screened_at) - machine.wall())).toBeLessThan(MINUTE_MS);
    // A screening stamped with another date would stay in every window until that date.
    const velocity = async () => (await api.get(profilePath('ada'))).json.velocity['1h'].count;
    expect(await velocity()).toBe(1);
    machine.pass(2 * HOUR_MS);
    expect(await velocity()).toBe(0);
    expect(service.logs.filter((line) => line.includes('"msg":"the system clock'))).toHaveLength(2);
  });

  test('jumps and stays: it is followed after a minute, nothing is deleted for ten more, then a day per hour', async () => {
    const machine = makeMachine();
    const service = await startService({ clockSources: machine.sources, logLevel: 'info' });
    const { states } = await makeWorld(service, machine);
    await service.app.retention.sweep();
    const rows = await countRows(service, 'screenings');
    machine.set(100 * DAY_MS);
    await passWatched(machine, service, 2 * MINUTE_MS);
    // What a read derives from the clock follows it. It returns with the clock.
    expect(await states()).toMatchObject({ 'screening of 89 days': 404, case: 'expired', 'idempotent response': true });
    await service.app.expiry.send();
    await passWatched(machine, service, 9 * MINUTE_MS);
    expect(await countRows(service, 'deliveries')).toBe(0);
    const screened = await countRows(service, 'screenings');
    expect(screened).toBeGreaterThan(rows);
    expect(sweepLogs(service).at(-1)).toContain('refused');
    await passWatched(machine, service, 2 * MINUTE_MS);
    // One day of 100 has passed for the sweep: the screening of 89 days is the only one that is old enough.
    expect(await countRows(service, 'screenings')).toBe(screened - 1);
    expect(sweepLogs(service).slice(-2)).toEqual([
      expect.stringContaining('a day per hour'),
      expect.stringContaining('deleted old rows'),
    ]);
    await passWatched(machine, service, 50 * MINUTE_MS);
    expect(sweepLogs(service).filter((line) => line.includes('a day per hour'))).toHaveLength(1);
    await passWatched(machine, service, 15 * MINUTE_MS);
    expect(sweepLogs(service).filter((line) => line.includes('a day per hour'))).toHaveLength(2);
    await service.app.expiry.send();
    expect(await countRows(service, 'deliveries')).toBe(1);
  });
});

describe('a service that starts with a wrong clock', () => {
  test('far ahead deletes nothing for ten minutes, then a day per hour, and sends no case.expired before', async () => {
    const machine = makeMachine();
    const dataDir = makeFolder();
    const before = await startService({ clockSources: machine.sources, dataDir });
    await makeWorld(before, machine);
    await before.app.retention.sweep();
    const rows = await countRows(before, 'screenings');
    await before.stop();
    const wrong = makeMachine(200 * DAY_MS);
    const service = await startService({ clockSources: wrong.sources, dataDir, logLevel: 'info' });
    await service.app.expiry.send();
    await passWatched(wrong, service, 9 * MINUTE_MS);
    expect([await countRows(service, 'screenings'), await countRows(service, 'deliveries')]).toEqual([rows, 0]);
    await passWatched(wrong, service, 2 * MINUTE_MS);
    expect(await countRows(service, 'screenings')).toBe(rows - 1);
    await service.stop();
    // Set right, everything that is not too old is there again.
    const after = await startService({ clockSources: machine.sources, dataDir });
    expect(await countRows(after, 'list_entries')).toBe(1);
    expect(await countRows(after, 'screenings')).toBe(rows - 1);
  });

  test('far behind deletes nothing, screens, and continues when its clock is set right', async () => {
    const machine = makeMachine();
    const dataDir = makeFolder();
    const before = await startService({ clockSources: machine.sources, dataDir });
    const { api } = await makeWorld(before, machine);
    const { json: newest } = await api.pay(payment({ user_id: 'ada' }));
    const rows = await countRows(before, 'screenings');
    await before.stop();
    const wrong = makeMachine(-100 * DAY_MS);
    const service = await startService({ clockSources: wrong.sources, dataDir });
    const again = client(service, await service.key());
    const { json } = await again.pay(payment({ user_id: 'ada' }));
    expect(json.transaction_id > newest.transaction_id).toBe(true);
    await passWatched(wrong, service, 11 * MINUTE_MS);
    wrong.set(100 * DAY_MS + 89 * DAY_MS);
    await passWatched(wrong, service, 2 * MINUTE_MS);
    const { json: right } = await again.pay(payment({ user_id: 'ada' }));
    expect(Math.abs(Date.parse(right.screened_at) - wrong.wall())).toBeLessThan(MINUTE_MS);
    expect(await countRows(service, 'screenings')).toBe(rows + 2);
  });
});

test("a clock that differs from the database's by more than a minute deletes nothing", async () => {
  const machine = makeMachine();
  let ahead = 0;
  const database = async (): Promise<number> => machine.wall() - ahead;
  const service = await startService({ clockSources: { ...machine.sources, database }, logLevel: 'info' });
  const api = client(service, await service.key());
  await api.pay(payment());
  await service.app.retention.sweep();
  machine.pass(90 * DAY_MS);
  await api.pay(payment());
  for (const wrong of [2 * MINUTE_MS, -2 * MINUTE_MS]) {
    ahead = wrong;
    await service.app.retention.sweep();
    machine.pass(HOUR_MS);
    expect(await countRows(service, 'screenings')).toBe(2);
  }
  expect(service.logs.join('')).toMatch(/120 s ahead of the clock of the database.*120 s behind/s);
});
