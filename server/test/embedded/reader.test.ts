import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Unavailable } from '../../src/backend/backend.ts';
import { makeReader } from '../../src/backend/embedded/reader.ts';
import { migrateSqlite } from '../../src/backend/embedded/store.ts';
import { makeFolder } from '../fixtures/harness.ts';

test('a reader whose thread ended refuses the read, reports it, and serves the next one', async () => {
  const directory = makeFolder();
  const errors: string[] = [];
  // The thread ends at once: there is no file yet.
  const reader = makeReader(join(directory, 'portcullis.db'), (message) => void errors.push(message));
  await expect(reader.readLong(1, 'SELECT 1')).rejects.toBeInstanceOf(Unavailable);
  expect(errors).toEqual([expect.stringContaining('the reader ended')]);
  migrateSqlite(directory);
  expect(await reader.readLong(1, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await reader.close();
  await expect(reader.readLong(1, 'SELECT 1')).rejects.toBeInstanceOf(Unavailable);
  expect(errors).toHaveLength(1);
});
