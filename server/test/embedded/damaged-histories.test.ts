import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeRandom } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { checksumOf } from '../../src/backend/checksum.ts';
import { PAGE_BYTES } from '../../src/backend/embedded/counters-schema.ts';
import { GROUP_COLUMNS, type GroupRow, isIntact } from '../../src/backend/embedded/group-row.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import {
  type Client,
  cacheOf,
  client,
  makeClock,
  makeFolder,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { play, profilesOf, type Step, traffic, usersIn } from '../fixtures/traffic.ts';

const steps: Step[] = isShared ? [] : [...traffic(11, 60)];
const users = usersIn(steps);
const COUNTERS = 'counters.db';

/** A store with histories, and its profiles. */
const makeStore = async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now, logLevel: 'silent' });
  const key = await service.key();
  await play(client(service, key), clock, steps);
  const profiles = await profilesOf(client(service, key), users);
  await service.stop();
  return { folder: service.dataDir, key, profiles, now: clock.now() };
};
const store = isShared ? undefined : await makeStore();
const { folder, key, profiles, now } = store ?? { folder: '', key: '', profiles: [], now: 0 };

const random = makeRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);

/** Copies the store, damages its file of histories, and starts the service. */
const startDamaged = async (damage: (path: string) => void): Promise<{ service: Service; api: Client }> => {
  const dataDir = makeFolder();
  cpSync(folder, dataDir, { recursive: true });
  damage(join(dataDir, COUNTERS));
  const clock = makeClock(now);
  const service = await startService({ clock: clock.now, dataDir });
  return { service, api: client(service, key) };
};
const errorsOf = ({ logs }: Service): string[] =>
  logs
    .map((line) => JSON.parse(line))
    .flatMap(({ level, fault }) => (level === 'error' || level === 50 ? [fault] : []));

/** Reads every profile. Those of damaged histories are unavailable until they are rebuilt. */
const untilRebuilt = async (api: Client): Promise<void> => {
  const read = async () => (await Promise.all(users.map((user) => profilesOf(api, [user])))).flat();
  await expect.poll(read, { interval: 50 }).toEqual(profiles);
};

/** A check beside the requests finds that the file is malformed: profiles may be read before it ends. */
const untilReplaced = (service: Service): Promise<void> =>
  expect.poll(() => errorsOf(service).join()).toMatch(/is malformed: it is replaced now/);

const changeRows = (path: string, change: (bytes: Uint8Array) => Uint8Array): number => {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT shelf, bytes FROM shelves').all();
  const update = database.prepare('UPDATE shelves SET bytes = ? WHERE shelf = ?');
  for (const { shelf, bytes } of rows) update.run(change(bytes as Uint8Array), shelf as number);
  database.close();
  return rows.length;
};
const flip = (bytes: Uint8Array, at = below(bytes.length)): Uint8Array => {
  const flipped = bytes.slice();
  flipped[at] = (flipped[at] as number) ^ (1 + below(255));
  return flipped;
};

describe.skipIf(isShared)(`a damaged row (seed ${SEED})`, () => {
  const rows = (): GroupRow[] => {
    const database = new DatabaseSync(join(folder, COUNTERS));
    const statement = database.prepare(`SELECT ${GROUP_COLUMNS} FROM shelves s`);
    statement.setReturnArrays(true);
    const all = statement.all() as unknown as GroupRow[];
    database.close();
    return all;
  };

  test('is recognized by any changed byte, and by any changed number', () => {
    const all = rows();
    expect(all.length).toBeGreaterThan(50);
    for (const row of all.filter(() => below(rounds(10, 1)) === 0)) {
      expect(isIntact(row)).toBe(true);
      const [id, tenant, through, bytes, owner, checksum] = row;
      for (let at = 0; at < bytes.length; at++) {
        expect(isIntact([id, tenant, through, flip(bytes, at), owner, checksum])).toBe(false);
      }
      for (const changed of [
        [id + 1, tenant, through, bytes, owner, checksum],
        [id, tenant + 1, through, bytes, owner, checksum],
        [id, tenant, through + 2 ** 40, bytes, owner, checksum],
        [id, tenant, through, bytes, owner + 2 ** 33, checksum],
        [id, tenant, through, bytes, owner, checksum + 1],
        [id, tenant, through, bytes.slice(8), owner, checksum],
        [id, tenant, through, bytes.slice(1), owner, checksum],
        [id, tenant, through, new Uint8Array(40_000 * 8), owner, checksum],
        [id, tenant, through, 'text', owner, checksum],
      ])
        expect(isIntact(changed as unknown as GroupRow)).toBe(false);
    }
    expect(checksumOf(new Uint8Array(8), 1)).not.toBe(checksumOf(new Uint8Array(8), 2));
  });

  test('costs only itself: the service starts, serves, reports each row once and rebuilds what it needs', async () => {
    for (let round = 0; round < rounds(1, 20); round++) {
      let count = 0;
      const { service, api } = await startDamaged((path) => {
        count = changeRows(path, (bytes) => flip(bytes));
      });
      // A decision before the rebuild is made without the histories, and says so.
      const { path, body } = steps[0] as Step;
      const { json } = await api.post(path, body);
      const decision = await api.get(`/v1/decisions/${json.decision_id}`);
      expect(decision.json.unavailable).toContain('user');
      await expect.poll(() => cacheOf(service).damaged, { interval: 50 }).toBe(count);
      const reported = errorsOf(service).filter((fault) => fault.includes('is damaged'));
      expect(reported.length).toBe(count);
      expect(reported.join()).not.toMatch(/user_|@|\d+\.\d+\.\d+\.\d+/);
      const metrics = await api.get('/metrics');
      expect(metrics.text).toContain(`portcullis_histories_damaged ${count}`);
      await expect.poll(async () => (await api.get(`/v1/users/${body.user_id}/risk-profile`)).status).toBe(200);
      await service.stop();
    }
  });

  test.each([
    ['a flipped byte', (bytes: Uint8Array) => flip(bytes)],
    ['far too many bytes', () => new Uint8Array(4097 * 8).fill(0xff)],
  ])('with %s is rebuilt from the stored screenings, to the same profile, for good', async (_, change) => {
    const { service, api } = await startDamaged((path) => void changeRows(path, change));
    await untilRebuilt(api);
    await expect.poll(() => cacheOf(service).rebuilding).toBe(0);
    await service.stop();
    const again = await startService({ clock: () => now, dataDir: service.dataDir, logLevel: 'silent' });
    expect(await profilesOf(client(again, key), users)).toEqual(profiles);
    await again.stop();
  });
});

