import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SCHEMA } from './counters-schema.ts';
import { type GroupFinder, makeGroupFinder } from './find-group.ts';
import { openDatabase } from './open-database.ts';

const ID = 7;
let folder: string;
let writer: DatabaseSync;
let database: DatabaseSync;
let finder: GroupFinder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  const path = join(folder, 'counters.db');
  writer = openDatabase(path, { cacheKib: 64 });
  writer.exec(`${SCHEMA}; INSERT INTO shelves VALUES (${ID}, 1, 1, 100, 0, x'00')`);
  database = openDatabase(path, { readOnly: true, cacheKib: 64 });
  finder = makeGroupFinder(database);
});
afterEach(() => {
  database.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

const through = (): number | undefined => finder.byId(ID)?.[2];
const save = (seq: number): void => writer.exec(`UPDATE shelves SET through = ${seq}`);

test('all reads of a task see one state of the file, and the next task sees the newest', () => {
  finder.inOneRead(() => {
    expect(through()).toBe(100);
    save(200);
    expect(through()).toBe(100);
  });
  finder.inOneRead(() => expect(through()).toBe(200));
});

test('reads outside of a task see the newest state, also after a task', () => {
  finder.inOneRead(through);
  save(300);
  expect(through()).toBe(300);
  save(400);
  expect(through()).toBe(400);
});

test('a task holds the file only from its first read to its end, even if it fails', () => {
  finder.inOneRead(() => expect(database.isTransaction).toBe(false));
  const failing = (): never =>
    finder.inOneRead(() => {
      through();
      expect(database.isTransaction).toBe(true);
      throw new Error('a screening failed');
    });
  expect(failing).toThrow('a screening failed');
  expect(database.isTransaction).toBe(false);
  save(500);
  expect(through()).toBe(500);
});
