import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { ApiKeyRequest, RollApiKeyRequest } from './api-key.ts';
import { CASE_STATUSES, CaseQuery, CaseResolution } from './case.ts';
import { EVENT_TYPES, LABEL_REASONS, OUTCOMES } from './constants.ts';
import { ReviewRequest } from './decision.ts';
import { EventRequest } from './event.ts';
import { KEY_PREFIXES, MAX_OVERLAP_SECONDS } from './key-kinds.ts';
import { PERMISSIONS, ROLES } from './permissions.ts';
import { WEBHOOK_TYPES, WebhookRequest } from './webhook.ts';

type Row = [title: string, accepted: boolean, fields: object];

/** One test per row: whether the validator accepts a valid request with these fields added. */
const table = (validator: { Check: (value: unknown) => boolean }, least: object, rows: readonly Row[]): void => {
  for (const [title, accepted, fields] of rows) {
    test(`is ${accepted ? 'accepted' : 'refused'} with ${title}`, () => {
      expect(validator.Check({ ...least, ...fields })).toBe(accepted);
    });
  }
};
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, 'value']));

describe('an event request', () => {
  const least = { user_id: 'user_1842', type: 'login' };
  const validator = Compile(EventRequest);

  test('has the released types and outcomes', () => {
    expect(EVENT_TYPES.join(' ')).toBe(
      'login signup password_reset password_change email_change phone_change address_change mfa_change ' +
        'payment_method_added payout_request logout other',
    );
    expect(OUTCOMES).toEqual(['succeeded', 'failed']);
  });

  table(validator, least, [
    ['the required fields alone', true, {}],
    ...EVENT_TYPES.map((type): Row => [`type ${type}`, true, { type }]),
    ...OUTCOMES.map((outcome): Row => [`outcome ${outcome}`, true, { outcome }]),
    ['an unknown type', false, { type: 'purchase' }],
    ['a type in capitals', false, { type: 'LOGIN' }],
    ['an unknown outcome', false, { outcome: 'pending' }],
    ['an outcome of null', false, { outcome: null }],
    ['a user_id of 255 characters', true, { user_id: 'u'.repeat(255) }],
    ['a user_id of 256 characters', false, { user_id: 'u'.repeat(256) }],
    ['an empty user_id', false, { user_id: '' }],
    ['a NUL in the user_id', false, { user_id: 'a\0b' }],
    ['a lone surrogate in the user_id', false, { user_id: '\ud800' }],
    ['an IPv6 address', true, { ip_address: '2001:db8::7' }],
    ['an invalid IP address', false, { ip_address: 'unknown' }],
    ['a device_token of 4096 characters', true, { device_token: 'd'.repeat(4096) }],
    ['a device_token of 4097 characters', true, { device_token: 'd'.repeat(4097) }],
    ['an e-mail address', true, { email: 'ada@example.com' }],
    ['an invalid e-mail address', false, { email: 'ada' }],
    ['50 metadata keys', true, { metadata: keys(50) }],
    ['51 metadata keys', false, { metadata: keys(51) }],
    ['a metadata value of 500 characters', true, { metadata: { key: 'v'.repeat(500) } }],
    ['a metadata value of 501 characters', false, { metadata: { key: 'v'.repeat(501) } }],
    ['an unknown field', true, { amount: -1 }],
  ]);

  test.each(['user_id', 'type'] as const)('is refused without %s', (field) => {
    const { [field]: _, ...rest } = least;
    expect(validator.Check(rest)).toBe(false);
  });
});

const reasons = (fraud: object): Row[] => [
  ...LABEL_REASONS.map((reason): Row => [`reason ${reason}`, true, { ...fraud, reason }]),
  ...['theft', 'Takeover', '', null].map((reason): Row => [`reason ${reason}`, false, { ...fraud, reason }]),
];

test('a fraud has the documented reasons', () => {
  expect(LABEL_REASONS.join(' ')).toBe('takeover stolen_card first_party mule card_testing other');
});

/** The fields of every decision by a person. */
const ANALYST_FIELDS: readonly Row[] = [
  ['an analyst_id of 255 characters', true, { analyst_id: 'a'.repeat(255) }],
  ['an analyst_id of 256 characters', false, { analyst_id: 'a'.repeat(256) }],
  ['an empty analyst_id', false, { analyst_id: '' }],
  ['a numeric analyst_id', false, { analyst_id: 7 }],
  ['empty notes', true, { notes: '' }],
  ['notes of 10,000 characters', true, { notes: 'n'.repeat(10_000) }],
  ['notes of 10,000 characters outside the basic plane', true, { notes: '😀'.repeat(10_000) }],
  ['notes of 10,001 characters', false, { notes: 'n'.repeat(10_001) }],
  ['a NUL in the notes', false, { notes: 'a\0b' }],
  ['a lone surrogate in the notes', false, { notes: 'a\udfff' }],
];

describe('a case resolution', () => {
  table(Compile(CaseResolution), { status: 'approved' }, [
    ['the status alone', true, {}],
    ['rejected', true, { status: 'rejected' }],
    ...['open', 'expired', 'Approved', '', null, 1].map((status): Row => [`status ${status}`, false, { status }]),
    ['no status', false, { status: undefined }],
    ...reasons({ status: 'rejected' }),
    ...ANALYST_FIELDS,
  ]);
});

describe('a review of a decision', () => {
  table(Compile(ReviewRequest), { decision: 'allow' }, [
    ['the decision alone', true, {}],
    ['block', true, { decision: 'block' }],
    ...['review', 'approved', 'ALLOW', '', null].map((decision): Row => [`${decision}`, false, { decision }]),
    ['no decision', false, { decision: undefined }],
    ...reasons({ decision: 'block' }),
    ...ANALYST_FIELDS,
  ]);
});

