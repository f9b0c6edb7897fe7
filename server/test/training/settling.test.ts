import { beforeAll, describe, expect, test, vi } from 'vitest';
import { trainAccount } from '../../src/commands/train-account.ts';
import { findModel, type ModelRow, putModel } from '../../src/models/store.ts';
import { sellGiftCards } from '../fixtures/gift-cards.ts';
import {
  type Client,
  client,
  HOUR_MS,
  type Json,
  makeClock,
  makeFolder,
  payment,
  startService,
} from '../fixtures/harness.ts';
import { settingsOf } from '../fixtures/records.ts';
import { copyStore, isShared } from '../fixtures/shared-store.ts';

const clock = makeClock();
const open = async (dataDir = makeFolder()) => {
  const service = await startService({ clock: clock.now, logLevel: 'error', dataDir, env: { TRAIN_DAILY: 'off' } });
  const api = client(service, await service.key({ environment: 'production' }));
  return { service, dataDir, api };
};
/** The model that decides a payment of this key. */
const deciding = async (api: Client): Promise<string> => {
  const { json } = await api.pay(payment());
  return (await api.get(`/v1/decisions/${json.decision_id}`)).json.model_version;
};

let running: Awaited<ReturnType<typeof open>>;
let untrained: string;
let shipped: string;
let older: Json;
let first: Json;
let promoted: Json;
const train = async (): Promise<Json> => {
  const { api, service } = running;
  const { json } = await api.post('/v1/models/train', { maturity_days: 7 });
  await service.app.models.idle();
  return (await api.get(`/v1/trainings/${json.training_id}`)).json;
};
const modelOf = async (version: string): Promise<Json> => (await running.api.get(`/v1/models/${version}`)).json;
const factorsOf = async (id: string): Promise<Json> =>
  (await running.api.get(`/v1/decisions/${id}?factors=exact`)).json;

beforeAll(async () => {
  const before = await open();
  await sellGiftCards(before.api, clock.set);
  older = (await before.api.pay(payment())).json;
  shipped = await deciding(before.api);
  await before.service.stop();
  untrained = makeFolder();
  // The command works the same on both stores, and a training takes seconds: it runs on one.
  if (!isShared) await copyStore(before.dataDir, untrained);
  running = await open(before.dataDir);
  first = await train();
  promoted = await modelOf(first.model_version);
}, 180_000);

describe('a model that passed all gates', () => {
  test('is promoted by its training', async () => {
    expect([first.status, first.message]).toEqual(['done', 'The model passed all gates and was promoted.']);
    expect(promoted.status).toBe('champion');
  });

  test('decides from then on, in the sandbox too; older decisions and other accounts keep their model', async () => {
    const { api, service } = running;
    expect(await deciding(api)).toBe(first.model_version);
    const sandbox = client(service, await service.key());
    expect(await deciding(sandbox)).toBe(first.model_version);
    const old = await factorsOf(older.decision_id);
    expect([old.model_version, old.warnings]).toEqual([shipped, undefined]);
    const other = client(service, await service.key({ account: 'globex', environment: 'production' }));
    expect(await deciding(other)).toBe(shipped);
    expect((await other.get(`/v1/models/${first.model_version}`)).status).toBe(404);
  });

  test('can be unlearned: rollback to the base model and promotion again are audited and survive a restart', async () => {
    const { api } = running;
    const { json: paid } = await api.pay(payment());
    const back = await api.post('/v1/models/rollback', undefined);
    expect([back.json.model_version, back.json.status]).toEqual([shipped, 'champion']);
    expect(await deciding(api)).toBe(shipped);
    const further = await api.post('/v1/models/rollback', undefined);
    expect([further.status, further.json.error.code]).toEqual([409, 'no_earlier_model']);
    // A decision is explained with its own model, even when that model is no longer in force.
    const explained = await factorsOf(paid.decision_id);
    expect([explained.model_version, explained.warnings]).toEqual([first.model_version, undefined]);
    const forth = await api.post(`/v1/models/${first.model_version}/promote`, {});
    expect([forth.json.model_version, forth.json.status]).toEqual([first.model_version, 'champion']);
    expect(await deciding(api)).toBe(first.model_version);
    const { entries } = (await api.get('/v1/audit?target=model')).json;
    expect(entries.map(({ action, after: now }: Json) => [action, now])).toEqual([
      ['model.promoted', first.model_version],
      ['model.rolled_back', shipped],
      ['model.promoted', first.model_version],
    ]);
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
    await running.service.stop();
    running = await open(running.dataDir);
    expect(await deciding(running.api)).toBe(first.model_version);
  });
});

