import { RULE_STATES, RULE_TRANSITIONS, type RuleState } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import {
  client,
  DAY_MS,
  fieldErrors,
  iso,
  login,
  makeClock,
  makeFolder,
  payment,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
const openAccount = async () => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  let names = 0;
  /** Creates a rule and moves it to the state. */
  const make = async (more: Record<string, unknown> = {}, state: RuleState = 'draft') => {
    const body = { name: `rule_${names++}`, expression: 'amount > 100', action: { decision: 'block' }, ...more };
    const made = await api.post('/v1/rules', body);
    expect(made.status, made.text).toBe(201);
    const path = `/v1/rules/${made.json.rule_id}`;
    const steps: Record<RuleState, RuleState[]> = {
      draft: [],
      shadow: ['shadow'],
      live: ['shadow', 'live'],
      retired: ['retired'],
    };
    for (const next of steps[state]) expect((await api.put(path, { state: next })).status).toBe(200);
    return { ...made.json, path } as { rule_id: string; name: string; path: string };
  };
  return { account, ...api, make };
};

describe('a rule', () => {
  test('starts as a draft with the given content', async () => {
    const { post, get } = await openAccount();
    const made = await post('/v1/rules', {
      name: 'gift_cards_at_night',
      description: 'Gift cards at night.',
      expression: 'metadata.category == "gift_card" && hour < 5',
      action: { points: 30 },
      subject_types: ['transaction'],
      expires_at: '2026-12-24',
    });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      rule_id: made.json.rule_id,
      name: 'gift_cards_at_night',
      description: 'Gift cards at night.',
      expression: 'metadata.category == "gift_card" && hour < 5',
      action: { points: 30 },
      subject_types: ['transaction'],
      state: 'draft',
      expires_at: '2026-12-24T00:00:00.000Z',
      version: 1,
      created_at: iso(START),
      updated_at: iso(START),
      hits: { matched: 0, since: iso(START) },
      errors: 0,
    });
    expect((await get(`/v1/rules/${made.json.rule_id}`)).json).toEqual(made.json);
  });

  test('applies to payments and events by default', async () => {
    const { make, get } = await openAccount();
    const { path } = await make();
    expect((await get(path)).json).toMatchObject({ subject_types: ['transaction', 'event'], expires_at: null });
  });

  test('decides by its action as soon as the change is answered', async () => {
    const { make, pay, get } = await openAccount();
    expect((await pay(payment({ amount: 200 }))).json.decision).toBe('allow');
    const { name, rule_id } = await make({}, 'live');
    const hit = (await pay(payment({ amount: 200 }))).json;
    expect([hit.decision, hit.signals[0]]).toEqual(['block', `rule.${name}`]);
    expect((await pay(payment({ amount: 20 }))).json.decision).toBe('allow');
    expect((await get(`/v1/rules/${rule_id}/hits`)).json).toEqual({
      hits: [
        { decision_id: hit.decision_id, matched_at: hit.screened_at, state: 'live', version: 3, decision: 'block' },
      ],
      has_more: false,
    });
  });

  test('adds points', async () => {
    const { make, pay } = await openAccount();
    const before = (await pay(payment({ amount: 200 }))).json.risk_score;
    await make({ action: { points: 50 } }, 'live');
    const after = (await pay(payment({ amount: 200 }))).json.risk_score;
    expect(after).toBe(before + Math.round((100 - before) / 2));
  });

  test('is evaluated only for its subject types', async () => {
    const { make, pay, act } = await openAccount();
    await make({ expression: 'true', subject_types: ['event'] }, 'live');
    expect([(await pay(payment())).json.decision, (await act(login())).json.decision]).toEqual(['allow', 'block']);
  });

  test('stops matching when it expires', async () => {
    const { make, pay, get } = await openAccount();
    const { path } = await make({ expires_at: iso(clock.now() + 1000) }, 'live');
    expect((await pay(payment({ amount: 200 }))).json.decision).toBe('block');
    clock.advance(1000);
    expect((await pay(payment({ amount: 200 }))).json.decision).toBe('allow');
    expect((await get(path)).json.hits.matched).toBe(1);
  });

  test('in shadow changes no decision and records the one it would have made', async () => {
    const { make, pay, get } = await openAccount();
    const without = (await pay(payment({ amount: 200 }))).json;
    const { path } = await make({}, 'shadow');
    const shadowed = (await pay(payment({ amount: 200 }))).json;
    expect([shadowed.decision, shadowed.risk_score, shadowed.signals]).toEqual([
      without.decision,
      without.risk_score,
      without.signals,
    ]);
    expect((await get(path)).json.hits.matched).toBe(1);
    expect((await get(`${path}/hits`)).json.hits).toMatchObject([
      { decision_id: shadowed.decision_id, state: 'shadow', decision: 'block' },
    ]);
  });

  test('restarts its count after a change and keeps earlier hits', async () => {
    const { make, pay, put, get } = await openAccount();
    const { path } = await make({}, 'shadow');
    await pay(payment({ amount: 200 }));
    await pay(payment({ amount: 300 }));
    clock.advance(1000);
    const changed = await put(path, { expression: 'amount > 250' });
    expect(changed.json).toMatchObject({ version: 3, hits: { matched: 0, since: iso(clock.now()) } });
    await pay(payment({ amount: 200 }));
    await pay(payment({ amount: 300 }));
    expect((await get(path)).json.hits.matched).toBe(1);
    const { hits } = (await get(`${path}/hits`)).json;
    expect(hits.map(({ version }: { version: number }) => version)).toEqual([3, 2, 2]);
  });

  test('stays unchanged if nothing differs', async () => {
    const { make, put, get } = await openAccount();
    const { path } = await make({}, 'live');
    const before = (await get(path)).json;
    expect((await put(path, { state: 'live', expression: 'amount > 100' })).json).toEqual(before);
    expect((await put(path, {})).json).toEqual(before);
  });

  test('still decides after a restart', async () => {
    const dataDir = makeFolder();
    const first = await startService({ dataDir });
    const key = await first.key();
    const api = client(first, key);
    const { rule_id } = (
      await api.post('/v1/rules', { name: 'large', expression: 'amount > 100', action: { decision: 'block' } })
    ).json;
    for (const state of ['shadow', 'live']) await api.put(`/v1/rules/${rule_id}`, { state });
    await first.stop();
    const again = client(await startService({ dataDir }), key);
    expect((await again.pay(payment({ amount: 200 }))).json.decision).toBe('block');
    expect((await again.get(`/v1/rules/${rule_id}`)).json.hits.matched).toBe(1);
  });
});

