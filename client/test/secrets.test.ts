import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startService } from '../../server/test/fixtures/harness.ts';
import { createClient, type PortcullisError } from '../src/index.ts';
import { forgedResponse, makeFaultyProxy } from './faulty-proxy.ts';
import { errorOf, pay } from './requests.ts';

const service = await startService();
const apiKey = await service.key();
const proxy = await makeFaultyProxy(service.url);
const client = createClient({ url: proxy.url, apiKey, deadlineMs: 20_000, maxRetries: 0 });

describe('secrets', () => {
  const printed = (value: unknown): string =>
    `${inspect(value, { depth: 20, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`;

  test('appear in neither the client nor its errors, nor do the request and the response', async () => {
    const secret = 'whsec_c2VjcmV0';
    const errors: PortcullisError[] = [];
    const body = pay({ email: 'ada@example.com' });
    for (const fault of [
      'refuse',
      'half',
      forgedResponse('200 OK', {}, `{"signing_secret":"${secret}`),
      { response: `NOT HTTP ${secret}\r\n\r\n` },
    ] as const) {
      proxy.next(fault);
      errors.push(await errorOf(client.transactions.screen(body)));
    }
    errors.push(await errorOf(createClient({ url: service.url, apiKey: `${apiKey}x` }).cases.list()));
    for (const value of [client, ...errors]) {
      for (const secretText of [apiKey, secret, body.user_id, 'ada@']) expect(printed(value)).not.toContain(secretText);
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
  ])('are not quoted by the error about invalid options: %j', (options) => {
    const make = (): unknown => createClient(options);
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/lovelace|secret\n|sk_test_secret/);
  });
});
