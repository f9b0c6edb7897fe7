import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BASE_MODEL } from '../../src/models/model-file.ts';
import { client, DAY_MS, type Json, makeClock, payment, startService } from '../fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../fixtures/model-files.ts';
import { changeRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now, env: { TRAIN_DAILY: 'off' } });
const api = client(service, await service.key({ environment: 'production' }));
const trained = async (): Promise<Json> => {
  const { json } = await api.post('/v1/models/train', {});
  await service.app.models.idle();
  return (await api.get(`/v1/trainings/${json.training_id}`)).json;
};

describe('an account without labels', () => {
  test('has the base model as champion, with its metrics and features', async () => {
    const { models } = (await api.get('/v1/models')).json;
    expect(models).toHaveLength(1);
    expect([models[0].status, models[0].ships, models[0].trained_at]).toEqual(['champion', true, null]);
    const { json } = await api.get(`/v1/models/${models[0].model_version}`);
    expect(json.features).toEqual(JSON.parse(readFileSync(BASE_MODEL, 'utf8')).features);
    expect(json.metrics.average_precision).toBeGreaterThan(0.5);
    expect((await api.get('/v1/models/mdl_unknown')).status).toBe(404);
    const { json: screened } = await api.pay(payment());
    const { json: decision } = await api.get(`/v1/decisions/${screened.decision_id}`);
    expect(decision.model_version).toBe(models[0].model_version);
  });

  test('gets no model from a training, and a message with what is missing', async () => {
    const training = await trained();
    expect([training.status, training.progress, training.model_version]).toEqual(['done', 1, null]);
    expect(training.message).toMatch(/^Not enough to learn from: there are 0 items labelled as fraud/);
    expect((await api.get('/v1/models')).json.models).toHaveLength(1);
  });

  test('cannot roll back, and keeps its model when that is promoted', async () => {
    const { status, json } = await api.post('/v1/models/rollback', undefined);
    expect([status, json.error.code]).toEqual([409, 'no_earlier_model']);
    const [{ model_version }] = (await api.get('/v1/models')).json.models;
    expect((await api.post(`/v1/models/${model_version}/promote`, {})).json.status).toBe('champion');
    expect((await api.get('/v1/audit?target=model')).json.entries).toEqual([]);
  });
});

test('sandbox keys read the shipped model alone, and change none', async () => {
  const sandbox = client(service, await service.key());
  const file = withoutTrees(1);
  await addChallenger(service.app.backend, 'acme', file);
  const { training_id } = await trained();
  const { models } = (await sandbox.get('/v1/models')).json;
  expect(models.map(({ ships }: Json) => ships)).toEqual([true]);
  const [{ model_version }] = models;
  expect((await sandbox.get(`/v1/models/${model_version}`)).status).toBe(200);
  for (const path of [`/v1/models/${file.model_version}`, `/v1/trainings/${training_id}`])
    expect([(await sandbox.get(path)).status, (await api.get(path)).status]).toEqual([404, 200]);
  const replies = [
    await sandbox.post('/v1/models/train', {}),
    await sandbox.post(`/v1/models/${model_version}/promote`, {}),
    await sandbox.post('/v1/models/rollback', undefined),
  ];
  expect(replies.map(({ status, json }) => [status, json.error.code])).toEqual(
    replies.map(() => [403, 'wrong_environment']),
  );
});

test('a training requested twice with one idempotency key begins once', async () => {
  const headers = { 'Idempotency-Key': 'a training' };
  const [one, two] = [await api.post('/v1/models/train', {}, headers), await api.post('/v1/models/train', {}, headers)];
  expect([one.status, two.status]).toEqual([202, 202]);
  expect(two.json.training_id).toBe(one.json.training_id);
  await service.app.models.idle();
});

test('maturity_days is validated', async () => {
  for (const maturity_days of [-1, 90, 1.5, 'a month'])
    expect((await api.post('/v1/models/train', { maturity_days })).status).toBe(400);
});