describe.skipIf(isShared)(`a malformed file of histories (seed ${SEED})`, () => {
  const flipInFile = (path: string, at: number): void => writeFileSync(path, flip(readFileSync(path), at));
  const size = isShared ? 0 : readFileSync(join(folder, COUNTERS)).length;

  test.each([
    ['that is no database', (path: string) => writeFileSync(path, 'no database'.repeat(1000))],
    ['with a damaged header', (path: string) => flipInFile(path, below(16))],
    ['cut off in the middle', (path: string) => truncateSync(path, 2048 * Math.floor(size / 4096))],
    ['cut off in a page', (path: string) => truncateSync(path, size - 1000)],
    ['of nothing but zeros', (path: string) => writeFileSync(path, new Uint8Array(size))],
  ])('%s is named, moved away and replaced', async (_, damage) => {
    const { service, api } = await startDamaged(damage);
    const reports = () => errorsOf(service).filter((fault) => fault.includes(COUNTERS));
    await expect.poll(() => reports().join()).toMatch(/was malformed/);
    await untilRebuilt(api);
    expect(readFileSync(join(service.dataDir, `${COUNTERS}.damaged`)).length).toBeGreaterThan(0);
    await service.stop();
  });

  test('with a row under another id is replaced, and no history is lost', async () => {
    const { service, api } = await startDamaged((path) => {
      const database = new DatabaseSync(path);
      database.exec('UPDATE shelves SET shelf = shelf + 1 WHERE shelf = (SELECT MAX(shelf) FROM shelves)');
      database.close();
    });
    await untilReplaced(service);
    await untilRebuilt(api);
    await service.stop();
  });

  test('with a page that no longer lists one of its pages of rows is replaced, and no history is lost', async () => {
    // A page that lists pages of a table starts with 5. How many it lists is in its bytes 3 and 4.
    const isListOfPages = (file: Buffer, page: number): boolean => file[page] === 5 && file.readUInt16BE(page + 3) > 1;
    const { service, api } = await startDamaged((path) => {
      const file = readFileSync(path);
      const pages = Array.from({ length: size / PAGE_BYTES }, (_, i) => i * PAGE_BYTES);
      const page = pages.find((at) => isListOfPages(file, at)) as number;
      file.writeUInt16BE(file.readUInt16BE(page + 3) - 1, page + 3);
      writeFileSync(path, file);
    });
    await untilReplaced(service);
    await untilRebuilt(api);
    await service.stop();
  });

  /** Half of the places are in the first bytes of a page, which say what the page contains. */
  const somePlace = (): number => (below(2) === 0 ? PAGE_BYTES * below(size / PAGE_BYTES) + below(12) : below(size));

  test(
    'with any flipped byte never stops the start or loses a history',
    async () => {
      for (let round = 0; round < rounds(4, 200); round++) {
        const at = somePlace();
        const { service, api } = await startDamaged((path) => flipInFile(path, at));
        try {
          await untilRebuilt(api);
        } catch (error) {
          throw new Error(`byte ${at} of ${size}`, { cause: error });
        }
        await service.stop();
      }
    },
    timeoutMs(60_000),
  );
});
