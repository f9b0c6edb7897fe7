import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '../src/index.ts';
import { BODY, MESSAGE, SECRET, SENT, signed } from './sign.ts';

const isAccepted = async (body: string | Uint8Array, headers: WebhookHeaders): Promise<boolean> => {
  try {
    await verifyWebhook(body, headers, SECRET, { now: () => SENT * 1000 });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookVerificationError);
    return false;
  }
};

/** The text with one character changed. */
const changed = (text: string) =>
  fc
    .tuple(fc.nat(text.length - 1), fc.integer({ min: 0x20, max: 0x7e }))
    .map(([at, code]) => text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1))
    .filter((other) => other !== text);

const service = { 'x-service-signature': signed(BODY)['x-service-signature'] };
const { 'x-service-signature': _, ...standard } = signed(BODY);
const schemes = [
  ['X-Service-Signature', service],
  ['Standard Webhooks', standard],
] as const;

describe.each(schemes)('with %s', (_name, headers) => {
  test('any signed message is accepted and returned unchanged', async () => {
    const message = fc.record({
      id: fc.constant(MESSAGE.id),
      type: fc.constant('case.created'),
      timestamp: fc.string(),
      environment: fc.string(),
      api_version: fc.string(),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    await fc.assert(
      fc.asyncProperty(message, async (sent) => {
        const body = JSON.stringify(sent);
        const both = signed(body);
        const own = Object.fromEntries(Object.keys(headers).map((name) => [name, both[name as keyof typeof both]]));
        const back = await verifyWebhook(body, own, SECRET, { now: () => SENT * 1000 });
        expect(back).toEqual(JSON.parse(body));
      }),
    );
  });

  test('a body with a changed, missing or added byte is refused', async () => {
    const bytes = Buffer.from(BODY);
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, mask]) => {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] as number) ^ mask;
        expect(await isAccepted(flipped, headers)).toBe(false);
        expect(await isAccepted(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]), headers)).toBe(false);
        expect(await isAccepted(Buffer.concat([bytes, Buffer.from([mask])]), headers)).toBe(false);
      }),
    );
  });

  test.each(Object.entries(headers))('a changed character of %s is refused', async (name, value) => {
    await fc.assert(
      fc.asyncProperty(changed(value), async (other) => {
        expect(await isAccepted(BODY, { ...headers, [name]: other })).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

test('hostile headers are refused with a WebhookVerificationError', async () => {
  const piece = fc.constantFrom(
    't=',
    'v1=',
    'v1,',
    ',',
    ' ',
    '=',
    '.',
    '1794650000',
    'a'.repeat(64),
    '\0',
    '__proto__',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.array(fc.string()),
    fc.anything(),
  );
  const name = fc.oneof(fc.constantFrom(...Object.keys(signed(BODY)), 'X-Service-Signature', 'get'), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), async (headers) => {
      // A function under `get` would pass for `Headers`. No request can cause this.
      if (typeof headers.get === 'function') return;
      expect(await isAccepted(BODY, headers as WebhookHeaders)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
