import { beforeAll, describe, expect, test } from 'vitest';
import { sellGiftCards } from './gift-cards.ts';
import { client, type Json, makeClock, startService } from './harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
const { backend, models } = service.app;
const api = client(service, await service.key({ environment: 'production' }));
const train = async (): Promise<Json> => {
  const { json } = await api.post('/v1/models/train', { maturity_days: 7 });
  await models.idle();
  return (await api.get(`/v1/trainings/${json.training_id}`)).json;
};
const modelOf = async (version: string): Promise<Json> => (await api.get(`/v1/models/${version}`)).json;

let first: Json;
beforeAll(async () => {
  await sellGiftCards(api, clock.set);
  first = await train();
}, 60_000);

test('a model that passed all gates is told of and promoted by the training it came of', async () => {
  expect([first.status, first.message]).toEqual(['done', 'It passed all gates and was promoted.']);
  expect((await modelOf(first.model_version)).status).toBe('champion');
});

test('the champion stays when a training comes to it again, and stays what it is told to be', async () => {
  const before = await modelOf(first.model_version);
  const again = await train();
  expect([again.status, again.model_version]).toEqual(['done', first.model_version]);
  expect(again.message).toMatch(/has scored already/);
  expect(await modelOf(first.model_version)).toEqual(before);
});

describe('a model that never scored and comes of a training again', () => {
  const TOLD_BEFORE = JSON.stringify({ gates: [], metrics: {}, curves: null, window: null });
  test.each([
    ['challenger', null, 'a crash before its promotion'],
    ['rejected', 'others_held is 0.5 against 0.1', 'thresholds or a champion that are others since'],
  ])('and was left as %s (%s) by %s is measured and settled anew', async (status, reason, _by) => {
    await api.post('/v1/models/rollback', undefined);
    await backend.write([
      {
        sql: `UPDATE models SET status = ?, reason = ?, told = ?, promoted_at = NULL, previous = NULL
          WHERE account = 'acme' AND model_version = ?`,
        params: [status, reason, TOLD_BEFORE, first.model_version],
        expect: 1,
      },
    ]);
    const again = await train();
    expect([again.message, again.model_version]).toEqual([first.message, first.model_version]);
    const model = await modelOf(first.model_version);
    expect([model.status, model.reason, model.gates.length]).toEqual(['champion', null, 6]);
    const { entries } = (await api.get(`/v1/audit?target=${first.model_version}`)).json;
    expect(entries[0]).toMatchObject({ before: { status, reason }, after: { status: 'challenger', reason: null } });
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
  });
});