describe('the daily training', () => {
  const started = async (): Promise<Json[]> =>
    service.app.backend.read('SELECT started_by, status FROM trainings WHERE started_at >= ?', clock.now());
  const label = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { json } = await api.pay(payment());
      const { status } = await api.post('/v1/labels', {
        transaction_id: json.transaction_id,
        label: 'legitimate',
        source: 'a test',
      });
      expect(status).toBe(201);
    }
  };
  const due = async (): Promise<number> => {
    await service.app.models.trainDue();
    await service.app.models.idle();
    return (await started()).length;
  };

  test('begins after fifty new labels, at most once a day, and again only after fifty more', async () => {
    clock.advance(DAY_MS + 1);
    await label(49);
    expect(await due()).toBe(0);
    await label(1);
    expect(await due()).toBe(1);
    expect(await started()).toEqual([{ started_by: null, status: 'done' }]);
    await label(50);
    expect(await due()).toBe(1);
    clock.advance(DAY_MS + 1);
    expect(await due()).toBe(1);
    clock.advance(DAY_MS + 1);
    expect(await due()).toBe(0);
  });

  test('ignores sandbox labels', async () => {
    clock.advance(DAY_MS + 1);
    const sandbox = client(service, await service.key());
    for (let i = 0; i < 50; i++) {
      const { json } = await sandbox.pay(payment());
      await sandbox.post('/v1/labels', { transaction_id: json.transaction_id, label: 'fraud', source: 'a test' });
    }
    expect(await due()).toBe(0);
  });
});

test('an invalid model version is 404, whatever its characters', async () => {
  const own = client(service, await service.key());
  for (const version of ['mdl_unknown', 'mdl_%00', '%00', 'x'.repeat(100)])
    expect([version, (await own.get(`/v1/models/${version}`)).status]).toEqual([version, 404]);
});

test('a training interrupted by a crash is failed after the next start, and another can begin', async () => {
  const crashed = await startService({ clock: clock.now });
  const key = await crashed.key({ environment: 'production' });
  await crashed.stop();
  const id = '01m7ejnjyqetkazatznps5mye3';
  const training = `INSERT INTO trainings (id, account, status, started_at, labels_through) VALUES (?, 'acme', 'running', ?, 0)`;
  await changeRecords(crashed.dataDir, training, id, clock.now());
  const restarted = await startService({ clock: clock.now, dataDir: crashed.dataDir });
  const own = client(restarted, key);
  const { json } = await own.get(`/v1/trainings/trn_${id}`);
  expect([json.status, json.message]).toEqual(['failed', 'The service was stopped. Train again.']);
  expect((await own.post('/v1/models/train', {})).status).toBe(202);
  await restarted.app.models.idle();
});

test('stopping the service ends a running training', async () => {
  const stopped = await startService({ clock: clock.now });
  const key = await stopped.key({ environment: 'production' });
  const { json } = await client(stopped, key).post('/v1/models/train', {});
  await stopped.stop();
  const again = await startService({ clock: clock.now, dataDir: stopped.dataDir });
  const { json: training } = await client(again, key).get(`/v1/trainings/${json.training_id}`);
  expect(['failed', 'done']).toContain(training.status);
});

test('a stored model that cannot be read does not stop the service, and is logged', async () => {
  const broken = await startService({ clock: clock.now });
  const key = await broken.key({ environment: 'production' });
  await broken.stop();
  await changeRecords(
    broken.dataDir,
    `INSERT INTO models (account, model_version, status, file, told, learned_until, trained_at)
      VALUES ('acme', 'mdl_broken', 'champion', '{}', '{}', 0, 0)`,
  );
  const served = await startService({ clock: clock.now, dataDir: broken.dataDir });
  const own = client(served, key);
  expect((await own.pay(payment())).status).toBe(200);
  expect(served.logs.join('')).toContain('the model of an account cannot be read');
  // The account can still roll back.
  const back = await own.post('/v1/models/rollback', undefined);
  expect([back.status, back.json.ships, back.json.status]).toEqual([200, true, 'champion']);
});