describe.skipIf(isShared)('a model that is trained again', () => {
  test('while it is the champion changes nothing', async () => {
    const before = await modelOf(first.model_version);
    const again = await train();
    expect([again.status, again.model_version]).toEqual(['done', first.model_version]);
    expect(again.message).toMatch(/has scored already/);
    expect(await modelOf(first.model_version)).toEqual(before);
  });

  const OLD_REPORT = JSON.stringify({ gates: [], metrics: {}, curves: null, window: null });
  test('and never scored is measured and settled again, whether a crash left it as challenger or it was rejected since', async () => {
    const { api, service } = running;
    const { backend } = service.app;
    await api.post('/v1/models/rollback', undefined);
    const leaveAs = (status: string, reason: string | null) =>
      backend.write([
        {
          sql: `UPDATE models SET status = ?, reason = ?, told = ?, promoted_at = NULL, previous = NULL
            WHERE account = 'acme' AND model_version = ?`,
          params: [status, reason, OLD_REPORT, first.model_version],
          expect: 1,
        },
      ]);
    // A training takes seconds. Of the two states, one is settled by a training, and the other by its statement alone.
    await leaveAs('challenger', null);
    const left = (await findModel(backend, 'acme', first.model_version)) as ModelRow;
    expect((await backend.write([putModel({ ...left, status: 'rejected' })])).written).toBe(true);
    const [status, reason] = ['rejected', 'others_held is 0.5 against 0.1'];
    await leaveAs(status, reason);
    const again = await train();
    expect([again.message, again.model_version]).toEqual([first.message, first.model_version]);
    const model = await modelOf(first.model_version);
    expect([model.status, model.reason, model.gates.length]).toEqual(['champion', null, 6]);
    const { entries } = (await api.get(`/v1/audit?target=${first.model_version}`)).json;
    expect(entries[0]).toMatchObject({ before: { status, reason }, after: { status: 'challenger', reason: null } });
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
  });
});

test.skipIf(isShared)(
  '`train --account` promotes the same model as the API, and a running service uses it without a restart',
  async () => {
    const { api, dataDir } = await open(untrained);
    const written: string[] = [];
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const config = await settingsOf(dataDir);
    try {
      await trainAccount(config, { account: 'acme', maturityDays: 7, json: true }, clock.now);
      await expect.poll(() => deciding(api)).toBe(first.model_version);
      clock.advance(HOUR_MS);
      await trainAccount(config, { account: 'acme', maturityDays: 14 }, clock.now);
    } finally {
      out.mockRestore();
    }
    const result = JSON.parse(written[0] as string);
    expect([result.promoted, result.status, result.model_version]).toEqual([true, 'done', first.model_version]);
    expect(result.model).toEqual({ ...promoted, trained_by: 'key_command_line' });
    // The second model has fewer ordinary items to learn from and is not better than the first: rejected, with the reason.
    const output = written.slice(1).join('');
    expect(output).toMatch(/^acme: The model was rejected: \w+ is [\d.]+ against [\d.]+, wanted at /);
    expect(output).toMatch(/\n {2}failed {2}[a-z ]+: [\d.]+, champion [\d.]+; required: .+\n {2}passed {2}/);
    const { json: listed } = await api.get('/v1/models');
    expect(listed.models.map(({ status }: Json) => status)).toEqual(['rejected', 'champion', 'retired']);
    const { entries } = (await api.get('/v1/audit?target=model')).json;
    expect(entries.map(({ action, key_id }: Json) => [action, key_id])).toEqual([
      ['model.promoted', 'key_command_line'],
    ]);
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
    // The API can roll back a promotion of the command line.
    expect((await api.post('/v1/models/rollback', undefined)).json.model_version).toBe(shipped);
  },
);
