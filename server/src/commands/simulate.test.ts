import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { readFlags, type SimulateFlags, simulateFile } from './simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-simulate-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FLAGS: SimulateFlags = {
  seed: '5',
  users: '40',
  days: '10',
  start: '2026-03-01',
  world: 'shop',
  attacks: 'all',
};

test('the same history is written plain and gzipped', async () => {
  const [plain, zipped] = [join(folder, 'a.ndjson'), join(folder, 'a.ndjson.gz')];
  await simulateFile({ ...FLAGS, out: plain });
  await simulateFile({ ...FLAGS, out: zipped });
  const text = readFileSync(plain, 'utf8');
  expect(text.split('\n').length).toBeGreaterThan(20);
  expect(gunzipSync(readFileSync(zipped)).toString()).toBe(text);
  expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toMatchObject({ label: 'legitimate' });
});

test.each([
  [{ seed: '-1' }, '--seed'],
  [{ users: '0' }, '--users'],
  [{ users: '1.5' }, '--users'],
  [{ days: 'many' }, '--days'],
  [{ start: 'today' }, '--start'],
  [{ attacks: 'card_testing,magic' }, 'magic'],
  [{ fraudShare: '1' }, '--fraud-share'],
])('an invalid option is reported by name: %j', (mistake, name) => {
  expect(() => readFlags({ ...FLAGS, ...mistake })).toThrow(name);
});
