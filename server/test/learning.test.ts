import { makeRandom } from '@portcullis/engine';
import { describe, expect, test, vi } from 'vitest';
import { trainAccount } from '../src/commands/train-account.ts';
import { type Client, client, DAY_MS, type Json, makeClock, makeFolder, START, startService } from './harness.ts';
import { type Answered, isHeld, makeHistory, send, shareHeld } from './learning-world.ts';
import { settingsOf } from './records.ts';
import { copyStore } from './shared-store.ts';

/**
 * The whole loop over HTTP: traffic with a kind of fraud that the model that ships does not see, labels, a training, later traffic. The same later traffic
 * is also sent to a copy that has the same labels and no training: what differs is the model alone.
 */
const DAYS = 60;
const LEARNED_DAYS = 45;
const history = makeHistory(4, 450, DAYS, START);
const learnedFrom = history.filter(({ at }) => at < START + LEARNED_DAYS * DAY_MS);
const later = history.slice(learnedFrom.length);

const clock = makeClock();
const open = async (dataDir = makeFolder()) => {
  const service = await startService({ clock: clock.now, logLevel: 'error', dataDir, env: { TRAIN_DAILY: 'off' } });
  const key = await service.key({ account: 'acme', environment: 'production' });
  return { service, dataDir, api: client(service, key) };
};
const copyOf = async (folder: string): Promise<string> => {
  const copy = makeFolder();
  await copyStore(folder, copy);
  return copy;
};

const first = await open();
const screened = await send(first.api, learnedFrom, clock.set);
const END = clock.now();
await first.service.stop();
const flippedFolder = await copyOf(first.dataDir);
const randomFolder = await copyOf(first.dataDir);

