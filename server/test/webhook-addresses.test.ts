import { describe, expect, test } from 'vitest';
import { client, faultsOf, type Service, startService } from './harness.ts';

const register = async (service: Service, host: string) =>
  client(service, await service.key()).post('/v1/webhooks', { url: `https://${host}/hook`, events: ['case.created'] });

// One that others can reach, one that only this machine can, and one whose owner opened further networks.
const open = await startService({ env: { HOST: '0.0.0.0' } });
const local = await startService();
const opened = await startService({
  env: { HOST: '0.0.0.0', WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16, fd12::/16,127.0.0.0/8' },
});

const LOOPBACK = [
  '127.0.0.1',
  '127.0.0.1:8443',
  '127.255.255.254',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'api.localhost.',
  '１２７.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
];
const NOT_PUBLIC = [
  // Private.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '012.0.0.1',
  '167772161',
  '0xa.1',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '[::10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[2002:a00:1::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fdff:ffff::1]',
  // Link-local, and the metadata services of clouds.
  '169.254.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[fe80::1]',
  '[febf::1]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '192.0.0.192',
  // Otherwise not of the public internet.
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.2',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::ffff:0.0.0.0]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[100::1]',
  '[fec0::1]',
  '[64:ff9b:1::a00:1]',
];
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
];

const expectRefused = async (service: Service, host: string): Promise<void> => {
  const reply = await register(service, host);
  expect([host, reply.status]).toEqual([host, 400]);
  expect(faultsOf(reply)).toEqual({ url: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') });
};

describe('a server that others can reach', () => {
  test.each([...LOOPBACK, ...NOT_PUBLIC])(
    'refuses https://%s and names the setting that would open it',
    async (host) => {
      await expectRefused(open, host);
    },
  );

  test.each(PUBLIC)('takes https://%s', async (host) => {
    expect((await register(open, host)).status).toBe(201);
  });
});

describe('a server on loopback alone, the default', () => {
  test.each(LOOPBACK)('takes https://%s, so that one can try it at once', async (host) => {
    expect((await register(local, host)).status).toBe(201);
  });

  test.each(NOT_PUBLIC)('refuses https://%s all the same', async (host) => {
    await expectRefused(local, host);
  });

  test('still takes https alone', async () => {
    const api = client(local, await local.key());
    const reply = await api.post('/v1/webhooks', { url: 'http://127.0.0.1/hook', events: ['case.created'] });
    expect(faultsOf(reply)).toEqual({ url: 'must begin with https://' });
  });
});

describe('WEBHOOK_ALLOWED_NETWORKS', () => {
  test.each(['10.1.2.3', '[::ffff:10.1.2.3]', '[fd12:3456::1]', '127.0.0.1', 'localhost', '167837955'])(
    'opens %s',
    async (host) => {
      expect((await register(opened, host)).status).toBe(201);
    },
  );

  test.each(['10.2.0.1', '192.168.0.1', '[fd13::1]', '[::1]', '169.254.169.254'])('leaves %s closed', async (host) => {
    await expectRefused(opened, host);
  });
});