describe('states', () => {
  const pairs = RULE_STATES.flatMap((from) => RULE_STATES.map((to) => [from, to] as const));
  test.each(pairs)('from %s to %s', async (from, to) => {
    const { make, put, get } = await openAccount();
    const { path } = await make({}, from);
    const reply = await put(path, { state: to });
    if (from === to || RULE_TRANSITIONS[from].includes(to)) {
      expect([reply.status, reply.json.state]).toEqual([200, to]);
      return;
    }
    expect([reply.status, reply.json.error.code]).toEqual([409, 'rule_state']);
    for (const allowed of RULE_TRANSITIONS[from]) expect(reply.json.error.message).toContain(allowed);
    expect((await get(path)).json.state).toBe(from);
  });

  test('have the documented transitions', () => {
    expect(RULE_TRANSITIONS).toEqual({
      draft: ['shadow', 'retired'],
      shadow: ['live', 'draft', 'retired'],
      live: ['shadow', 'retired'],
      retired: [],
    });
  });

  test.each(['name', 'description', 'expression', 'action', 'subject_types', 'expires_at'])(
    '%s changes only in a rule that is then a draft or in shadow',
    async (field) => {
      const { make, put } = await openAccount();
      const change = {
        [field]: {
          name: 'another',
          description: 'other',
          expression: 'amount > 5',
          action: { points: 5 },
          subject_types: ['event'],
          expires_at: iso(clock.now() + DAY_MS),
        }[field],
      };
      const [draft, shadow, live, back, ahead, retired] = [
        await make({}, 'draft'),
        await make({}, 'shadow'),
        await make({}, 'live'),
        await make({}, 'live'),
        await make({}, 'shadow'),
        await make({}, 'retired'),
      ];
      const statuses = [];
      for (const [{ path }, more] of [
        [draft, {}],
        [shadow, { name: 'second' }],
        [live, {}],
        [back, { state: 'shadow', name: 'third' }],
        [ahead, { state: 'live' }],
        [retired, {}],
      ] as const)
        statuses.push((await put(path, { ...change, ...more })).status);
      expect(statuses).toEqual([200, 200, 409, 200, 409, 409]);
    },
  );

  test('a rule that is retired or back in draft is no longer evaluated', async () => {
    const { make, put, pay, delete: remove } = await openAccount();
    const blocked = async () => (await pay(payment({ amount: 200 }))).json.decision === 'block';
    const [one, two] = [await make({}, 'live'), await make({}, 'live')];
    expect(await blocked()).toBe(true);
    await put(one.path, { state: 'shadow' });
    expect(await blocked()).toBe(true);
    await put(two.path, { state: 'retired' });
    expect(await blocked()).toBe(false);
    await put(one.path, { state: 'live' });
    expect(await blocked()).toBe(true);
    expect((await remove(one.path)).status).toBe(204);
    expect(await blocked()).toBe(false);
  });

  test('deletion removes a draft, retires any other rule, and can be repeated', async () => {
    const { make, get, delete: remove } = await openAccount();
    for (const state of ['draft', 'shadow', 'live', 'retired'] as const) {
      const { path } = await make({}, state);
      expect((await remove(path)).status).toBe(204);
      const found = await get(path);
      expect(found.status).toBe(state === 'draft' ? 404 : 200);
      if (state !== 'draft') {
        expect(found.json.state).toBe('retired');
        expect((await remove(path)).status).toBe(204);
      }
    }
  });

  test('deletion retires a draft that matched before, because decisions refer to it', async () => {
    const { make, put, pay, get, delete: remove } = await openAccount();
    const { path } = await make({}, 'live');
    await pay(payment({ amount: 200 }));
    for (const state of ['shadow', 'draft']) await put(path, { state });
    expect((await remove(path)).status).toBe(204);
    expect((await get(path)).json.state).toBe('retired');
    expect((await get(`${path}/hits`)).json.hits).toHaveLength(1);
  });

  test('concurrent changes cannot exceed the limit of steps', async () => {
    const { make, put, get } = await openAccount();
    const expression = 'metadata.exists(k, metadata[k].contains("a") || metadata[k].contains("b") || k == "c")';
    const made = await Promise.all(Array.from({ length: 24 }, () => make({ expression })));
    const replies = await Promise.all(made.map(({ path }) => put(path, { state: 'shadow' })));
    const refused = replies.filter(({ status }) => status === 409);
    expect(new Set(refused.map(({ json }) => json.error.code))).toEqual(new Set(['limit_reached']));
    const { rules } = (await get('/v1/rules?state=shadow')).json;
    expect(rules).toHaveLength(24 - refused.length);
    const [one] = refused as [(typeof refused)[number]];
    expect(Number(/would take (\d+)/.exec(one.json.error.message)?.[1])).toBeLessThan(230_000);
  });

  test('a hit counts for the evaluated version, also during changes', async () => {
    const { make, put, pay, get } = await openAccount();
    const { path } = await make({ action: { points: 1 } }, 'shadow');
    const states = new Map([[2, 'shadow']]);
    let isOver = false;
    const traffic = Array.from({ length: 8 }, async () => {
      while (!isOver) await pay(payment({ amount: 200 }));
    });
    for (const state of ['live', 'shadow', 'live', 'shadow', 'live', 'shadow', 'live'])
      states.set((await put(path, { state })).json.version, state);
    isOver = true;
    await Promise.all(traffic);
    const { hits } = (await get(`${path}/hits?limit=100`)).json;
    expect(hits.length).toBeGreaterThan(0);
    for (const { version, state } of hits) expect([version, state]).toEqual([version, states.get(version)]);
  });

  test('no concurrent change is lost', async () => {
    const { make, put, get } = await openAccount();
    const { path } = await make({}, 'draft');
    const changes = [{ description: 'a' }, { expression: 'amount > 7' }, { action: { points: 7 } }, { name: 'seven' }];
    const replies = await Promise.all(changes.map((change) => put(path, change)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get(path)).json).toMatchObject({
      ...Object.assign({}, ...changes),
      version: 5,
    });
  });
});

