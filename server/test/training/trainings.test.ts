import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelFile, ROLE_PERMISSIONS } from '@portcullis/contract';
import { DEFAULT_POLICY, type Logistic, modelVersionOf } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { openSqliteRecords } from '../../src/backend/embedded/store.ts';
import type { Caller } from '../../src/http/caller.ts';
import { makeChampions } from '../../src/models/champions.ts';
import { BASE_MODEL, loadModelFile } from '../../src/models/model-file.ts';
import { makeTrainings, type Trainings } from '../../src/models/training-jobs.ts';
import type { TrainingRow } from '../../src/models/training-store.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { client, type Json, makeClock, makeFolder, payment, startService } from '../fixtures/harness.ts';

const clock = makeClock();

test('a training that begins while the previous one ends stays running until its own end', async () => {
  const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
  const { tenantOf } = service.app.keys;
  const { connect, ...backend } = openSqliteRecords(service.dataDir);
  const base = loadModelFile(BASE_MODEL);
  const log = makeLog('silent');
  const tenant = await tenantOf('acme', 'production');
  const caller: Caller = {
    keyId: 'a_test',
    tenant,
    account: 'acme',
    environment: 'production',
    role: 'admin',
    permissions: ROLE_PERMISSIONS.admin,
  };
  let second: TrainingRow | undefined;
  let training: Json;
  const trainings: Trainings = await makeTrainings({
    backend,
    audit: { write: (_by, _change, unit) => backend.write(unit) },
    connect,
    base,
    champions: await makeChampions({ backend, base, tenantOf, log }),
    policyOf: async () => ({ ...DEFAULT_POLICY, model: base.model }),
    settle: async (_, end) => {
      if (second === undefined) {
        await backend.write([end('Done.', null)]);
        second = await trainings.begin(caller, null, 30, () => []);
        return;
      }
      // Long enough for another process to report it as lost.
      clock.advance(60_000);
      training = trainings.toTraining(second);
      await backend.write([end('Done.', null)]);
    },
    trainDaily: false,
    runsJobs: true,
    tenantOf,
    newId: makeIds(clock.now),
    clock: clock.now,
    log,
    metrics: makeMetrics(),
  });
  await trainings.begin(caller, null, 30, () => []);
  await trainings.idle();
  await trainings.idle();
  expect(training?.status).toBe('running');
  await trainings.stop();
  await backend.close();
});

test('a failed training has a fixed message, and the log has the reason', async () => {
  const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
  const api = client(service, await service.key({ environment: 'production' }));
  await api.pay(payment());
  await service.app.backend.write([{ sql: 'UPDATE screenings SET verdict = ?', params: ['jane@example.com'] }]);
  const { json } = await api.post('/v1/models/train', {});
  await service.app.models.idle();
  const { json: training } = await api.get(`/v1/trainings/${json.training_id}`);
  expect([training.status, training.message]).toEqual([
    'failed',
    'The training failed. The log of the service has the reason.',
  ]);
  expect(service.logs.join('')).toContain('training failed');
  expect((await api.get('/v1/trainings')).json).toEqual({ trainings: [training], has_more: false });
  expect((await api.get(`/v1/trainings?before=${training.training_id}`)).json.trainings).toEqual([]);
  for (const other of [{ environment: 'sandbox' }, { environment: 'production', account: 'other' }] as const)
    expect((await client(service, await service.key(other)).get('/v1/trainings')).json.trainings).toEqual([]);
});

test('a training fails with a message when the base model has no trees', async () => {
  const { model_version: _, forest: _forest, ...base } = JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile;
  const zeros = base.features.map(() => 0);
  const logistic = { intercept: -4, means: zeros, deviations: zeros.map(() => 1), weights: [...zeros, ...zeros] };
  const content = { ...base, kind: 'logistic', logistic: logistic as unknown as Logistic } as typeof base;
  const path = join(makeFolder(), 'logistic.json');
  writeFileSync(path, JSON.stringify({ ...content, model_version: modelVersionOf(content) }));
  const env = { TRAIN_DAILY: 'off', MODEL_FILE: path };
  const service = await startService({ clock: clock.now, logLevel: 'error', env });
  const api = client(service, await service.key({ environment: 'production' }));
  const { json } = await api.post('/v1/models/train', {});
  await service.app.models.idle();
  const { json: training } = await api.get(`/v1/trainings/${json.training_id}`);
  expect([training.status, training.message]).toEqual([
    'failed',
    'The base model is of kind logistic; only boosted trees can be trained further. Set MODEL_FILE to a model of boosted trees, or unset it.',
  ]);
});
