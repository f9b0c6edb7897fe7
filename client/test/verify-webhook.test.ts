import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WebhookType } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookVerificationError,
} from '../src/index.ts';
import { BODY, MESSAGE, OTHER_SECRET, SECRET, SENT, type Signed, signed } from './sign.ts';

const at = (seconds: number): VerifyWebhookOptions => ({ now: () => seconds * 1000 });
const verify = (
  headers: WebhookHeaders,
  body: string | Uint8Array = BODY,
  secret: string | readonly string[] = SECRET,
  options = at(SENT),
) => verifyWebhook(body, headers, secret, options);

/** The reason of the refusal, or undefined if the delivery was accepted. */
const reasonOf = async (outcome: Promise<unknown>): Promise<string | undefined> => {
  try {
    await outcome;
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.reason;
  }
};
const without = (headers: Signed, ...names: (keyof Signed)[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name as keyof Signed)));
const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

describe('a signed delivery', () => {
  test('is accepted as text and as bytes, and returned as sent', async () => {
    expect(await verify(signed(BODY))).toEqual(MESSAGE);
    expect(await verify(signed(BODY), new TextEncoder().encode(BODY))).toEqual(MESSAGE);
    expect(await verify(signed(BODY), Buffer.from(`..${BODY}..`).subarray(2, -2))).toEqual(MESSAGE);
  });

  test('is accepted with the headers of one scheme alone', async () => {
    expect(await verify(without(signed(BODY), ...STANDARD))).toEqual(MESSAGE);
    expect(await verify(without(signed(BODY), 'x-service-signature'))).toEqual(MESSAGE);
  });

  test('is accepted with headers as Headers, as an object in any letter case, from Node, and as a function', async () => {
    const headers = signed(BODY);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    const node: IncomingHttpHeaders = { host: 'localhost', 'set-cookie': ['a', 'b'], ...headers };
    for (const form of [new Headers(headers), shouted, node, (name: string) => headers[name as keyof Signed]]) {
      expect(await verify(form)).toEqual(MESSAGE);
    }
  });

  test('is verified byte by byte: reserialised JSON does not match', async () => {
    const body = `{ "type":"webhook.test", "data":{"a":1.0,"b":"\\u00eb"},"id":"msg_1",\n"timestamp":"","environment":"sandbox","api_version":"" }`;
    expect(await verify(signed(body), body)).toMatchObject({ data: { a: 1, b: 'ë' } });
    const again = JSON.stringify(JSON.parse(body));
    expect(await reasonOf(verify(signed(body), again))).toBe('no_match');
  });
});

describe('during the rotation of a secret', () => {
  test('a delivery with two signatures is accepted with either secret', async () => {
    const headers = signed(BODY, { secrets: [OTHER_SECRET, SECRET] });
    expect(await verify(headers, BODY, SECRET)).toEqual(MESSAGE);
    expect(await verify(headers, BODY, OTHER_SECRET)).toEqual(MESSAGE);
  });

  test('a receiver that knows both secrets accepts a delivery signed with either', async () => {
    for (const secret of [SECRET, OTHER_SECRET]) {
      expect(await verify(signed(BODY, { secrets: [secret] }), BODY, [OTHER_SECRET, SECRET])).toEqual(MESSAGE);
    }
  });

  test('signatures of unknown versions are ignored, but are not sufficient', async () => {
    const headers = signed(BODY);
    const later = {
      ...headers,
      'x-service-signature': `${headers['x-service-signature']},v2=later`,
      'webhook-signature': `v1a,later ${headers['webhook-signature']}`,
    };
    expect(await verify(later)).toEqual(MESSAGE);
    expect(await reasonOf(verify({ 'x-service-signature': `t=${SENT},v2=later` }))).toBe('malformed_signature');
  });
});

