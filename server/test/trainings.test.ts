import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFile } from '@portcullis/contract';
import { DEFAULT_POLICY, type Logistic, modelVersionOf } from '@portcullis/engine';
import { expect, test } from 'vitest';
import type { Caller } from '../src/access/access.ts';
import { openSqliteBeside } from '../src/backend/sqlite.ts';
import { makeIds } from '../src/ids.ts';
import { makeLog } from '../src/log.ts';
import { makeMetrics } from '../src/metrics.ts';
import { makeChampions } from '../src/models/champions.ts';
import { BASE_MODEL, loadModelFile } from '../src/models/load.ts';
import type { TrainingRow } from '../src/models/store.ts';
import { makeTrainings, type Trainings } from '../src/models/trainings.ts';
import { client, type Json, makeClock, makeFolder, payment, startService } from './harness.ts';

const clock = makeClock();

test('a training that begins while the one before it ends is under way until it ends itself', async () => {
  const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
  const { tenantOf } = service.app.keys;
  const { connect, ...backend } = openSqliteBeside(service.dataDir);
  const base = loadModelFile(BASE_MODEL);
  const log = makeLog('silent');
  const tenant = await tenantOf('acme', 'production');
  const caller: Caller = { keyId: 'a_test', tenant, account: 'acme', environment: 'production', role: 'admin' };
  let second: TrainingRow | undefined;
  let told: Json;
  const trainings: Trainings = await makeTrainings({
    backend,
    connect,
    base,
    champions: await makeChampions({ backend, base, tenantOf, log }),
    policyOf: async () => ({ ...DEFAULT_POLICY, model: base.model }),
    settle: async (_, end) => {
      if (second === undefined) {
        await backend.write([end('It is done.', null)]);
        second = await trainings.begin(caller, null, 30, () => []);
        return;
      }
      // So long after that whoever does not know it as its own takes it for lost.
      clock.advance(60_000);
      told = trainings.toTraining(second);
      await backend.write([end('It is done.', null)]);
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
  expect(told?.status).toBe('running');
  await trainings.stop();
  await backend.close();
});

test('whoever asked for a training that failed is told so in a fixed sentence, and the log why', async () => {
  const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
  const api = client(service, await service.key({ environment: 'production' }));
  await api.pay(payment());
  await service.app.backend.write([{ sql: 'UPDATE screenings SET verdict = ?', params: ['jane@example.com'] }]);
  const { json } = await api.post('/v1/models/train', {});
  await service.app.models.idle();
  const { json: training } = await api.get(`/v1/trainings/${json.training_id}`);
  expect([training.status, training.message]).toEqual(['failed', 'It failed; the log of the service tells why.']);
  expect(service.logs.join('')).toContain('a training failed');
});

test('where the base model has no trees to build upon, a training fails and says so', async () => {
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
    'The base model is of kind logistic, and only one of boosted trees can be built upon. Name another in MODEL_FILE, or none.',
  ]);
});