describe('names', () => {
  test('can be reused after a rule is retired', async () => {
    const { make, post, put, delete: remove } = await openAccount();
    const first = await make({ name: 'same' }, 'live');
    const again = { name: 'same', expression: 'true', action: { points: 1 } };
    const taken = await post('/v1/rules', again);
    expect([taken.status, taken.json.error.code]).toEqual([409, 'rule_exists']);
    const other = await make({ name: 'other' });
    expect((await put(other.path, { name: 'same' })).json.error.code).toBe('rule_exists');
    await remove(first.path);
    expect((await put(other.path, { name: 'same' })).status).toBe(200);
    expect((await post('/v1/rules', again)).status).toBe(409);
  });

  test('are unique, also for concurrent requests', async () => {
    const { post, get } = await openAccount();
    const body = { name: 'same', expression: 'true', action: { points: 1 } };
    const replies = await Promise.all(Array.from({ length: 8 }, () => post('/v1/rules', body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect((await get('/v1/rules')).json.rules).toHaveLength(1);
  });
});

describe('an invalid request', () => {
  const whole = { name: 'a', expression: 'true', action: { points: 1 } };
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a name with capitals', { name: 'Ab' }, 'name', /letter a to z/],
    ['a name too long', { name: 'a'.repeat(65) }, 'name', /64/],
    ['no action', { action: undefined }, 'action', /required/],
    ['an empty action', { action: {} }, 'action', /either points or decision/],
    ['two actions', { action: { points: 1, decision: 'block' } }, 'action', /either points or decision/],
    ['no points', { action: { points: 0 } }, 'action.points', /at least 1/],
    ['too many points', { action: { points: 101 } }, 'action.points', /at most 100/],
    ['another decision', { action: { decision: 'deny' } }, 'action.decision', /one of allow, review, block/],
    ['an expiry in the past', { expires_at: iso(START - 1) }, 'expires_at', /future/],
    ['an expiry that is not a time', { expires_at: 'soon' }, 'expires_at', /RFC 3339/],
    ['an allow without an expiry', { action: { decision: 'allow' } }, 'expires_at', /90 days/],
    [
      'an allow for too long',
      { action: { decision: 'allow' }, expires_at: iso(START + 91 * DAY_MS) },
      'expires_at',
      /90 days/,
    ],
    ['an empty list of types', { subject_types: [] }, 'subject_types', /at least 1/],
    ['an unknown variable', { expression: 'amout > 1' }, 'expression', /line 1, column 1: there is no variable/],
    ['a regular expression', { expression: 'email.matches("a")' }, 'expression', /regular expressions/],
    ['no bool', { expression: 'amount' }, 'expression', /bool/],
    ['too long', { expression: `email == "${'a'.repeat(4000)}"` }, 'expression', /4000 characters/],
  ])('%s', async (_, change, field, message) => {
    const { post, get } = await openAccount();
    const reply = await post('/v1/rules', { ...whole, ...change });
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)[field]).toMatch(message);
    expect((await get('/v1/rules')).json.rules).toEqual([]);
  });

  test('returns every error, with the place in the expression', async () => {
    const { post } = await openAccount();
    const reply = await post('/v1/rules', { ...whole, name: 'A', expression: 'amount > 1 &&\n\tamout > 2' });
    expect(fieldErrors(reply)).toEqual({
      name: expect.any(String),
      expression:
        'is invalid at line 2, column 2: there is no variable `amout`; did you mean `amount`?\n\tamout > 2\n\t^',
    });
    expect(reply.json.error.message).not.toContain('\n');
  });

  test('a rule that allows needs an expiry within 90 days, also when changed', async () => {
    const { make, put, pay } = await openAccount();
    const end = iso(clock.now() + 90 * DAY_MS);
    const { path } = await make({ action: { decision: 'allow' }, expires_at: end, expression: 'user_id == "vip"' });
    expect((await put(path, { expires_at: iso(clock.now() + 91 * DAY_MS) })).status).toBe(400);
    for (const state of ['shadow', 'live']) await put(path, { state });
    await make({ expression: 'amount > 1', action: { decision: 'review' } }, 'live');
    expect((await pay(payment({ user_id: 'vip' }))).json.decision).toBe('allow');
    expect((await pay(payment())).json.decision).toBe('review');
  });

  test('a rule without an expiry cannot change to allow', async () => {
    const { make, put } = await openAccount();
    const { path } = await make();
    expect(fieldErrors(await put(path, { action: { decision: 'allow' } }))).toHaveProperty('expires_at');
  });

  test('an expired rule cannot go live', async () => {
    const { make, put } = await openAccount();
    const { path } = await make({ expires_at: iso(clock.now() + 1000) }, 'shadow');
    clock.advance(2000);
    expect(fieldErrors(await put(path, { state: 'live' }))).toHaveProperty('expires_at');
  });
});

