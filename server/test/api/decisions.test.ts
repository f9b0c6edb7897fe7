import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  MINUTE_MS,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { pay, flagPayment, act, get, put, post } = client(service, await service.key());
const decisionOf = async (screened: { decision_id: string }) =>
  (await get(`/v1/decisions/${screened.decision_id}`)).json;
const caseOf = async (screened: { case_id: string }) => (await get(`/v1/cases/${screened.case_id}`)).json;
const review = (screened: { decision_id: string }, body: unknown) =>
  post(`/v1/decisions/${screened.decision_id}/review`, body);

describe('GET 200', () => {
  test('the decision on a transaction has exactly the fields of the contract', async () => {
    const screened = await flagPayment();
    expect(await decisionOf(screened)).toEqual({
      decision_id: screened.decision_id,
      subject_type: 'transaction',
      subject_id: screened.transaction_id,
      user_id: screened.user_id,
      decision: 'review',
      automated_decision: 'review',
      risk_score: screened.risk_score,
      signals: screened.signals,
      summary: expect.stringMatching(/^Test IP address/),
      factors: expect.arrayContaining([
        { signal: 'test_address', theme: 'place', description: expect.any(String), contribution: expect.any(Number) },
      ]),
      base_score: expect.any(Number),
      model_version: expect.stringMatching(/^mdl_/),
      ruleset_version: expect.stringMatching(/./),
      unavailable: [],
      case_id: screened.case_id,
      reviews: [],
      decided_at: screened.screened_at,
    });
  });

  test('the decision on an event names the event', async () => {
    const { json } = await act(login({ ip_address: BLOCK_IP }));
    expect(await decisionOf(json)).toMatchObject({
      subject_type: 'event',
      subject_id: json.event_id,
      decision: 'block',
      automated_decision: 'block',
      case_id: null,
    });
  });

  test('base score and factors, largest first, add up to the score, also with many active signals', async () => {
    const screened: Json[] = [];
    // One new user tries many cards on many devices with small amounts, which raises nearly every signal.
    for (let i = 0; i < 12; i++) {
      const body = payment({
        user_id: 'tester',
        amount: 1,
        payment_fingerprint: `pm_${i}`,
        device_token: `dvc_${i}`,
        ip_address: `198.51.${i}.1`,
      });
      screened.push((await pay(body)).json);
    }
    for (const ip_address of [REVIEW_IP, BLOCK_IP])
      screened.push((await pay(payment({ user_id: 'tester', amount: 1, ip_address }))).json);
    for (let i = 0; i < 8; i++)
      screened.push((await act(login({ user_id: 'tester', outcome: 'failed', ip_address: `198.51.${i}.1` }))).json);
    screened.push((await pay(payment())).json);
    for (const result of screened) {
      const { factors, base_score, risk_score, signals } = await decisionOf(result);
      const contributions = factors.map((factor: Json) => factor.contribution);
      expect(contributions.reduce((sum: number, next: number) => sum + next, base_score)).toBe(risk_score);
      expect(contributions).toEqual([...contributions].sort((a, b) => b - a));
      expect(contributions.every((contribution: number) => Number.isInteger(contribution))).toBe(true);
      for (const { signal, feature, theme, description } of factors) {
        expect(description).not.toMatch(/NaN|undefined|Infinity|^$/);
        expect(theme === null).toBe(feature === 'other_features');
        expect((signal === undefined) !== (feature === undefined)).toBe(true);
        if (signal !== undefined) expect(signals).toContain(signal);
      }
      expect([risk_score, signals]).toEqual([result.risk_score, result.signals]);
    }
    expect(screened.some(({ decision }) => decision === 'block')).toBe(true);
    expect(Math.max(...screened.map(({ signals }) => signals.length))).toBeGreaterThan(4);
  });
});

describe('the summary', () => {
  test('is the same line in the decision and its case, with stored and exact factors, before and after a review', async () => {
    const user_id = 'summarized';
    for (let i = 0; i < 4; i++) {
      await pay(payment({ user_id, amount: 20, currency: 'EUR' }));
      clock.advance(DAY_MS);
    }
    const screened = (await pay(payment({ user_id, amount: 900, currency: 'EUR', ip_address: REVIEW_IP }))).json;
    const { summary, factors } = await decisionOf(screened);
    expect(summary).toMatch(/^Test IP address; .*amount 45 times the usual/);
    expect(factors.find(({ signal }: Json) => signal === 'amount_spike')).toMatchObject({
      theme: 'money',
      description: 'EUR 900.00, 45 times the usual payment by this user (EUR 20.00)',
    });
    expect((await caseOf(screened)).summary).toBe(summary);
    const exact = await get(`/v1/decisions/${screened.decision_id}?factors=exact`);
    expect(exact.json.summary).toBe(summary);
    expect((await review(screened, { decision: 'allow' })).json.summary).toBe(summary);
    expect((await caseOf(screened)).summary).toBe(summary);
  });
});

