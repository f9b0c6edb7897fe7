import { describe, expect, test } from 'vitest';
import { client, fieldErrors, iso, type Json, makeClock, START, startService, unknownId } from '../fixtures/harness.ts';
import { isStored } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { get, post, delete: remove } = client(service, await service.key());
const hook = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  url: 'https://hooks.invalid/portcullis?a=b',
  events: ['case.created', 'case.resolved'],
  ...more,
});
const listed = async (): Promise<Json[]> => (await get('/v1/webhooks')).json.webhooks;
const TYPES = [
  'transaction.screened',
  'transaction.decision.block',
  'event.screened',
  'case.created',
  'case.resolved',
  'case.expired',
  'case.reopened',
  'decision.reviewed',
  'webhook.test',
];

describe('POST 201', () => {
  test('returns every field of the contract and no other', async () => {
    const { status, json } = await post('/v1/webhooks', hook({ label: 'Case queue' }));
    expect(status).toBe(201);
    expect(json).toEqual({
      webhook_id: expect.stringMatching(/^wh_[0-9a-hjkmnp-tv-z]{26}$/),
      url: 'https://hooks.invalid/portcullis?a=b',
      events: ['case.created', 'case.resolved'],
      label: 'Case queue',
      status: 'enabled',
      failing_since: null,
      previous_secret_until: null,
      created_at: iso(START),
      signing_secret: expect.any(String),
    });
  });

  test('returns a new signing secret each time: whsec_ and 32 bytes in base64', async () => {
    const secrets = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const { json } = await post('/v1/webhooks', hook());
      expect(json.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(json.signing_secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
      secrets.add(json.signing_secret);
    }
    expect(secrets.size).toBe(5);
  });

  test('returns the signing secret in no other response and stores it encrypted', async () => {
    const { json } = await post('/v1/webhooks', hook(), { 'Idempotency-Key': 'secret' });
    const bare = json.signing_secret.slice('whsec_'.length);
    const { text } = await get('/v1/webhooks');
    expect(text).not.toContain('whsec_');
    expect(text).not.toContain('signing_secret');
    for (const form of [
      bare,
      Buffer.from(bare, 'base64').toString('hex'),
      Buffer.from(bare, 'base64').toString('latin1'),
    ]) {
      expect(await isStored(service.dataDir, form)).toBe(false);
    }
    expect(service.logs.join('\n')).not.toContain(bare);
  });

  test.each(TYPES)('accepts %s as the only type', async (type) => {
    expect((await post('/v1/webhooks', hook({ events: [type] }))).json.events).toEqual([type]);
  });

  test('accepts all types at once', async () => {
    expect((await post('/v1/webhooks', hook({ events: TYPES }))).json.events).toEqual(TYPES);
  });

  test('accepts no label, null, and up to 200 characters', async () => {
    expect((await post('/v1/webhooks', hook())).json.label).toBeNull();
    expect((await post('/v1/webhooks', hook({ label: null }))).json.label).toBeNull();
    expect((await post('/v1/webhooks', hook({ label: '😀'.repeat(200) }))).json.label).toBe('😀'.repeat(200));
  });

  test('registers the same URL twice as two endpoints', async () => {
    const [one, two] = [(await post('/v1/webhooks', hook())).json, (await post('/v1/webhooks', hook())).json];
    expect(one.webhook_id).not.toBe(two.webhook_id);
    expect(one.signing_secret).not.toBe(two.signing_secret);
  });
});

describe('POST 400', () => {
  const ONE_OF = `must be one of ${TYPES.join(', ')}`;
  test.each([
    ['no url', { url: undefined }, { url: 'is required' }],
    ['a url that is null', { url: null }, { url: 'must be a string' }],
    ['plain http', { url: 'http://example.com/hook' }, { url: 'must begin with https://' }],
    ['another scheme', { url: 'ftp://example.com' }, { url: 'must begin with https://' }],
    ['a script', { url: 'javascript:alert(1)' }, { url: 'must begin with https://' }],
    ['no scheme', { url: 'example.com/hook' }, { url: expect.stringContaining('absolute URL') }],
    ['no host', { url: 'https://' }, { url: expect.stringContaining('absolute URL') }],
    ['credentials', { url: 'https://user:pass@example.com' }, { url: 'must not contain credentials' }],
    ['a user name', { url: 'https://user@example.com' }, { url: 'must not contain credentials' }],
    ['a fragment', { url: 'https://example.com/#here' }, { url: 'must not have a fragment' }],
    ['an empty fragment', { url: 'https://example.com/#' }, { url: 'must not have a fragment' }],
    ['a line break', { url: 'https://exam\nple.com' }, { url: expect.stringContaining('control characters') }],
    ['a space', { url: 'https://example.com/a b' }, { url: expect.stringContaining('spaces') }],
    [
      'a url of 2049 characters',
      { url: `https://example.com/${'x'.repeat(2029)}` },
      { url: 'must have at most 2048 characters' },
    ],
    ['no events', { events: undefined }, { events: 'is required' }],
    ['an empty list of events', { events: [] }, { events: 'must have at least 1 item' }],
    ['an event that does not exist', { events: ['case.created', 'case.closed'] }, { 'events.1': ONE_OF }],
    ['an event twice', { events: ['case.created', 'case.created'] }, { events: 'must not contain an item twice' }],
    ['events that are not a list', { events: 'case.created' }, { events: 'must be an array' }],
    ['a long label', { label: 'x'.repeat(201) }, { label: 'must have at most 200 characters' }],
    ['a label with a NUL', { label: '\0' }, { label: 'must be well-formed Unicode without NUL characters' }],
    ['a label that is not text', { label: 1 }, { label: 'must be a string' }],
    [
      'everything wrong at once',
      { url: 'http://example.com', events: [], label: 5 },
      { url: 'must begin with https://', events: 'must have at least 1 item', label: 'must be a string' },
    ],
  ])('refuses %s', async (_name, more, errors) => {
    const before = await listed();
    const reply = await post('/v1/webhooks', hook(more));
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual(errors);
    expect(await listed()).toEqual(before);
  });
});

describe('GET 200', () => {
  test('lists all endpoints of the account, without their secrets', async () => {
    const other = client(service, await service.key({ account: 'lister' }));
    expect((await other.get('/v1/webhooks')).json).toEqual({ webhooks: [] });
    const made: Json[] = [];
    for (let i = 0; i < 30; i++) {
      const { signing_secret: _, ...rest } = (await other.post('/v1/webhooks', hook({ label: `${i}` }))).json;
      made.push(rest);
    }
    const { json } = await other.get('/v1/webhooks');
    expect(Object.keys(json)).toEqual(['webhooks']);
    expect(json.webhooks).toEqual(made);
  });
});

describe('DELETE 204', () => {
  test('deletes this endpoint alone, with an empty response', async () => {
    const { json: one } = await post('/v1/webhooks', hook());
    const { json: two } = await post('/v1/webhooks', hook());
    const gone = await remove(`/v1/webhooks/${one.webhook_id}`);
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', null]);
    const ids = (await listed()).map(({ webhook_id }) => webhook_id);
    expect(ids).not.toContain(one.webhook_id);
    expect(ids).toContain(two.webhook_id);
  });
});

describe('DELETE 404', () => {
  test('a second deletion of an endpoint', async () => {
    const { json } = await post('/v1/webhooks', hook());
    expect((await remove(`/v1/webhooks/${json.webhook_id}`)).status).toBe(204);
    const again = await remove(`/v1/webhooks/${json.webhook_id}`);
    expect([again.status, again.json.error.code]).toEqual([404, 'not_found']);
  });

  test.each([unknownId('wh'), 'wh_', 'x', unknownId('key')])('an unknown id: %s', async (id) => {
    expect((await remove(`/v1/webhooks/${id}`)).status).toBe(404);
  });
});