describe('limits', () => {
  test('of steps of all live and shadow rules together', async () => {
    const { make, put } = await openAccount();
    const expression = Array(24).fill('device_token.contains("ab")').join(' || ');
    const rules = [];
    for (let i = 0; i < 11; i++) rules.push(await make({ expression }));
    const replies = [];
    for (const { path } of rules) replies.push(await put(path, { state: 'shadow' }));
    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), 409]);
    expect(replies.at(-1)?.json.error).toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(/steps/),
    });
  });
});

describe('reading', () => {
  test('lists rules in order of creation, by state, and without retired ones', async () => {
    const { make, get } = await openAccount();
    const made = [];
    for (const state of ['live', 'draft', 'retired', 'shadow', 'live'] as const) made.push(await make({}, state));
    const ids = async (query: string) =>
      (await get(`/v1/rules${query}`)).json.rules.map(({ rule_id }: { rule_id: string }) => rule_id);
    const [a, b, c, d, e] = made.map(({ rule_id }) => rule_id);
    expect(await ids('')).toEqual([a, b, d, e]);
    expect(await ids('?state=live')).toEqual([a, e]);
    expect(await ids('?state=retired')).toEqual([c]);
    expect((await get('/v1/rules?state=on')).status).toBe(400);
  });

  test('hits come newest first, in pages, for 90 days', async () => {
    const { make, pay, get } = await openAccount();
    const { path } = await make({}, 'live');
    const decisions: string[] = [];
    for (let i = 0; i < 5; i++) {
      decisions.unshift((await pay(payment({ amount: 200 }))).json.decision_id);
      clock.advance(1000);
    }
    const page = async (query: string) => {
      const { hits, has_more } = (await get(`${path}/hits?${query}`)).json;
      return [hits.map(({ decision_id }: { decision_id: string }) => decision_id), has_more];
    };
    expect(await page('limit=2')).toEqual([decisions.slice(0, 2), true]);
    expect(await page(`limit=3&before=${decisions[1]}`)).toEqual([decisions.slice(2), false]);
    expect((await get(`${path}/hits?before=case_1`)).status).toBe(400);
    expect((await get(`${path}/hits?limit=101`)).status).toBe(400);
    clock.advance(90 * DAY_MS - 3000);
    expect(await page('')).toEqual([decisions.slice(0, 3), false]);
    await service.app.retention.sweepAll();
    const id = path.slice(path.indexOf('_') + 1);
    const kept = 'SELECT COUNT(*) AS count FROM rule_hits WHERE rule_id = ?';
    expect(await readRecords(service.dataDir, kept, id)).toEqual([{ count: 3 }]);
    expect((await get(path)).json.hits.matched).toBe(5);
  });

  test('a check returns the error or the used names, and stores nothing', async () => {
    const { post, get } = await openAccount();
    expect((await post('/v1/rules/check', { expression: 'amout > 1' })).json).toEqual({
      valid: false,
      errors: [
        {
          line: 1,
          column: 1,
          message: 'there is no variable `amout`; did you mean `amount`?',
          excerpt: 'amout > 1\n^',
        },
      ],
      variables: [],
      features: [],
      lists: [],
    });
    const { json } = await post('/v1/rules/check', {
      expression: 'features["user.transactions.1h"] > 3 && "no_such" in lists && hour < 6',
    });
    expect(json).toEqual({
      valid: true,
      errors: [],
      variables: ['features', 'lists', 'hour'],
      features: ['user.transactions.1h'],
      lists: ['no_such'],
      warnings: ['there is no list `no_such` yet; nothing matches it until you create it'],
    });
    expect((await get('/v1/rules')).json.rules).toEqual([]);
  });

  test('a rule may use a list that does not exist yet, with a warning', async () => {
    const { post } = await openAccount();
    const body = { name: 'a', expression: '"no_such" in lists', action: { points: 1 } };
    const made = await post('/v1/rules', body);
    expect([made.status, made.json.warnings]).toEqual([
      201,
      ['there is no list `no_such` yet; nothing matches it until you create it'],
    ]);
  });

  test('every listed variable is valid in an expression', async () => {
    const { get, post } = await openAccount();
    const { variables, features, functions } = (await get('/v1/rules/variables')).json;
    expect(variables).toContainEqual({
      name: 'amount_usd',
      type: 'number',
      on: 'transaction',
      meaning: expect.stringMatching(/US dollars/),
    });
    expect(features).toContainEqual({
      name: 'user.transactions.1h',
      meaning: 'Number of payments by this user in the last hour.',
    });
    expect(functions.map(({ form }: { form: string }) => form)).toContain('known(number)');
    const usable = variables.filter(({ name }: { name: string }) => name !== 'features');
    const expression = usable.map(({ name }: { name: string }) => `has(${name})`).join(' || ');
    expect((await post('/v1/rules/check', { expression })).json).toMatchObject({ valid: true });
  });

  test('an unknown rule is 404', async () => {
    const { get, put, delete: remove } = await openAccount();
    for (const id of [unknownId('rule'), 'rule_1', unknownId('dec')]) {
      const path = `/v1/rules/${id}`;
      expect([
        (await get(path)).status,
        (await get(`${path}/hits`)).status,
        (await put(path, { state: 'live' })).status,
        (await remove(path)).status,
      ]).toEqual([404, 404, 404, 404]);
    }
  });
});

