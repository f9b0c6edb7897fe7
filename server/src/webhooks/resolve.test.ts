import { afterAll, describe, expect, test } from 'vitest';
import { LOOPBACK_HOSTS, NOT_PUBLIC_ADDRESSES, NOT_PUBLIC_HOSTS } from '../../test/forbidden-hosts.ts';
import { startReceiver } from '../../test/receiver.ts';
import type { AddressRules } from './address.ts';
import { makeSender } from './send.ts';

const NAME = 'hooks.example.com';
const REFUSED = `The name ${NAME} resolves to an address that is not public; the setting WEBHOOK_ALLOWED_NETWORKS opens further networks.`;
const PUBLIC_ONLY: AddressRules = { allowLoopback: false, allowedNetworks: [] };
/** The one address of this machine where the receiver stands is open; it plays the public internet. */
const RECEIVER_ONLY: AddressRules = { allowLoopback: false, allowedNetworks: ['127.0.0.1/32'] };

const receiver = await startReceiver();
const closing: (() => Promise<void>)[] = [receiver.close];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A sender whose name server gives these answers, one after the other, and then the last one again. */
const ask = (rules: AddressRules, ...answers: string[][]) => {
  const asked: string[] = [];
  const sender = makeSender({
    rules,
    ca: receiver.ca,
    lookup: (name, _options, done) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(name);
      setImmediate(
        done,
        null,
        answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
  closing.push(sender.close);
  // The receiver closes the connection after each answer, so that each attempt has to resolve the name.
  const send = async (name = NAME) => sender.send(`https://${name}:${receiver.port}/close`, {}, '{}');
  return { asked, send };
};

/** What `attempt` returned, and how many connections it made to the receiver. */
const connecting = async <T>(attempt: () => Promise<T>): Promise<[T, number]> => {
  const before = receiver.connections();
  return [await attempt(), receiver.connections() - before];
};

describe('a name', () => {
  test.each(NOT_PUBLIC_ADDRESSES)('that resolves to %j is not called', async (address) => {
    const { send } = ask(PUBLIC_ONLY, [address]);
    expect(await send()).toMatchObject({ httpStatus: null, error: REFUSED });
  });

  test('that resolves to an allowed address is called there', async () => {
    const { send } = ask(RECEIVER_ONLY, ['127.0.0.1']);
    expect(await connecting(send)).toMatchObject([{ httpStatus: 200, error: null }, 1]);
    expect(receiver.received.at(-1)?.headers.host).toBe(`${NAME}:${receiver.port}`);
  });

  test('that is public when it is first resolved and private later is resolved and refused at the later attempt', async () => {
    const { asked, send } = ask(RECEIVER_ONLY, ['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']);
    expect((await send()).error).toBeNull();
    expect(await connecting(send)).toMatchObject([{ error: REFUSED }, 0]);
    expect(await connecting(send)).toMatchObject([{ error: REFUSED }, 0]);
    expect((await send()).error).toBeNull();
    // Asked once for each attempt: there is no second question whose answer would go unchecked.
    expect(asked).toEqual([NAME, NAME, NAME, NAME]);
  });

  test.each([
    [['127.0.0.1', '10.0.0.1']],
    [['10.0.0.1', '127.0.0.1']],
    [['127.0.0.1', '::1']],
    [['127.0.0.1', '::ffff:127.0.0.2']],
    [['127.0.0.1', 'fe80::1%lo']],
  ])('with one forbidden address among several (%j) is not called at any', async (addresses) => {
    const { send } = ask(RECEIVER_ONLY, addresses);
    expect(await connecting(send)).toMatchObject([{ error: REFUSED }, 0]);
  });

  test('that resolves to nothing is told as one that could not be resolved', async () => {
    const { send } = ask(PUBLIC_ONLY, []);
    expect((await send()).error).toBe(`The name ${NAME} could not be resolved.`);
  });

  test('that does not exist is told as one that could not be resolved', async () => {
    const sender = makeSender({ rules: PUBLIC_ONLY, ca: undefined });
    closing.push(sender.close);
    expect((await sender.send('https://nowhere.invalid/hook', {}, '{}')).error).toBe(
      'The name nowhere.invalid could not be resolved.',
    );
  });

  test('may end with a dot, which its certificate does not have', async () => {
    const { send } = ask(RECEIVER_ONLY, ['127.0.0.1']);
    expect((await send(`${NAME}.`)).error).toBeNull();
    expect(receiver.received.at(-1)?.servername).toBe(NAME);
  });

  test('is asked for once by connections that are made at the same time', async () => {
    const { asked, send } = ask(RECEIVER_ONLY, ['127.0.0.1']);
    const sent = await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(sent.map((exchange) => exchange.error)).toEqual(new Array(10).fill(null));
    expect(asked).toEqual([NAME]);
  });

  test('for this machine is not asked for at all', async () => {
    const { asked, send } = ask({ allowLoopback: true, allowedNetworks: [] }, ['10.0.0.1']);
    expect((await send('localhost')).error).toBeNull();
    expect((await send('api.localhost')).error).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe('a URL that must not be called', () => {
  const sender = makeSender({ rules: PUBLIC_ONLY, ca: undefined });
  closing.push(sender.close);

  // Checked at each attempt too: the networks that are open may have changed since it was registered.
  test.each([...LOOPBACK_HOSTS, ...NOT_PUBLIC_HOSTS])('https://%s', async (host) => {
    expect(await sender.send(`https://${host}/hook`, {}, '{}')).toEqual({
      httpStatus: null,
      tookMs: 0,
      error: expect.stringMatching(/^The URL must be a public address: .* WEBHOOK_ALLOWED_NETWORKS .*\.$/),
    });
  });

  test.each(['http://example.com', 'https://a:b@example.com', 'file:///etc/passwd', 'nonsense', ''])(
    '%j',
    async (url) => {
      expect((await sender.send(url, {}, '{}')).error).toMatch(/^The URL must .*\.$/);
    },
  );
});