describe('a delivery is refused', () => {
  test('when it has no signature', async () => {
    expect(await reasonOf(verify({}))).toBe('missing_signature');
    expect(await reasonOf(verify(new Headers({ 'content-type': 'application/json' })))).toBe('missing_signature');
  });

  test('when the signature of one scheme is wrong, though that of the other is right', async () => {
    const right = signed(BODY);
    const wrong = signed(BODY, { secrets: [OTHER_SECRET] });
    const service = { 'x-service-signature': wrong['x-service-signature'] };
    const standard = { 'webhook-signature': wrong['webhook-signature'] };
    expect(await reasonOf(verify({ ...right, ...service }))).toBe('no_match');
    expect(await reasonOf(verify({ ...right, ...standard }))).toBe('no_match');
  });

  test.each(STANDARD)('when only %s of the Standard Webhooks headers is missing', async (name) => {
    expect(await reasonOf(verify(without(signed(BODY), name)))).toBe('malformed_signature');
  });

  test('when a header is present twice, in one spelling or in two', async () => {
    const headers = signed(BODY);
    const value = headers['x-service-signature'];
    expect(await reasonOf(verify({ ...headers, 'x-service-signature': [value, value] }))).toBe('malformed_signature');
    expect(await reasonOf(verify({ ...headers, 'X-Service-Signature': value }))).toBe('malformed_signature');
    expect(await reasonOf(verify({ ...headers, 'x-service-signature': `${value}, ${value}` }))).toBe(
      'malformed_signature',
    );
  });

  test('when a header exceeds the maximum length or number of parts', async () => {
    const headers = signed(BODY);
    const parts = `${headers['x-service-signature']}${',v0=1'.repeat(15)}`;
    const long = `${headers['webhook-signature']} v0,${'x'.repeat(1024)}`;
    expect(await reasonOf(verify({ ...headers, 'x-service-signature': parts }))).toBe('malformed_signature');
    expect(await reasonOf(verify({ ...headers, 'webhook-signature': long }))).toBe('malformed_signature');
  });

  test('when it is older or newer than the tolerance, to the second', async () => {
    const outcome = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(
        verify(signed(BODY), BODY, SECRET, {
          ...at(SENT + seconds),
          ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
        }),
      );
    expect(await outcome(300)).toBe(undefined);
    expect(await outcome(301)).toBe('too_old');
    expect(await outcome(-300)).toBe(undefined);
    expect(await outcome(-301)).toBe('too_new');
    expect(await outcome(11, 10)).toBe('too_old');
    expect(await outcome(0, Number.NaN)).toBe('too_old');
    expect(await outcome(Number.NaN)).toBe('too_old');
  });

  test('when the timestamp of one scheme is recent and that of the other is old', async () => {
    const old = signed(BODY, { at: SENT - 301 });
    expect(await reasonOf(verify({ ...old, 'x-service-signature': signed(BODY)['x-service-signature'] }))).toBe(
      'too_old',
    );
    expect(await reasonOf(verify({ ...signed(BODY), 'x-service-signature': old['x-service-signature'] }))).toBe(
      'too_old',
    );
  });

  test('with no_match when a forgery is old, so that too_old means that Portcullis sent it', async () => {
    expect(await reasonOf(verify(signed(BODY, { at: 1, secrets: [OTHER_SECRET] })))).toBe('no_match');
  });

  test.each(['', 'not JSON', 'null', '[]', '{}', BODY.replace('"data":{', '"dat":{'), BODY.replace('"msg_', '1,"')])(
    'when it is signed but not a message: %s',
    async (body) => {
      expect(await reasonOf(verify(signed(body), body))).toBe('malformed_body');
    },
  );

  test('when it is signed but not UTF-8', async () => {
    const body = Buffer.from(BODY.replace('Zoë', 'Zo\u00eb'), 'latin1');
    expect(await reasonOf(verify(signed(body), body))).toBe('malformed_body');
  });
});

describe('a mistake of the receiver is reported', () => {
  test('when the body is an already parsed object', async () => {
    expect(await reasonOf(verify(signed(BODY), MESSAGE as never))).toBe('malformed_body');
  });

  test.each([
    { secret: '' },
    { secret: 'whsec_' },
    { secret: 'whsec_c2hvcnQ=' },
    { secret: `${SECRET}\n` },
    { secret: SECRET.slice('whsec_'.length) },
    { secret: SECRET.slice(0, -1) },
    { secret: 'sk_test_0123456789abcdef' },
    { secret: [] },
    { secret: [SECRET, ''] },
    { secret: undefined as never },
  ])('when the secret is invalid, without quoting it: %j', async ({ secret }) => {
    const error = await verifyWebhook(BODY, signed(BODY), secret, at(SENT)).catch((error) => error);
    expect(error).toMatchObject({ name: 'WebhookVerificationError', reason: 'malformed_secret' });
    for (const part of [secret].flat()) {
      if (part) expect(error.message).not.toContain(part.replace('whsec_', '').trim() || '\n');
    }
  });
});

test('every message type of the contract has a TypeScript type', async () => {
  // Checked by the compiler: this does not compile if a type of the contract is missing.
  const covered: Exclude<WebhookType, WebhookMessage['type']> extends never ? true : false = true;
  expect(covered).toBe(true);
  const message = await verify(signed(BODY));
  if (message.type === 'transaction.screened') expect(message.data.transaction_id).toBe(MESSAGE.data.transaction_id);
});

test('the source runs without any installed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-client-'));
  try {
    cpSync(fileURLToPath(new URL('../src', import.meta.url)), folder, { recursive: true });
    const script = `import { verifyWebhook } from './index.ts';
      const [body, headers, secret, sent] = ${JSON.stringify([BODY, signed(BODY), SECRET, SENT])};
      console.log((await verifyWebhook(body, headers, secret, { now: () => sent * 1000 })).id);`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    expect(printed.toString().trim()).toBe(MESSAGE.id);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