describe('lists', () => {
  test('a rule uses a list, which cannot be deleted in the meantime', async () => {
    const { make, post, put, pay, delete: remove } = await openAccount();
    const list = '/v1/lists/watched_users';
    expect((await post('/v1/lists', { name: 'watched_users' })).status).toBe(201);
    const entries = [{ kind: 'user', value: 'eve' }];
    expect((await post(`${list}/entries`, { entries })).status).toBe(200);
    const { path } = await make({ expression: '"watched_users" in lists && amount > 100' }, 'live');
    const decided = async (user_id: string, amount: number) => (await pay(payment({ user_id, amount }))).json.decision;
    expect([await decided('eve', 200), await decided('eve', 20), await decided('ada', 200)]).toEqual([
      'block',
      'allow',
      'allow',
    ]);
    expect((await remove(list)).json.error.code).toBe('list_in_use');
    await put(path, { state: 'shadow' });
    expect((await remove(list)).json.error.code).toBe('list_in_use');
    await put(path, { state: 'draft' });
    expect((await remove(list)).status).toBe(204);
  });

  test('an existing list gives no warning', async () => {
    const { post } = await openAccount();
    await post('/v1/lists', { name: 'watched_users' });
    const { json } = await post('/v1/rules/check', { expression: '"watched_users" in lists || "block" in lists' });
    expect(json).toMatchObject({ valid: true, lists: ['watched_users', 'block'] });
    expect(json.warnings).toBeUndefined();
  });
});

