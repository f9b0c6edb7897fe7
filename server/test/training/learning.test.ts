import { makeRandom } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import {
  type Client,
  client,
  DAY_MS,
  type Json,
  makeClock,
  makeFolder,
  START,
  startService,
} from '../fixtures/harness.ts';
import { isHeld, makeHistory, type ScreenedItem, send, shareHeld } from '../fixtures/learning-world.ts';
import { copyStore } from '../fixtures/shared-store.ts';

/**
 * The whole loop over HTTP: traffic with a kind of fraud that the base model misses, labels, a training, later traffic.
 * The same later traffic also goes to a copy with the same labels and no training, so only the model differs.
 */
const DAYS = 60;
const LEARNED_DAYS = 45;
const history = makeHistory(22, 450, DAYS, START);
const learnedFrom = history.filter(({ at }) => at < START + LEARNED_DAYS * DAY_MS);
const later = history.slice(learnedFrom.length);

const clock = makeClock();
const open = async (dataDir = makeFolder()) => {
  const service = await startService({ clock: clock.now, logLevel: 'error', dataDir, env: { TRAIN_DAILY: 'off' } });
  const key = await service.key({ account: 'acme', environment: 'production' });
  return { service, dataDir, url: service.url, key, api: client(service, key) };
};
const copyOf = async (folder: string): Promise<string> => {
  const copy = makeFolder();
  await copyStore(folder, copy);
  return copy;
};

/** Has people review every added payment method, so that they review ordinary items too, however few the model holds. */
const reviewAddedMethods = async (api: Client): Promise<void> => {
  const expression = 'event_type == "payment_method_added"';
  const { json } = await api.post('/v1/rules', { name: 'added_methods', expression, action: { decision: 'review' } });
  for (const state of ['shadow', 'live'])
    expect((await api.put(`/v1/rules/${json.rule_id}`, { state })).status).toBe(200);
};

const first = await open();
await reviewAddedMethods(first.api);
const screened = await send(first, learnedFrom, clock.set);
const END = clock.now();
await first.service.stop();
const [flippedFolder, randomFolder] = [await copyOf(first.dataDir), await copyOf(first.dataDir)];

const CASE_MS = 6 * DAY_MS;
const LABEL_BATCH = 16;
/** Labels held items, through their case while it is open, and the fraud among allowed items. `isFraudLabel` gives the label. */
const label = async (api: Client, isFraudLabel: (item: ScreenedItem) => boolean): Promise<void> => {
  const labelled = screened.filter((item) => isHeld(item) || item.fraud);
  const give = async (item: ScreenedItem): Promise<void> => {
    const { kind, json, at } = item;
    const isFraud = isFraudLabel(item);
    const { status } =
      json.case_id !== null && END - at < CASE_MS
        ? await api.put(`/v1/cases/${json.case_id}`, { status: isFraud ? 'rejected' : 'approved' })
        : await api.post('/v1/labels', {
            [`${kind}_id`]: json[`${kind}_id`],
            label: isFraud ? 'fraud' : 'legitimate',
            source: 'chargeback',
          });
    expect([200, 201]).toContain(status);
  };
  for (let i = 0; i < labelled.length; i += LABEL_BATCH)
    await Promise.all(labelled.slice(i, i + LABEL_BATCH).map(give));
};

/** Trains, and returns the training and its model. */
const train = async ({ service, api }: Awaited<ReturnType<typeof open>>): Promise<{ training: Json; model: Json }> => {
  const { status, json } = await api.post('/v1/models/train', { maturity_days: 7 });
  expect([status, json.status]).toEqual([202, 'running']);
  const again = await api.post('/v1/models/train', {});
  expect([again.status, again.json.error.code]).toEqual([409, 'training_in_progress']);
  await service.app.models.idle();
  const { json: training } = await api.get(`/v1/trainings/${json.training_id}`);
  expect([training.status, training.progress]).toEqual(['done', 1]);
  return { training, model: (await api.get(`/v1/models/${training.model_version}`)).json };
};

