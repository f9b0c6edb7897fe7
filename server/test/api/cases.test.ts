import { describe, expect, test } from 'vitest';
import {
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
const { pay, flagPayment, act, get, put } = client(service, await service.key());

describe('GET 200', () => {
  test('an open case has exactly the fields of the contract', async () => {
    clock.set(START);
    const screened = await flagPayment();
    expect((await get(`/v1/cases/${screened.case_id}`)).json).toEqual({
      case_id: screened.case_id,
      subject_type: 'transaction',
      subject_id: screened.transaction_id,
      user_id: screened.user_id,
      decision_id: screened.decision_id,
      status: 'open',
      risk_score: screened.risk_score,
      decision: 'review',
      amount: 49.9,
      currency: 'EUR',
      amount_usd: expect.closeTo(54, -1),
      event_type: null,
      country: null,
      signals: screened.signals,
      summary: expect.stringMatching(/^Test IP address/),
      created_at: iso(START),
      expires_at: iso(START + 7 * DAY_MS),
      priority: 'normal',
      tags: [],
      assignee: null,
      assigned_at: null,
      snoozed_until: null,
      notes_count: 0,
      resolved_at: null,
      reason: null,
      analyst_id: null,
      notes: null,
    });
  });

  test('the case on an event names the event', async () => {
    const { json } = await act(login({ ip_address: REVIEW_IP }));
    expect((await get(`/v1/cases/${json.case_id}`)).json).toMatchObject({
      subject_type: 'event',
      subject_id: json.event_id,
      event_type: 'login',
      ...{ amount: null, currency: null, amount_usd: null },
    });
  });

  test('only a review opens a case', async () => {
    const count = async () => (await get('/v1/cases')).json.total;
    const before = await count();
    await pay(payment());
    await act(login());
    await pay(payment({ ip_address: '203.0.113.3' }));
    expect(await count()).toBe(before);
    await flagPayment();
    expect(await count()).toBe(before + 1);
  });
});

describe('PUT 200', () => {
  test.each(['approved', 'rejected'])('resolves a case as %s, with analyst, time and notes', async (status) => {
    clock.set(START);
    const screened = await flagPayment();
    const before = (await get(`/v1/cases/${screened.case_id}`)).json;
    clock.advance(MINUTE_MS);
    const resolution = { status, analyst_id: 'analyst_7', notes: 'Called them.' };
    const { json } = await put(`/v1/cases/${screened.case_id}`, resolution);
    expect(json).toEqual({ ...before, ...resolution, resolved_at: iso(START + MINUTE_MS) });
    expect((await get(`/v1/cases/${screened.case_id}`)).json).toEqual(json);
  });

  test('rejected with a reason shows it in the case, its list and the review', async () => {
    const { case_id, decision_id } = await flagPayment();
    const { json } = await put(`/v1/cases/${case_id}`, { status: 'rejected', reason: 'mule' });
    expect(json).toMatchObject({ status: 'rejected', reason: 'mule' });
    expect((await get(`/v1/cases/${case_id}`)).json).toEqual(json);
    expect((await get('/v1/cases?status=rejected&limit=1')).json.cases).toEqual([json]);
    expect((await get(`/v1/decisions/${decision_id}`)).json.reviews).toMatchObject([{ reason: 'mule' }]);
  });

  test('reason, analyst and notes are optional, and null means absent', async () => {
    for (const more of [{}, { reason: null, analyst_id: null, notes: null }]) {
      const screened = await flagPayment();
      const { json } = await put(`/v1/cases/${screened.case_id}`, { status: 'approved', ...more });
      expect(json).toMatchObject({ status: 'approved', reason: null, analyst_id: null, notes: null });
      expect(json.resolved_at).not.toBeNull();
    }
  });

  test('stores analyst ids of up to 255 characters and notes of up to 10,000 unchanged', async () => {
    const screened = await flagPayment();
    const resolution = { status: 'rejected', analyst_id: '😀'.repeat(255), notes: 'ü\n'.repeat(5000) };
    await put(`/v1/cases/${screened.case_id}`, resolution);
    expect((await get(`/v1/cases/${screened.case_id}`)).json).toMatchObject(resolution);
  });

  test('stores the outcome with the request and facts of the screening, for the training of models', async () => {
    const screened = await flagPayment();
    await put(`/v1/cases/${screened.case_id}`, { status: 'rejected' });
    const rows = await service.app.backend.read<Json>(
      'SELECT r.decision, s.request, length(s.facts) AS facts FROM reviews r JOIN screenings s ON s.id = r.id WHERE r.id = ?',
      screened.case_id.slice('case_'.length),
    );
    expect(rows).toEqual([
      { decision: 'block', request: expect.stringContaining(screened.user_id), facts: expect.any(Number) },
    ]);
    expect(rows[0].facts).toBeGreaterThan(0);
  });
});

describe('PUT 400', () => {
  const NUL = 'must be well-formed Unicode without NUL characters';
  test.each([
    ['without a status', {}, { status: 'is required' }],
    ['to reopen it', { status: 'open' }, { status: 'must be one of approved, rejected' }],
    ['as expired', { status: 'expired' }, { status: 'must be one of approved, rejected' }],
    ['in capitals', { status: 'APPROVED' }, { status: 'must be one of approved, rejected; did you mean `approved`?' }],
    [
      'with long notes',
      { status: 'approved', notes: 'x'.repeat(10_001) },
      { notes: 'must have at most 10000 characters' },
    ],
    [
      'with a long analyst',
      { status: 'approved', analyst_id: 'x'.repeat(256) },
      { analyst_id: 'must have at most 255 characters' },
    ],
    [
      'as approved with a reason',
      { status: 'approved', reason: 'mule' },
      { reason: 'must not be given with the status approved: only fraud has a reason' },
    ],
    [
      'with an unknown reason',
      { status: 'rejected', reason: 'theft' },
      { reason: 'must be one of takeover, stolen_card, first_party, mule, card_testing, other' },
    ],
    ['with a NUL', { status: 'approved', analyst_id: 'a\0', notes: '\0' }, { analyst_id: NUL, notes: NUL }],
    [
      'with everything wrong',
      { status: null, analyst_id: '', notes: 1 },
      {
        status: 'must be one of approved, rejected',
        analyst_id: 'must have at least 1 character',
        notes: 'must be a string',
      },
    ],
  ])('refuses a resolution %s, and the case stays open', async (_name, body, errors) => {
    const screened = await flagPayment();
    const reply = await put(`/v1/cases/${screened.case_id}`, body);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual(errors);
    expect((await get(`/v1/cases/${screened.case_id}`)).json.status).toBe('open');
  });
});

describe('404', () => {
  test.each([unknownId('case'), 'case_', 'x', unknownId('txn')])('there is no case %s', async (id) => {
    for (const reply of [await get(`/v1/cases/${id}`), await put(`/v1/cases/${id}`, { status: 'approved' })]) {
      expect([reply.status, reply.json.error.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('PUT 409', () => {
  test.each(['approved', 'rejected'])(
    'a case that is %s cannot be resolved again, and the message names the status',
    async (status) => {
      const screened = await flagPayment();
      const { json: resolved } = await put(`/v1/cases/${screened.case_id}`, { status, analyst_id: 'first' });
      clock.advance(MINUTE_MS);
      for (const again of ['approved', 'rejected']) {
        const reply = await put(`/v1/cases/${screened.case_id}`, { status: again, analyst_id: 'second' });
        expect([reply.status, reply.json.error.code]).toEqual([409, 'case_not_open']);
        expect(reply.json.error.message).toContain(status);
      }
      expect((await get(`/v1/cases/${screened.case_id}`)).json).toEqual(resolved);
      expect((await get(`/v1/decisions/${screened.decision_id}`)).json.reviews).toHaveLength(1);
    },
  );

  test('an expired case cannot be resolved, and the message names the status', async () => {
    const screened = await flagPayment();
    clock.advance(7 * DAY_MS);
    const reply = await put(`/v1/cases/${screened.case_id}`, { status: 'approved' });
    expect([reply.status, reply.json.error.code]).toEqual([409, 'case_expired']);
    expect(reply.json.error.message).toContain('expired');
    expect((await get(`/v1/decisions/${screened.decision_id}`)).json.reviews).toEqual([]);
  });

  test('a case that was resolved in time does not expire later', async () => {
    const screened = await flagPayment();
    await put(`/v1/cases/${screened.case_id}`, { status: 'approved' });
    clock.advance(8 * DAY_MS);
    expect((await get(`/v1/cases/${screened.case_id}`)).json.status).toBe('approved');
    const reply = await put(`/v1/cases/${screened.case_id}`, { status: 'rejected' });
    expect(reply.json.error.code).toBe('case_not_open');
  });
});
