import { expect, test } from 'vitest';
import {
  client,
  fieldErrors,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
} from '../fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../fixtures/model-files.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now, env: { TRAIN_DAILY: 'off' } });
const open = async (account: string) => {
  const api = client(service, await service.key({ account, environment: 'production' }));
  const replay = (of: Json, body: unknown) => api.post(`/v1/decisions/${of.decision_id}/replay`, body);
  return { ...api, replay };
};
const THEN = { policy: 'then', model: 'then' };
const verdictOf = ({ risk_score, decision, signals }: Json) => ({ risk_score, decision, signals });

test('the policy and the model of the decision decide as they did, after rules, points, thresholds and model changed', async () => {
  const { pay, act, put, post, get, replay } = await open('changed');
  await put('/v1/policy', { points: { new_device: 30 } });
  const { json: rule } = await post('/v1/rules', { name: 'large', expression: 'amount > 400', action: { points: 40 } });
  for (const state of ['shadow', 'live']) await put(`/v1/rules/${rule.rule_id}`, { state });
  clock.advance(1000);
  const bodies = Array.from({ length: 6 }, (_, i) =>
    payment({ user_id: 'u', amount: 100 * i + 1, device_token: `d${i % 3}` }),
  );
  const screened: Json[] = [];
  for (const body of bodies) screened.push((await pay(body)).json);
  screened.push((await act(login({ user_id: 'u', device_token: 'd9' }))).json);
  screened.push((await pay(payment({ ip_address: REVIEW_IP }))).json);
  expect(screened[5]?.signals).toContain('rule.large');
  clock.advance(1000);
  await put('/v1/policy', { points: {}, thresholds: { transaction: { review: 5, block: 10 } } });
  const file = withoutTrees(7);
  await addChallenger(service.app.backend, 'changed', file);
  await post(`/v1/models/${file.model_version}/promote`, {});
  for (const one of screened) {
    const before = (await get(`/v1/decisions/${one.decision_id}`)).json;
    const { status, json } = await replay(one, THEN);
    expect([status, json.same, json.warnings]).toEqual([200, true, undefined]);
    for (const field of ['risk_score', 'signals', 'factors', 'base_score', 'model_version', 'ruleset_version'])
      expect(json[field]).toEqual(before[field]);
    const { json: now } = await replay(one, {});
    expect(now.model_version).toBe(file.model_version);
    const sum = now.factors.reduce((left: number, { contribution }: Json) => left - contribution, now.risk_score);
    expect(sum).toBe(now.base_score);
  }
  expect((await replay(screened[5] as Json, {})).json.same).toBe(false);
});

test('a replay decides as the next equal screening under the policy of now would, and changes nothing', async () => {
  const { pay, put, get, replay } = await open('now');
  const body = payment({ user_id: 'first', ip_address: '198.51.100.7', device_token: 'd' });
  const { json: first } = await pay(body);
  const stored = (await get(`/v1/decisions/${first.decision_id}`)).text;
  const change = { thresholds: { transaction: { review: 1, block: 2 } }, points: { new_device: 50 } };
  const { json: tried } = await replay(first, { change });
  expect(tried.decision).not.toBe(first.decision);
  expect((await get('/v1/policy')).json.version).toBe(0);
  await put('/v1/policy', change);
  const { json: now } = await replay(first, { policy: 'now', model: 'now' });
  expect(verdictOf(now)).toEqual(verdictOf(tried));
  expect(now.ruleset_version).not.toBe(first.ruleset_version);
  expect((await get(`/v1/decisions/${first.decision_id}`)).text).toBe(stored);
  const profile = (await get('/v1/users/first/risk-profile')).json;
  expect(profile.transactions.count).toBe(1);
});

test('a rule that was retired, changed or deleted since is named in a warning', async () => {
  const { pay, put, post, delete: remove, replay } = await open('rules');
  const ids: string[] = [];
  for (const [name, expression] of [
    ['kept', 'amount > 1'],
    ['retired', 'amount > 1'],
    ['deleted', 'amount > 1000'],
  ]) {
    const { json } = await post('/v1/rules', { name, expression, action: { points: 10 } });
    ids.push(json.rule_id);
    for (const state of name === 'deleted' ? ['shadow'] : ['shadow', 'live'])
      await put(`/v1/rules/${json.rule_id}`, { state });
  }
  clock.advance(1000);
  const { json: paid } = await pay(payment({ amount: 50 }));
  clock.advance(1000);
  await put(`/v1/rules/${ids[1]}`, { state: 'retired' });
  await put(`/v1/rules/${ids[2]}`, { state: 'draft' });
  expect((await remove(`/v1/rules/${ids[2]}`)).status).toBe(204);
  const { json } = await replay(paid, THEN);
  expect(json.warnings).toEqual([
    'the rule `retired` was changed or retired since: its present text is evaluated',
    'the rule `deleted` was deleted since: it is left out',
  ]);
  expect(json.same).toBe(true);
  expect(json.signals).toEqual(expect.arrayContaining(['rule.kept', 'rule.retired']));
  const { json: now } = await replay(paid, {});
  expect([now.same, now.signals.includes('rule.retired'), now.warnings]).toEqual([false, false, undefined]);
});

test('404 for the decision of another account, 400 for a change that no policy can have', async () => {
  const mine = await open('mine');
  const { json: paid } = await mine.pay(payment());
  const { json, status } = await (await open('other')).replay(paid, {});
  expect([status, json.error.code]).toEqual([404, 'not_found']);
  const wrong = {
    policy: 'later',
    change: { points: { no_such_signal: 3 }, thresholds: { event: { review: 9, block: 9 } } },
  };
  const refused = await mine.replay(paid, wrong);
  expect(refused.status).toBe(400);
  expect(Object.keys(fieldErrors(refused)).sort()).toEqual([
    'change.points.no_such_signal',
    'change.thresholds.event',
    'policy',
  ]);
});

test('409 where the policy, the model or the facts of the decision cannot be read', async () => {
  const { pay, replay } = await open('older');
  const { json: paid } = await pay(payment());
  const set = (sql: string, ...params: (string | number)[]) =>
    service.app.backend.write([{ sql: `UPDATE screenings SET ${sql}`, params }]);
  const codeOf = async (body: unknown) => {
    const { status, json } = await replay(paid, body);
    return [status, json.error?.code];
  };
  const REFUSED = [409, 'not_replayable'];
  await set("ruleset_version = 'rules-1.3'");
  expect(await codeOf({ policy: 'then' })).toEqual(REFUSED);
  await set("verdict = REPLACE(verdict, 'mdl_', 'mdl_gone')");
  expect(await codeOf({ model: 'then' })).toEqual(REFUSED);
  expect(await codeOf({})).toEqual([200, undefined]);
  await set('facts_version = 1');
  expect(await codeOf({})).toEqual(REFUSED);
});