test('no other account or environment sees or evaluates a rule', async () => {
  const { account, make, pay, get } = await openAccount();
  const { path } = await make({ name: 'mine' }, 'live');
  const sandbox = { pay, get };
  const production = client(service, await service.key({ account, environment: 'production' }));
  const stranger = await openAccount();
  for (const other of [production, stranger]) {
    expect((await other.get('/v1/rules')).json.rules).toEqual([]);
    expect((await other.get(path)).status).toBe(404);
    expect((await other.get(`${path}/hits`)).status).toBe(404);
    expect((await other.put(path, { state: 'shadow' })).status).toBe(404);
    expect((await other.delete(path)).status).toBe(404);
    expect((await other.pay(payment({ amount: 200 }))).json.decision).toBe('allow');
    expect((await other.post('/v1/rules', { name: 'mine', expression: 'true', action: { points: 1 } })).status).toBe(
      201,
    );
  }
  expect((await sandbox.pay(payment({ amount: 200 }))).json.decision).toBe('block');
  expect((await sandbox.get(path)).json.hits.matched).toBe(1);
});

test('the audit has every change, with the rule before and after', async () => {
  const { make, put, get, delete: remove } = await openAccount();
  const { path, rule_id } = await make({ name: 'audited' });
  await put(path, { state: 'shadow' });
  await remove(path);
  const gone = await make({ name: 'gone' });
  await remove(gone.path);
  const { entries } = (await get('/v1/audit')).json;
  const changes = entries.map(({ action, target, before, after }: Record<string, { state?: string } | null>) => [
    action,
    target,
    before?.state,
    after?.state,
  ]);
  expect(changes).toEqual([
    ['rule.deleted', gone.rule_id, 'draft', undefined],
    ['rule.created', gone.rule_id, undefined, 'draft'],
    ['rule.changed', rule_id, 'shadow', 'retired'],
    ['rule.changed', rule_id, 'draft', 'shadow'],
    ['rule.created', rule_id, undefined, 'draft'],
    ['api_key.created', expect.any(String), undefined, undefined],
  ]);
  expect((await get('/v1/audit/check')).json).toMatchObject({ intact: true, entries: 6 });
});