describe('factors', () => {
  test('a low score also lists the features behind it, without factors=exact', async () => {
    const user_id = 'inconspicuous';
    const { json } = await pay(payment({ user_id, amount: 40 }));
    expect(json.risk_score).toBeLessThan(20);
    const { factors, base_score } = await decisionOf(json);
    const features = factors.filter(({ feature }: Json) => feature !== undefined && feature !== 'other_features');
    expect(features.length).toBeGreaterThan(0);
    expect(factors.reduce((sum: number, factor: Json) => sum + factor.contribution, base_score)).toBe(json.risk_score);
  });

  test('factors=exact divides the same score into Shapley values that add up to it', async () => {
    const user_id = 'exactly';
    for (let i = 0; i < 6; i++) await pay(payment({ user_id, amount: 2, payment_fingerprint: `pm_${i}` }));
    const { json } = await pay(payment({ user_id, amount: 900, payment_fingerprint: 'pm_7' }));
    const stored = await decisionOf(json);
    const { json: exact } = await get(`/v1/decisions/${json.decision_id}?factors=exact`);
    const sum = (decision: Json): number =>
      decision.factors.reduce((total: number, factor: Json) => total + factor.contribution, decision.base_score);
    expect([sum(exact), sum(stored)]).toEqual([json.risk_score, json.risk_score]);
    const { factors: _exact, base_score: _base, ...rest } = exact;
    expect(stored).toMatchObject(rest);
    const evidence = (decision: Json) =>
      decision.factors
        .filter((factor: Json) => factor.signal !== undefined)
        .map(({ signal, description }: Json) => `${signal}: ${description}`)
        .sort();
    expect(evidence(exact)).toEqual(evidence(stored));
    expect(exact.factors.some((factor: Json) => factor.feature !== undefined)).toBe(true);
  });

  test('another value is refused with 400 and names the parameter', async () => {
    const { decision_id } = await flagPayment();
    const { status, json } = await get(`/v1/decisions/${decision_id}?factors=all`);
    expect([status, json.error.code, json.error.details[0].field]).toEqual([400, 'invalid_request', 'factors']);
  });
});

describe('POST review 200', () => {
  test('the response is the decision with the review, as GET then returns it', async () => {
    clock.set(START);
    const { json: screened } = await pay(payment());
    clock.advance(MINUTE_MS);
    const { json } = await review(screened, {
      decision: 'block',
      reason: 'takeover',
      analyst_id: 'analyst_7',
      notes: 'A known fraudster.',
    });
    expect(json).toMatchObject({
      decision: 'block',
      automated_decision: 'allow',
      reviews: [
        {
          decision: 'block',
          reason: 'takeover',
          analyst_id: 'analyst_7',
          notes: 'A known fraudster.',
          reviewed_at: iso(START + MINUTE_MS),
        },
      ],
      decided_at: iso(START),
    });
    expect(await decisionOf(screened)).toEqual(json);
  });

  test('reason, analyst and notes are optional, and null means absent', async () => {
    const { json: screened } = await pay(payment());
    await review(screened, { decision: 'allow' });
    const { json } = await review(screened, { decision: 'block', reason: null, analyst_id: null, notes: null });
    expect(json.reviews).toMatchObject([
      { decision: 'allow', reason: null, analyst_id: null, notes: null },
      { decision: 'block', reason: null, analyst_id: null, notes: null },
    ]);
  });

  test('a decision can be reviewed repeatedly: the last review is effective and all are listed, oldest first', async () => {
    clock.set(START);
    const { json: screened } = await pay(payment());
    const decisions = [
      'block',
      'allow',
      'allow',
      'block',
      'allow',
      'block',
      'block',
      'allow',
      'block',
      'allow',
      'block',
      'allow',
    ];
    for (const [index, decision] of decisions.entries()) {
      clock.advance(1000);
      const { json } = await review(screened, { decision, analyst_id: `a${index}` });
      expect([json.decision, json.automated_decision]).toEqual([decision, 'allow']);
    }
    const { reviews, decision } = await decisionOf(screened);
    expect(reviews).toEqual(
      decisions.map((of, index) => ({
        decision: of,
        reason: null,
        analyst_id: `a${index}`,
        notes: null,
        reviewed_at: iso(START + (index + 1) * 1000),
      })),
    );
    expect(decision).toBe('allow');
  });

  test('a review does not change the stored result of the screening', async () => {
    const { json: screened, text } = await pay(payment({ ip_address: REVIEW_IP }));
    await review(screened, { decision: 'block' });
    expect((await get(`/v1/transactions/${screened.transaction_id}`)).text).toBe(text);
  });

  test.each([
    ['allow', 'approved'],
    ['block', 'rejected'],
  ])('a review of %s resolves the open case as %s', async (decision, status) => {
    clock.set(START);
    const screened = await flagPayment();
    clock.advance(MINUTE_MS);
    await review(screened, { decision, analyst_id: 'analyst_7', notes: 'Seen.' });
    expect(await caseOf(screened)).toMatchObject({
      status,
      analyst_id: 'analyst_7',
      notes: 'Seen.',
      resolved_at: iso(START + MINUTE_MS),
      decision: 'review',
    });
    const refused = await put(`/v1/cases/${screened.case_id}`, { status: 'approved' });
    expect([refused.status, refused.json.error.code]).toEqual([409, 'case_not_open']);
  });

  test('a review with a reason resolves the open case with that reason', async () => {
    const screened = await flagPayment();
    await review(screened, { decision: 'block', reason: 'card_testing' });
    expect(await caseOf(screened)).toMatchObject({ status: 'rejected', reason: 'card_testing' });
  });

  test('a further review does not change the resolved case', async () => {
    const screened = await flagPayment();
    await review(screened, { decision: 'allow', analyst_id: 'first' });
    const before = await caseOf(screened);
    clock.advance(MINUTE_MS);
    await review(screened, { decision: 'block', analyst_id: 'second' });
    expect(await caseOf(screened)).toEqual(before);
    expect((await decisionOf(screened)).decision).toBe('block');
  });

  test('an expired case stays expired when its decision is reviewed', async () => {
    clock.set(START);
    const screened = await flagPayment();
    clock.advance(7 * DAY_MS);
    const { json } = await review(screened, { decision: 'block' });
    expect(json).toMatchObject({ decision: 'block', reviews: [{ decision: 'block' }] });
    expect(await caseOf(screened)).toMatchObject({ status: 'expired', resolved_at: null, analyst_id: null });
  });

  test.each([
    ['approved', 'allow'],
    ['rejected', 'block'],
  ])('resolving the case as %s adds the review %s to its decision', async (status, decision) => {
    clock.set(START);
    const screened = await flagPayment();
    await put(`/v1/cases/${screened.case_id}`, { status, analyst_id: 'analyst_7', notes: 'Seen.' });
    expect(await decisionOf(screened)).toMatchObject({
      decision,
      automated_decision: 'review',
      reviews: [{ decision, analyst_id: 'analyst_7', notes: 'Seen.', reviewed_at: iso(START) }],
    });
    await review(screened, { decision: 'allow' });
    expect((await decisionOf(screened)).reviews.map((of: Json) => of.decision)).toEqual([decision, 'allow']);
  });

  test('stores analyst ids of up to 255 characters and notes of up to 10,000 unchanged', async () => {
    const { json: screened } = await pay(payment());
    const body = { decision: 'allow', analyst_id: '😀'.repeat(255), notes: 'ü\n'.repeat(5000) };
    await review(screened, body);
    expect((await decisionOf(screened)).reviews).toMatchObject([body]);
  });
});