const CASE_MS = 6 * DAY_MS;
const LABELS_AT_ONCE = 16;
/** Whatever was held is reviewed, by its case while that is open; of what was allowed, fraud is reported. `said` is what people say it was. */
const label = async (api: Client, said: (item: Answered) => boolean): Promise<void> => {
  const labelled = screened.filter((item) => isHeld(item) || item.fraud);
  const give = async (item: Answered): Promise<void> => {
    const { kind, json, at } = item;
    const isFraud = said(item);
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
  for (let i = 0; i < labelled.length; i += LABELS_AT_ONCE)
    await Promise.all(labelled.slice(i, i + LABELS_AT_ONCE).map(give));
};

/** Trains and answers with the training, and the model that came of it. */
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
const commandFolder = await copyOf(first.dataDir);
const learning = await open(first.dataDir);
const { training, model } = await train(learning);
const oldDecision = screened.find(({ isNew }) => isNew)?.json.decision_id as string;
const after = await send(learning.api, later, clock.set);
clock.set(END);
const before = await send(control.api, later, clock.set);

const isNew = (item: Answered): boolean => item.isNew;
const isKnown = (item: Answered): boolean => item.fraud && !item.isNew;
const isOrdinary = (item: Answered): boolean => !item.fraud;

describe('a kind of fraud that the model that ships does not see', () => {
  test('is learned from resolved cases and reported fraud, and later items of it are held', () => {
    expect(later.filter((item) => item.isNew).length).toBeGreaterThan(25);
    expect(shareHeld(screened, isNew)).toBeLessThan(0.1);
    expect(shareHeld(before, isNew)).toBeLessThan(0.25);
    expect(shareHeld(after, isNew)).toBeGreaterThan(0.9);
  });

  test('costs no more of the ordinary traffic, and nothing of what was found before', () => {
    expect(shareHeld(after, isOrdinary)).toBeLessThanOrEqual(shareHeld(before, isOrdinary) + 0.005);
    expect(shareHeld(after, isKnown)).toBeGreaterThanOrEqual(shareHeld(before, isKnown) - 0.1);
  });

  test('makes a champion that tells what it learned from, how it was measured, and why it was promoted', async () => {
    expect(training.message).toBe('It passed all gates and was promoted.');
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

  test('is decided by the new model from the promotion on, in the sandbox too; older decisions keep theirs and are told by it', async () => {
    const { json: decision } = await learning.api.get(`/v1/decisions/${after[0]?.json.decision_id}`);
    expect(decision.model_version).toBe(model.model_version);
    const { json: old } = await learning.api.get(`/v1/decisions/${oldDecision}?factors=exact`);
    expect([old.model_version, old.warnings]).toEqual([shipped.model_version, undefined]);
    const sandbox = client(learning.service, await learning.service.key({ account: 'acme' }));
    const { json: tried } = await sandbox.pay({ user_id: 'someone', amount: 20, currency: 'USD' });
    expect((await sandbox.get(`/v1/decisions/${tried.decision_id}`)).json.model_version).toBe(model.model_version);
    const other = client(learning.service, await learning.service.key({ account: 'globex' }));
    const { json: foreign } = await other.pay({ user_id: 'someone', amount: 20, currency: 'USD' });
    expect((await other.get(`/v1/decisions/${foreign.decision_id}`)).json.model_version).toBe(shipped.model_version);
    expect((await other.get(`/v1/models/${model.model_version}`)).status).toBe(404);
  });

  test('can be unlearned: back to the model that ships and forth again, with an audit of each, also after a restart', async () => {
    const inForce = async (api: Client): Promise<string> => {
      const { json } = await api.pay({ user_id: 'anyone', amount: 20, currency: 'USD' });
      return (await api.get(`/v1/decisions/${json.decision_id}`)).json.model_version;
    };
    const { api } = learning;
    const back = await api.post('/v1/models/rollback', undefined);
    expect([back.json.model_version, back.json.status]).toEqual([shipped.model_version, 'champion']);
    expect(await inForce(api)).toBe(shipped.model_version);
    const further = await api.post('/v1/models/rollback', undefined);
    expect([further.status, further.json.error.code]).toEqual([409, 'no_earlier_model']);
    // A decision of a model that is not in force any more is told by that model.
    const { json: replayed } = await api.get(`/v1/decisions/${after[0]?.json.decision_id}?factors=exact`);
    expect([replayed.model_version, replayed.warnings]).toEqual([model.model_version, undefined]);
    const forth = await api.post(`/v1/models/${model.model_version}/promote`, {});
    expect([forth.json.model_version, forth.json.status]).toEqual([model.model_version, 'champion']);
    expect(await inForce(api)).toBe(model.model_version);
    const { entries } = (await api.get('/v1/audit?target=model')).json;
    expect(entries.map(({ action, after: now }: Json) => [action, now])).toEqual([
      ['model.promoted', model.model_version],
      ['model.rolled_back', shipped.model_version],
      ['model.promoted', model.model_version],
    ]);
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
    await learning.service.stop();
    const restarted = await open(learning.dataDir);
    expect(await inForce(restarted.api)).toBe(model.model_version);
  });
});

test('`train --account` makes and promotes the very model that the API does, beside a service that decides by it within a second', async () => {
  clock.set(END);
  const { service, api, dataDir } = await open(commandFolder);
  const inForce = async (): Promise<string> => {
    const { json } = await api.pay({ user_id: 'anyone', amount: 20, currency: 'USD' });
    return (await api.get(`/v1/decisions/${json.decision_id}`)).json.model_version;
  };
  const written: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const config = await settingsOf(dataDir);
  try {
    await trainAccount(config, { account: 'acme', maturityDays: 7, json: true }, clock.now);
    await expect.poll(inForce, { timeout: 1000, interval: 50 }).toBe(model.model_version);
    await trainAccount(config, { account: 'acme', maturityDays: 20 }, clock.now);
  } finally {
    out.mockRestore();
  }
  const told = JSON.parse(written[0] as string);
  expect([told.promoted, told.status, told.model_version]).toEqual([true, 'done', model.model_version]);
  expect(told.model).toEqual({ ...model, trained_by: 'key_command_line' });
  // The second learns from fewer ordinary items and is measured against the first: no better, and kept with the reason.
  const words = written.slice(1).join('');
  expect(words).toMatch(/^acme: It was rejected: \w+ is [\d.]+ against [\d.]+, wanted at /);
  expect(words).toMatch(/\n {2}failed {2}[a-z ]+: [\d.]+, the champion's [\d.]+; wanted .+\n {2}passed {2}/);
  const { json: listed } = await api.get('/v1/models');
  expect(listed.models.map(({ status }: Json) => status)).toEqual(['rejected', 'champion', 'retired']);
  const { entries } = (await api.get('/v1/audit?target=model')).json;
  expect(entries.map(({ action, key_id }: Json) => [action, key_id])).toEqual([['model.promoted', 'key_command_line']]);
  expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
  // And back by the API, which did not promote it.
  expect((await api.post('/v1/models/rollback', undefined)).json.model_version).toBe(shipped.model_version);
  await service.stop();
}, 60_000);

describe('wrong labels', () => {
  const random = makeRandom(1);
  test.each([
    ['turned round', flippedFolder, ({ fraud }: Answered) => !fraud],
    ['given at random', randomFolder, () => random() < 0.5],
  ])(
    'that are %s make a challenger that is refused, and the champion stays',
    async (_, folder, said) => {
      clock.set(END);
      const misled = await open(folder);
      await label(misled.api, said);
      const refused = await train(misled);
      expect(refused.training.message).toMatch(/^It was rejected: /);
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
    },
    60_000,
  );
});