test('a rule that no longer compiles counts as not matched, is logged once, and stops no screening', async () => {
  const dataDir = makeFolder();
  const first = await startService({ dataDir });
  const key = await first.key();
  const api = client(first, key);
  const ids: string[] = [];
  for (const [name, expression] of [
    ['was_fine', 'amount > 100'],
    ['is_fine', 'amount > 100'],
  ]) {
    const { rule_id } = (await api.post('/v1/rules', { name, expression, action: { decision: 'block' } })).json;
    for (const state of ['shadow', 'live']) await api.put(`/v1/rules/${rule_id}`, { state });
    ids.push(rule_id);
  }
  await first.stop();
  // The state after a release that dropped a variable.
  await changeRecords(dataDir, "UPDATE rules SET expression = 'secret_variable > 1' WHERE name = 'was_fine'");
  const second = await startService({ dataDir });
  const again = client(second, key);
  for (let i = 0; i < 3; i++) {
    const { json } = await again.pay(payment({ amount: 200, user_id: 'user_7' }));
    expect([json.decision, json.signals[0]]).toEqual(['block', 'rule.is_fine']);
  }
  expect((await again.get(`/v1/rules/${ids[0]}`)).json).toMatchObject({ errors: 3, hits: { matched: 0 } });
  expect((await again.get(`/v1/rules/${ids[1]}`)).json).toMatchObject({ errors: 0, hits: { matched: 3 } });
  const lines = second.logs.filter((line) => line.includes('was_fine'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/secret_variable|user_7/);
  expect((await again.get('/metrics')).text).toContain('portcullis_rule_errors_total 3');
});
