import { describe, expect, test } from 'vitest';
import {
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  makeClock,
  payment,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { addPerson, refusal } from '../fixtures/people.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
const open = async () => {
  clock.set(START);
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  const rule = async (expression: string): Promise<string> => {
    const { json } = await api.post('/v1/rules', { name: 'large', expression, action: { points: 1 } });
    expect((await api.put(`/v1/rules/${json.rule_id}`, { state: 'shadow' })).status).toBe(200);
    return json.rule_id;
  };
  const label = (transaction_id: string, value: 'fraud' | 'legitimate') =>
    api.post('/v1/labels', { transaction_id, label: value, source: 'chargeback' });
  return { account, ...api, rule, label };
};

describe('hits of a rule', () => {
  test('have user, amount, score and label of their item on request', async () => {
    const { rule, pay, act, get, label } = await open();
    const path = `/v1/rules/${await rule('hour >= 0')}/hits`;
    const paid = (await pay(payment({ user_id: 'ada', amount: 120, currency: 'EUR' }))).json;
    clock.advance(1000);
    await act(login({ user_id: 'bob' }));
    await label(paid.transaction_id, 'legitimate');
    await label(paid.transaction_id, 'fraud');
    const { hits } = (await get(`${path}?include=item`)).json;
    expect(hits.map(({ item }: Json) => item)).toEqual([
      { user_id: 'bob', amount: null, currency: null, risk_score: expect.any(Number), label: null },
      { user_id: 'ada', amount: 120, currency: 'EUR', risk_score: paid.risk_score, label: 'fraud' },
    ]);
    expect((await get(path)).json.hits).toEqual(hits.map(({ item, ...hit }: Json) => hit));
  });

  test('are counted by day, with the labels that apply now', async () => {
    const { rule, pay, put, get, label } = await open();
    const rule_id = await rule('amount > 100.0');
    const ids: string[] = [];
    for (const day of [0, 0, 0, 2, 2]) {
      clock.set(START + day * DAY_MS + ids.length * 1000);
      if (day === 2) await put(`/v1/rules/${rule_id}`, { state: 'live' });
      ids.push((await pay(payment({ amount: 150 }))).json.transaction_id);
      await pay(payment({ amount: 50 }));
    }
    await label(ids[0] as string, 'fraud');
    await label(ids[1] as string, 'fraud');
    await label(ids[1] as string, 'legitimate');
    await label(ids[4] as string, 'fraud');
    const days = async (query = ''): Promise<Json[]> => (await get(`/v1/rules/${rule_id}/series${query}`)).json.days;
    const from = iso(START).slice(0, 10);
    expect(await days(`?from=${from}`)).toEqual([
      { at: '2026-11-14T00:00:00.000Z', hits: 3, shadow: 3, fraud: 1, legitimate: 1 },
      { at: '2026-11-15T00:00:00.000Z', hits: 0, shadow: 0, fraud: 0, legitimate: 0 },
      { at: '2026-11-16T00:00:00.000Z', hits: 2, shadow: 0, fraud: 1, legitimate: 0 },
    ]);
    expect(await days()).toHaveLength(30);
    expect(await days('?from=2020-01-01')).toHaveLength(90);
    expect(await days(`?from=${from}&until=2026-11-15`)).toHaveLength(1);
    const refused = await get(`/v1/rules/${rule_id}/series?from=2026-11-14&until=2026-11-01`);
    expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['from']]);
  });
});

test('versions of a rule are listed with their content and who stored them', async () => {
  const { account, rule, get } = await open();
  const { page, email } = await addPerson(service, { sandbox: 'manager' }, account);
  const rule_id = await rule('amount > 100.0');
  clock.advance(1000);
  await page.put(`/v1/rules/${rule_id}`, { expression: 'amount > 200.0' });
  const key_id = (await get('/v1/api-keys')).json.api_keys[0].key_id;
  const { versions, cut } = (await get(`/v1/rules/${rule_id}/versions`)).json;
  expect(cut).toBe(false);
  expect(versions.map(({ version, state, expression, by, at }: Json) => [version, state, expression, by, at])).toEqual([
    [3, 'shadow', 'amount > 200.0', email, iso(START + 1000)],
    [2, 'shadow', 'amount > 100.0', key_id, iso(START)],
    [1, 'draft', 'amount > 100.0', key_id, iso(START)],
  ]);
  const other = await open();
  for (const part of ['series', 'versions'])
    expect(refusal(await other.get(`/v1/rules/${rule_id}/${part}`))).toEqual([404, 'not_found']);
});

describe('an expression that is checked on a stored item', () => {
  const EXPRESSION =
    '(amount > 100.0 || currency == "USD") && !("vip" in lists) && features["user.transactions.1h"] > 5.0';
  test('has a value, and each operand of it', async () => {
    const { pay, act, post } = await open();
    const paid = (await pay(payment({ amount: 150, currency: 'EUR' }))).json;
    const { json } = await post('/v1/rules/check', { expression: EXPRESSION, on: paid.transaction_id });
    const parts = json.parts.map(({ from, to, value }: Json) => [EXPRESSION.slice(from, to), value]);
    expect([json.valid, json.value, parts]).toEqual([
      true,
      false,
      [
        ['amount > 100.0', true],
        ['currency == "USD"', false],
        ['!("vip" in lists)', true],
        ['features["user.transactions.1h"] > 5.0', false],
      ],
    ]);
    const odd = '( ( amount + 1.0 ) * 2.0 ) > 5.0 && (metadata.note != ")(" || amount < (1.0 + 2.0))';
    const { json: tried } = await post('/v1/rules/check', { expression: odd, on: paid.transaction_id });
    expect(tried.parts.map(({ from, to, value }: Json) => [odd.slice(from, to), value])).toEqual([
      ['( ( amount + 1.0 ) * 2.0 ) > 5.0', true],
      ['metadata.note != ")("', expect.any(Boolean)],
      ['amount < (1.0 + 2.0)', false],
    ]);
    const acted = (await act(login())).json;
    const event = (await post('/v1/rules/check', { expression: 'event_type == "login"', on: acted.event_id })).json;
    expect([event.value, event.parts]).toEqual([true, [{ from: 0, to: 21, value: true }]]);
    expect((await post('/v1/rules/check', { expression: EXPRESSION })).json).not.toHaveProperty('value');
  });

  test('is refused without personal data, and for an item that is not there', async () => {
    const { account, pay, post } = await open();
    const { json } = await pay(payment());
    const reader = client(service, await service.key({ account, role: 'reader' }));
    const body = { expression: 'amount > 1.0', on: json.transaction_id };
    expect(refusal(await reader.post('/v1/rules/check', body))).toEqual([403, 'insufficient_scope']);
    const { post: stranger } = await open();
    expect(refusal(await stranger('/v1/rules/check', body))).toEqual([404, 'not_found']);
    expect(refusal(await post('/v1/rules/check', { ...body, on: unknownId('evt') }))).toEqual([404, 'not_found']);
    const refused = await post('/v1/rules/check', { ...body, on: 'ada' });
    expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['on']]);
  });
});
