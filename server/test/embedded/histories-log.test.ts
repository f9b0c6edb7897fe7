import { openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { COUNTERS_FILE, PAGE_BYTES, SCHEMA } from '../../src/backend/embedded/counters-schema.ts';
import type { GroupsToSave } from '../../src/backend/embedded/history-rows.ts';
import type { HousekeeperData, SaveResult } from '../../src/backend/embedded/housekeeper-thread.ts';
import { openDatabase, startThread } from '../../src/backend/embedded/open-database.ts';
import { DATABASE_FILE, migrateSqlite } from '../../src/backend/embedded/store.ts';
import { makeFolder } from '../fixtures/harness.ts';

const GROUPS = 2000;
/** So long that each group has a page of its own. */
const GROUP_WORDS = 200;
/** The log is copied into the file when it has this many pages. */
const LOG_PAGES = 20_000;

const groupsOf = (save: number): GroupsToSave => {
  const words: number[] = [];
  for (let id = 1; id <= GROUPS; id++) {
    words.push(id, 1, id, 0, GROUP_WORDS, 0);
    for (let i = 0; i < GROUP_WORDS; i++) words.push(save);
  }
  return { count: GROUPS, through: save, completeThrough: save, words: Float64Array.from(words) };
};

test('the log of the histories is reused, however many groups are saved', async () => {
  const directory = makeFolder();
  const path = join(directory, DATABASE_FILE);
  const countersPath = join(directory, COUNTERS_FILE);
  migrateSqlite(directory);
  const counters = openDatabase(countersPath, { cacheKib: 512, newPageBytes: PAGE_BYTES });
  counters.exec(SCHEMA);
  const { port1 } = new MessageChannel();
  const data = { path, recordsFile: openSync(path, 'r+'), countersPath, holder: undefined, writer: port1 };
  const thread = startThread<HousekeeperData>('./housekeeper-thread.ts', data, [port1]);
  for (let save = 1; save * GROUPS < 2 * LOG_PAGES; save++) {
    const answer = new Promise<SaveResult>((resolve) => thread.once('message', resolve));
    thread.postMessage(groupsOf(save));
    expect(await answer).toMatchObject({ failed: '', refused: [] });
  }
  expect(statSync(`${countersPath}-wal`).size).toBeLessThan(1.3 * LOG_PAGES * PAGE_BYTES);
  expect(counters.prepare('SELECT COUNT(*) AS count FROM shelves WHERE through = 19').get()?.count).toBe(GROUPS);
  counters.close();
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('close');
  await exited;
});