describe('a webhook request', () => {
  const least = { url: 'https://hooks.example.com/portcullis', events: ['case.created'] };

  test('accepts the six types of the specification', () => {
    const six =
      'transaction.screened transaction.decision.block event.screened case.created case.resolved decision.reviewed';
    expect(WEBHOOK_TYPES).toEqual(expect.arrayContaining(six.split(' ')));
  });

  table(Compile(WebhookRequest), least, [
    ['the required fields alone', true, {}],
    ...WEBHOOK_TYPES.map((type): Row => [`type ${type}`, true, { events: [type] }]),
    ['all types', true, { events: [...WEBHOOK_TYPES] }],
    ['no types', false, { events: [] }],
    ['a type twice', false, { events: ['case.created', 'case.created'] }],
    ['an unknown type', false, { events: ['case.created', 'case.closed'] }],
    ['types as text', false, { events: 'case.created' }],
    ['a type of null', false, { events: [null] }],
    ['no list of types', false, { events: undefined }],
    ['a url of 2048 characters', true, { url: `https://example.com/${'a'.repeat(2028)}` }],
    ['a url of 2049 characters', false, { url: `https://example.com/${'a'.repeat(2029)}` }],
    ['an empty url', false, { url: '' }],
    ['a NUL in the url', false, { url: 'https://example.com/\0' }],
    ['no url', false, { url: undefined }],
    ['a label of 200 characters', true, { label: 'l'.repeat(200) }],
    ['a label of 201 characters', false, { label: 'l'.repeat(201) }],
    ['an empty label', true, { label: '' }],
    ['a lone surrogate in the label', false, { label: '\ud800' }],
  ]);
});

describe('a request for an API key', () => {
  test('has the roles and prefixes of the specification', () => {
    expect(ROLES).toEqual(['admin', 'manager', 'service', 'analyst', 'reader']);
    expect(KEY_PREFIXES).toEqual({ sandbox: 'sk_test_', production: 'sk_live_' });
  });

  table(Compile(ApiKeyRequest), { role: 'service' }, [
    ...ROLES.map((role): Row => [`role ${role}`, true, { role }]),
    ['an unknown role', false, { role: 'root' }],
    ['no role: the server requires a role or permissions', true, { role: undefined }],
    ...PERMISSIONS.map((one): Row => [`the permission ${one}`, true, { role: undefined, permissions: [one] }]),
    ['an unknown permission', false, { permissions: ['everything'] }],
    ['no permission', false, { permissions: [] }],
    ['a permission twice', false, { permissions: ['read', 'read'] }],
    ['an expiry', true, { expires_at: '2027-01-01T00:00:00+01:00' }],
    ['a date as expiry', true, { expires_at: '2027-01-01' }],
    ['an expiry that is not a time', false, { expires_at: 'tomorrow' }],
    ['networks', true, { allowed_networks: ['203.0.113.7', '203.0.113.0/24', '2001:db8::/48'] }],
    ['no network', false, { allowed_networks: [] }],
    ['a network that is none', false, { allowed_networks: ['203.0.113.0/33'] }],
    ['51 networks', false, { allowed_networks: Array.from({ length: 51 }, (_, i) => `203.0.113.${i}`) }],
    ['a label of 200 characters', true, { label: 'l'.repeat(200) }],
    ['a label of 201 characters', false, { label: 'l'.repeat(201) }],
    ['a rate limit of 1', true, { rate_limit_per_minute: 1 }],
    ['a rate limit of 0', false, { rate_limit_per_minute: 0 }],
    ['a fractional rate limit', false, { rate_limit_per_minute: 1.5 }],
    ['a rate limit over ten million', false, { rate_limit_per_minute: 10_000_001 }],
  ]);
});

describe('a request to roll an API key', () => {
  table(Compile(RollApiKeyRequest), {}, [
    ['nothing', true, {}],
    ['no overlap', true, { overlap_seconds: 0 }],
    ['the longest overlap', true, { overlap_seconds: MAX_OVERLAP_SECONDS }],
    ['a longer overlap', false, { overlap_seconds: MAX_OVERLAP_SECONDS + 1 }],
    ['a negative overlap', false, { overlap_seconds: -1 }],
    ['a part of a second', false, { overlap_seconds: 0.5 }],
    ['other settings', true, { label: 'x', allowed_networks: ['203.0.113.7'], expires_at: '2027-01-01' }],
  ]);
});

describe('a query of cases', () => {
  table(Compile(CaseQuery), {}, [
    ['nothing', true, {}],
    ...CASE_STATUSES.map((status): Row => [`status ${status}`, true, { status }]),
    ['an unknown status', false, { status: 'closed' }],
    ['a limit of 1', true, { limit: 1 }],
    ['a limit of 100', true, { limit: 100 }],
    ['a limit of 0', false, { limit: 0 }],
    ['a limit of 101', false, { limit: 101 }],
    ['a fractional limit', false, { limit: 0.5 }],
    ['an offset of 0', true, { offset: 0 }],
    ['a negative offset', false, { offset: -1 }],
    ['an offset beyond the safe integers', false, { offset: 2 ** 53 }],
    ['a plain start date', true, { start_date: '2026-11-14' }],
    ['an end date with an offset', true, { end_date: '2026-11-14T09:30:00+02:00' }],
    ['a start date that does not exist', false, { start_date: '2026-02-30' }],
    ['an end date that is not a date', false, { end_date: 'tomorrow' }],
    ['an empty end date', false, { end_date: '' }],
  ]);
});
