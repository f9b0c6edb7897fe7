import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { payment, startService } from '../../server/test/harness.ts';
import { createClient, type PortcullisError, type TransactionRequest } from '../src/index.ts';
import { answered, makeWire } from './wire.ts';

const service = await startService();
const apiKey = await service.key();
const wire = await makeWire(service.url);
const client = createClient({ url: wire.url, apiKey, deadlineMs: 20_000, maxRetries: 0 });
const errorOf = (call: Promise<unknown>): Promise<PortcullisError> =>
  call.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  );

describe('secrets stay where they are', () => {
  const told = (value: unknown): string =>
    `${inspect(value, { depth: 20, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`;

  test('the client shows no key, and no error shows the key, the request or what came back', async () => {
    const secret = 'whsec_c2VjcmV0';
    const errors: PortcullisError[] = [];
    const body = payment({ email: 'ada@example.com' }) as unknown as TransactionRequest;
    for (const fault of [
      'refuse',
      'half',
      answered('200 OK', {}, `{"signing_secret":"${secret}`),
      { answer: `NOT HTTP ${secret}\r\n\r\n` },
    ] as const) {
      wire.next(fault);
      errors.push(await errorOf(client.transactions.screen(body)));
    }
    errors.push(await errorOf(createClient({ url: service.url, apiKey: `${apiKey}x` }).cases.list()));
    for (const value of [client, ...errors]) {
      for (const kept of [apiKey, secret, body.user_id, 'ada@']) expect(told(value)).not.toContain(kept);
    }
    expect(errors.map(({ code }) => code)).toEqual([
      'network_error',
      'network_error',
      'invalid_response',
      'network_error',
      'invalid_api_key',
    ]);
  });

  test.each([
    { url: 'fraud.example.com', apiKey: 'sk_test_1' },
    { url: '', apiKey: 'sk_test_1' },
    { url: 'ftp://fraud.example.com', apiKey: 'sk_test_1' },
    { url: 'https://ada:lovelace@fraud.example.com', apiKey: 'sk_test_1' },
    { url: 'https://fraud.example.com', apiKey: 'sk_test_secret\n' },
    { url: 'https://fraud.example.com', apiKey: '' },
    { url: 'https://fraud.example.com', apiKey: undefined as never },
  ])('a mistake in the settings is told at once, without quoting them: %j', (options) => {
    const make = (): unknown => createClient(options);
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/lovelace|secret\n|sk_test_secret/);
  });
});
