import { describe, expect, test } from 'vitest';
import { LOOPBACK_HOSTS, NOT_PUBLIC_HOSTS } from '../fixtures/forbidden-hosts.ts';
import { client, fieldErrors, type Service, startService } from '../fixtures/harness.ts';

const register = async (service: Service, host: string) =>
  client(service, await service.key()).post('/v1/webhooks', { url: `https://${host}/hook`, events: ['case.created'] });

// A service on a public address, one on loopback, and one with further allowed networks.
const open = await startService({ env: { HOST: '0.0.0.0' } });
const local = await startService();
const opened = await startService({
  env: { HOST: '0.0.0.0', WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16, fd12::/16,127.0.0.0/8' },
});

const PUBLIC = [
  'example.com',
  'example.com:8443',
  '8.8.8.8',
  '172.32.0.1',
  '11.0.0.1',
  '134744072',
  '[2606:4700::1111]',
  '[::ffff:8.8.8.8]',
  'xn--bcher-kva.example',
  'bücher.example',
  'localhost.example.com',
  '10.0.0.1.example.com',
  // Names only: their addresses are checked at delivery.
  'printer.local',
  'metadata.google.internal',
  'example.com.',
];

const expectRefused = async (service: Service, host: string): Promise<void> => {
  const reply = await register(service, host);
  expect([host, reply.status]).toEqual([host, 400]);
  expect(fieldErrors(reply)).toEqual({ url: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') });
};

describe('a service on a public address', () => {
  test.each([...LOOPBACK_HOSTS, ...NOT_PUBLIC_HOSTS])(
    'refuses https://%s and names the setting that allows it',
    async (host) => {
      await expectRefused(open, host);
    },
  );

  test.each(PUBLIC)('accepts https://%s', async (host) => {
    expect((await register(open, host)).status).toBe(201);
  });
});

describe('a service on loopback, the default', () => {
  test.each(LOOPBACK_HOSTS)('accepts https://%s, so that developers can try it at once', async (host) => {
    expect((await register(local, host)).status).toBe(201);
  });

  test.each(NOT_PUBLIC_HOSTS)('still refuses https://%s', async (host) => {
    await expectRefused(local, host);
  });

  test('still accepts only https', async () => {
    const api = client(local, await local.key());
    const reply = await api.post('/v1/webhooks', { url: 'http://127.0.0.1/hook', events: ['case.created'] });
    expect(fieldErrors(reply)).toEqual({ url: 'must begin with https://' });
  });
});

describe('a URL that cannot be called or is ambiguous', () => {
  test.each([
    ['example.com:0', 'must not have port 0'],
    ['127.0.0.1..', 'must have a host name without empty labels'],
    ['localhost..', 'must have a host name without empty labels'],
    ['.example.com', 'must have a host name without empty labels'],
    ['.', 'must have a host name without empty labels'],
    ['', 'must be an absolute URL such as https://example.com/hook'],
    ['example.com:65536', 'must be an absolute URL such as https://example.com/hook'],
    ['256.0.0.1', 'must be an absolute URL such as https://example.com/hook'],
    ['[fe80::1%25eth0]', 'must be an absolute URL such as https://example.com/hook'],
    ['[::ffff:0x7f.1]', 'must be an absolute URL such as https://example.com/hook'],
    ['127.0.0.1%00.example.com', 'must be an absolute URL such as https://example.com/hook'],
    ['example.com@10.0.0.1', 'must not contain credentials'],
    ['10.0.0.1:443@example.com', 'must not contain credentials'],
    ['10.0.0.1\t', 'must be a URL without spaces or control characters'],
  ])('https://%j is refused', async (host, message) => {
    expect(fieldErrors(await register(open, host))).toEqual({ url: message });
  });
});

describe('WEBHOOK_ALLOWED_NETWORKS', () => {
  test.each(['10.1.2.3', '[::ffff:10.1.2.3]', '[fd12:3456::1]', '127.0.0.1', 'localhost', '167837955'])(
    'opens %s',
    async (host) => {
      expect((await register(opened, host)).status).toBe(201);
    },
  );

  test.each(['10.2.0.1', '192.168.0.1', '[fd13::1]', '[::1]', '169.254.169.254'])('does not allow %s', async (host) => {
    await expectRefused(opened, host);
  });
});
