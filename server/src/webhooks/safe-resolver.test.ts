import { afterAll, describe, expect, test } from 'vitest';
import { LOOPBACK_HOSTS, NOT_PUBLIC_ADDRESSES, NOT_PUBLIC_HOSTS } from '../../test/fixtures/forbidden-hosts.ts';
import { startReceiver } from '../../test/fixtures/receiver.ts';
import type { AddressRules } from './address-policy.ts';
import { makeSender } from './send.ts';

const NAME = 'hooks.example.com';
const REFUSED = `The host name ${NAME} resolves to an address that is not public. To allow it, add its network to the setting WEBHOOK_ALLOWED_NETWORKS.`;
const PUBLIC_ONLY: AddressRules = { allowLoopback: false, allowedNetworks: [] };
/** Only the receiver's address is allowed; it stands for the public internet. */
const RECEIVER_ONLY: AddressRules = { allowLoopback: false, allowedNetworks: ['127.0.0.1/32'] };

const receiver = await startReceiver();
const closing: (() => Promise<void>)[] = [receiver.close];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A sender whose name server returns these answers in turn, and then repeats the last one. */
const startSender = (rules: AddressRules, ...answers: string[][]) => {
  const lookups: string[] = [];
  const sender = makeSender({
    rules,
    ca: receiver.ca,
    lookup: (name, _options, done) => {
      const answer = answers[Math.min(lookups.length, answers.length - 1)] ?? [];
      lookups.push(name);
      setImmediate(
        done,
        null,
        answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
  closing.push(sender.close);
  // The receiver closes the connection after each response, so that each attempt resolves the name.
  const send = async (name = NAME) => sender.send(`https://${name}:${receiver.port}/close`, {}, '{}');
  return { lookups, send };
};

/** The result of `attempt`, and the number of connections it made to the receiver. */
const countConnections = async <T>(attempt: () => Promise<T>): Promise<[T, number]> => {
  const before = receiver.connections();
  return [await attempt(), receiver.connections() - before];
};

describe('a name', () => {
  test.each(NOT_PUBLIC_ADDRESSES)('that resolves to %j is not called', async (address) => {
    const { send } = startSender(PUBLIC_ONLY, [address]);
    expect(await send()).toMatchObject({ httpStatus: null, error: REFUSED });
  });

  test('that resolves to an allowed address is called there', async () => {
    const { send } = startSender(RECEIVER_ONLY, ['127.0.0.1']);
    expect(await countConnections(send)).toMatchObject([{ httpStatus: 200, error: null }, 1]);
    expect(receiver.received.at(-1)?.headers.host).toBe(`${NAME}:${receiver.port}`);
  });

  test('that becomes private later is resolved again and refused at the later attempt', async () => {
    const { lookups, send } = startSender(RECEIVER_ONLY, ['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']);
    expect((await send()).error).toBeNull();
    expect(await countConnections(send)).toMatchObject([{ error: REFUSED }, 0]);
    expect(await countConnections(send)).toMatchObject([{ error: REFUSED }, 0]);
    expect((await send()).error).toBeNull();
    // One lookup per attempt: no second lookup could return an unchecked address.
    expect(lookups).toEqual([NAME, NAME, NAME, NAME]);
  });

  test.each([
    [['127.0.0.1', '10.0.0.1']],
    [['10.0.0.1', '127.0.0.1']],
    [['127.0.0.1', '::1']],
    [['127.0.0.1', '::ffff:127.0.0.2']],
    [['127.0.0.1', 'fe80::1%lo']],
  ])('with one forbidden address among several (%j) is not called at any', async (addresses) => {
    const { send } = startSender(RECEIVER_ONLY, addresses);
    expect(await countConnections(send)).toMatchObject([{ error: REFUSED }, 0]);
  });

  test('without addresses could not be resolved', async () => {
    const { send } = startSender(PUBLIC_ONLY, []);
    expect((await send()).error).toBe(`The host name ${NAME} could not be resolved.`);
  });

  test('that does not exist could not be resolved', async () => {
    const sender = makeSender({ rules: PUBLIC_ONLY, ca: undefined });
    closing.push(sender.close);
    expect((await sender.send('https://nowhere.invalid/hook', {}, '{}')).error).toBe(
      'The host name nowhere.invalid could not be resolved.',
    );
  });

  test('may end with a dot, which the TLS server name omits', async () => {
    const { send } = startSender(RECEIVER_ONLY, ['127.0.0.1']);
    expect((await send(`${NAME}.`)).error).toBeNull();
    expect(receiver.received.at(-1)?.servername).toBe(NAME);
  });

  test('is looked up once for connections made at the same time', async () => {
    const { lookups, send } = startSender(RECEIVER_ONLY, ['127.0.0.1']);
    const sent = await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(sent.map((exchange) => exchange.error)).toEqual(new Array(10).fill(null));
    expect(lookups).toEqual([NAME]);
  });

  test('for this machine is never looked up', async () => {
    const { lookups, send } = startSender({ allowLoopback: true, allowedNetworks: [] }, ['10.0.0.1']);
    expect((await send('localhost')).error).toBeNull();
    expect((await send('api.localhost')).error).toBeNull();
    expect(lookups).toEqual([]);
  });
});

describe('a URL that must not be called', () => {
  const sender = makeSender({ rules: PUBLIC_ONLY, ca: undefined });
  closing.push(sender.close);

  // Checked at each attempt too: the allowed networks may have changed since the registration.
  test.each([...LOOPBACK_HOSTS, ...NOT_PUBLIC_HOSTS])('https://%s', async (host) => {
    expect(await sender.send(`https://${host}/hook`, {}, '{}')).toEqual({
      httpStatus: null,
      tookMs: 0,
      error: expect.stringMatching(/^The URL must be a public address: .* WEBHOOK_ALLOWED_NETWORKS\.$/),
    });
  });

  test.each(['http://example.com', 'https://a:b@example.com', 'file:///etc/passwd', 'nonsense', ''])(
    '%j',
    async (url) => {
      expect((await sender.send(url, {}, '{}')).error).toMatch(/^The URL must .*\.$/);
    },
  );
});