const labelled = await open(first.dataDir);
const [shipped] = (await labelled.api.get('/v1/models')).json.models;
await label(labelled.api, ({ fraud }) => fraud);
await labelled.service.stop();
const control = await open(await copyOf(first.dataDir));
const learning = await open(first.dataDir);
const { training, model } = await train(learning);
const after = await send(learning, later, clock.set);
clock.set(END);
const before = await send(control, later, clock.set);

const isNew = (item: ScreenedItem): boolean => item.isNew;
const isKnown = (item: ScreenedItem): boolean => item.fraud && !item.isNew;
const isOrdinary = (item: ScreenedItem): boolean => !item.fraud;

describe('a kind of fraud that the base model misses', () => {
  test('is learned from resolved cases and reported fraud, and later items of it are held', () => {
    expect(later.filter((item) => item.isNew).length).toBeGreaterThan(25);
    expect(shareHeld(screened, isNew)).toBeLessThan(0.1);
    expect(shareHeld(before, isNew)).toBeLessThan(0.25);
    expect(shareHeld(after, isNew)).toBeGreaterThan(0.9);
  });

  test('adds no false positives, and known fraud is still found', () => {
    expect(shareHeld(after, isOrdinary)).toBeLessThanOrEqual(shareHeld(before, isOrdinary) + 0.005);
    expect(shareHeld(after, isKnown)).toBeGreaterThanOrEqual(shareHeld(before, isKnown) - 0.1);
  });

  test('makes a champion with its training data, its measurements and its gates', async () => {
    expect(training.message).toBe('The model passed all gates and was promoted.');
    expect([model.status, model.reason, model.ships]).toEqual(['champion', null, false]);
    expect(model.gates.map(({ name }: Json) => name)).toEqual([
      'average_precision',
      'recall_at_operating_point',
      'frauds_held',
      'others_held',
      'labels_agree',
      'known_attacks',
    ]);
    for (const { passed } of model.gates) expect(passed).toBe(true);
    expect(model.metrics.average_precision).toBeGreaterThan(model.metrics.champion_average_precision + 0.2);
    expect(model.trained.until).toBe(model.window.from);
    expect(model.window.frauds).toBeGreaterThanOrEqual(20);
    expect(model.features).toEqual(expect.arrayContaining(['metadata.channel', 'metadata.product']));
    for (const curve of [model.curves.roc, model.curves.precision_recall]) {
      expect(curve.length).toBeGreaterThan(5);
      expect(curve.length).toBeLessThanOrEqual(50);
    }
    const { models } = (await learning.api.get('/v1/models')).json;
    expect(models.map(({ model_version, status }: Json) => [model_version, status])).toEqual([
      [model.model_version, 'champion'],
      [shipped.model_version, 'retired'],
    ]);
  });
});

describe('wrong labels', () => {
  const random = makeRandom(1);
  test.each([
    ['inverted', flippedFolder, ({ fraud }: ScreenedItem) => !fraud],
    ['random', randomFolder, () => random() < 0.5],
  ])('that are %s make a challenger that is rejected, and the champion stays', async (_, folder, isFraudLabel) => {
    clock.set(END);
    const misled = await open(folder);
    await label(misled.api, isFraudLabel);
    const refused = await train(misled);
    expect(refused.training.message).toMatch(/^The model was rejected: /);
    expect([refused.model.status, refused.model.promoted_at]).toEqual(['rejected', null]);
    const agree = refused.model.gates.find(({ name }: Json) => name === 'labels_agree');
    expect(agree.passed).toBe(false);
    const { models } = (await misled.api.get('/v1/models')).json;
    expect(models.map(({ status }: Json) => status)).toEqual(['rejected', 'champion']);
    const path = `/v1/models/${refused.model.model_version}/promote`;
    const { status, json } = await misled.api.post(path, {});
    expect([status, json.error.code]).toEqual([409, 'model_rejected']);
    expect((await misled.api.post(path, { force: true })).json.status).toBe('champion');
    await misled.service.stop();
  });
});
