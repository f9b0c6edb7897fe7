import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFile } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { client, type Json, makeFolder, payment, startService } from '../fixtures/harness.ts';
import { withoutTrees } from '../fixtures/model-files.ts';

const dataDir = makeFolder();
let key: string | undefined;
/** Runs `task` against the service on the same store, with the given base model or the default one. */
const withBase = async <T>(file: ModelFile | undefined, task: (api: ReturnType<typeof client>) => Promise<T>) => {
  const path = join(makeFolder(), 'model.json');
  if (file !== undefined) writeFileSync(path, JSON.stringify(file));
  const env = { TRAIN_DAILY: 'off', ...(file === undefined ? {} : { MODEL_FILE: path }) };
  const service = await startService({ dataDir, logLevel: 'error', env });
  key ??= await service.key();
  const done = await task(client(service, key));
  const kept = await service.app.backend.read<{ model_version: string }>('SELECT model_version FROM base_models');
  await service.stop();
  return { done, kept: kept.map(({ model_version }) => model_version) };
};

test('a decision is explained with the base model that made it, however many replaced it since', async () => {
  const files = [withoutTrees(1), undefined, withoutTrees(2)];
  const decisions: Json[] = [];
  for (const file of files) {
    const decide = async (api: ReturnType<typeof client>): Promise<Json> => {
      const { json } = await api.pay(payment());
      return (await api.get(`/v1/decisions/${json.decision_id}?factors=exact`)).json;
    };
    decisions.push((await withBase(file, decide)).done);
  }
  const versions = decisions.map(({ model_version }) => model_version);
  expect(new Set(versions).size).toBe(3);
  expect(versions[0]).toBe(files[0]?.model_version);
  const { done: later, kept } = await withBase(undefined, (api) =>
    Promise.all(
      decisions.map(async ({ decision_id }) => (await api.get(`/v1/decisions/${decision_id}?factors=exact`)).json),
    ),
  );
  expect(later.map(({ warnings }) => warnings)).toEqual([undefined, undefined, undefined]);
  expect(later).toEqual(decisions);
  // Stored once each, however often the service was started with it.
  expect(kept.toSorted()).toEqual(versions.toSorted());
});
