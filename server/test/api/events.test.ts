import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  fieldErrors,
  iso,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const key = await service.key();
const { pay, act, get } = client(service, key);

const TYPES = [
  'login',
  'signup',
  'password_reset',
  'password_change',
  'email_change',
  'phone_change',
  'address_change',
  'mfa_change',
  'payment_method_added',
  'payout_request',
  'logout',
  'other',
];

describe('200', () => {
  test('the result has exactly the fields of the contract', async () => {
    const { json } = await act({
      user_id: 'user_with_everything',
      type: 'login',
      outcome: 'failed',
      ip_address: '2001:DB8::7',
      device_token: 'dvc_8f14e45f',
      email: 'ada@example.com',
      metadata: { channel: 'web' },
    });
    expect(json).toEqual({
      event_id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      user_id: 'user_with_everything',
      type: 'login',
      outcome: 'failed',
      risk_score: expect.any(Number),
      decision: 'allow',
      signals: [],
      screened_at: iso(START),
      decision_id: expect.stringMatching(/^dec_[0-9a-hjkmnp-tv-z]{26}$/),
      case_id: null,
    });
  });

  test.each(TYPES)('accepts the type %s and counts it in the profile', async (type) => {
    const body = login({ type });
    expect((await act(body)).json.type).toBe(type);
    const { json } = await get(`/v1/users/${body.user_id}/risk-profile`);
    expect(json.events).toEqual({ count: 1, by_type: { [type]: 1 } });
  });

  test('the outcome defaults to `succeeded`', async () => {
    expect((await act(login())).json.outcome).toBe('succeeded');
    expect((await act(login({ outcome: null }))).json.outcome).toBe('succeeded');
    expect((await act(login({ outcome: 'succeeded' }))).json.outcome).toBe('succeeded');
    expect((await act(login({ outcome: 'failed' }))).json.outcome).toBe('failed');
  });

  test('null for an optional field means absent', async () => {
    const { json } = await act(login({ ip_address: null, device_token: null, email: null, metadata: null }));
    expect(json).not.toHaveProperty('warnings');
  });

  test('failed logins raise signals on the successful login after them', async () => {
    const body = login();
    for (let i = 0; i < 5; i++) await act({ ...body, outcome: 'failed' });
    const { json } = await act(body);
    expect(json.signals).toEqual(expect.arrayContaining(['failed_logins', 'login_after_failures']));
  });

  test('a review opens a case on the event, and a block opens none', async () => {
    const { json } = await act(login({ ip_address: REVIEW_IP }));
    expect((await get(`/v1/cases/${json.case_id}`)).json).toMatchObject({
      subject_type: 'event',
      subject_id: json.event_id,
      user_id: json.user_id,
      decision_id: json.decision_id,
    });
    expect((await act(login({ ip_address: BLOCK_IP }))).json).toMatchObject({ decision: 'block', case_id: null });
  });

  test('GET returns the same bytes', async () => {
    for (const ip_address of [undefined, REVIEW_IP, BLOCK_IP]) {
      const posted = await act(login({ ip_address }));
      expect((await get(`/v1/events/${posted.json.event_id}`)).text).toBe(posted.text);
    }
  });
});

describe('400', () => {
  test.each([
    ['user_id', undefined, 'is required'],
    ['user_id', '', 'must have at least 1 character'],
    ['user_id', 'x'.repeat(256), 'must have at most 255 characters'],
    ['type', undefined, 'is required'],
    ['type', null, `must be one of ${TYPES.join(', ')}`],
    ['type', 'purchase', `must be one of ${TYPES.join(', ')}`],
    ['type', 'LOGIN', `must be one of ${TYPES.join(', ')}; did you mean \`login\`?`],
    ['outcome', 'unknown', 'must be one of succeeded, failed'],
    ['outcome', true, 'must be one of succeeded, failed'],
    ['ip_address', 'here', expect.stringContaining('IPv4 or IPv6')],
    ['device_token', 5, 'must be a string'],
    ['email', 'no-at-sign', expect.stringContaining('e-mail address')],
    ['metadata', [], 'must be an object'],
  ])('refuses %s = %j: %s', async (field, value, message) => {
    const reply = await act(login({ [field]: value }));
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual({ [field]: message });
  });

  test('lists every error at once', async () => {
    const reply = await act({ type: 'x', outcome: 'y', ip_address: 'z', metadata: { a: 1 } });
    expect(Object.keys(fieldErrors(reply)).sort()).toEqual(['ip_address', 'metadata.a', 'outcome', 'type', 'user_id']);
  });

  test('a field of payments is unknown in an event', async () => {
    const { json } = await act(login({ amount: 5 }));
    expect(json.warnings).toEqual(['unknown member `amount` was ignored']);
  });
});

describe('404', () => {
  test.each([unknownId('evt'), 'evt_', 'x'])('there is no event %s', async (id) => {
    const { status, json } = await get(`/v1/events/${id}`);
    expect([status, json.error.code]).toEqual([404, 'not_found']);
  });

  test('a transaction is not found as an event', async () => {
    const { json } = await pay(payment());
    expect((await get(`/v1/events/${json.transaction_id.replace('txn', 'evt')}`)).status).toBe(404);
    expect((await get(`/v1/events/${json.transaction_id}`)).status).toBe(404);
  });
});