describe('POST review 400', () => {
  const NUL = 'must be well-formed Unicode without NUL characters';
  const { decision: _, ...missing } = { decision: '', analyst_id: 'a' };
  test.each([
    ['without a decision', missing, { decision: 'is required' }],
    ['with a decision of review', { decision: 'review' }, { decision: 'must be one of allow, block' }],
    ['with a status instead', { status: 'approved' }, { decision: 'is required' }],
    ['with an empty analyst', { decision: 'allow', analyst_id: '' }, { analyst_id: 'must have at least 1 character' }],
    [
      'with a long analyst',
      { decision: 'allow', analyst_id: 'x'.repeat(256) },
      { analyst_id: 'must have at most 255 characters' },
    ],
    [
      'with long notes',
      { decision: 'allow', notes: 'x'.repeat(10_001) },
      { notes: 'must have at most 10000 characters' },
    ],
    [
      'of allow with a reason',
      { decision: 'allow', reason: 'takeover' },
      { reason: 'must not be given with the decision allow: only fraud has a reason' },
    ],
    [
      'with an unknown reason',
      { decision: 'block', reason: 'takeovers' },
      {
        reason:
          'must be one of takeover, stolen_card, first_party, mule, card_testing, other; did you mean `takeover`?',
      },
    ],
    ['with a NUL', { decision: 'allow', analyst_id: 'a\0', notes: '\0' }, { analyst_id: NUL, notes: NUL }],
    [
      'with everything wrong',
      { decision: 1, analyst_id: 2, notes: 3 },
      { decision: 'must be one of allow, block', analyst_id: 'must be a string', notes: 'must be a string' },
    ],
  ])('refuses a review %s and stores nothing', async (_name, body, errors) => {
    const screened = await flagPayment();
    const reply = await review(screened, body);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual(errors);
    expect((await decisionOf(screened)).reviews).toEqual([]);
    expect((await caseOf(screened)).status).toBe('open');
  });
});

describe('404', () => {
  test.each([unknownId('dec'), 'dec_', 'x', unknownId('txn')])('there is no decision %s', async (id) => {
    for (const reply of [
      await get(`/v1/decisions/${id}`),
      await post(`/v1/decisions/${id}/review`, { decision: 'allow' }),
    ]) {
      expect([reply.status, reply.json.error.code]).toEqual([404, 'not_found']);
    }
  });
});
