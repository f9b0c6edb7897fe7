import { execFile } from 'node:child_process';
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { BEHAVIOURS, startReceiver, startTcpReceiver } from '../../test/fixtures/receiver.ts';
import { makeSender, type SenderOptions } from './send.ts';

const LIMIT_MS = 400;
/** Generous for a busy machine, and far below the duration without a limit. */
const LIMIT_AND_SLACK_MS = LIMIT_MS + 2_000;
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'webhook-id': 'msg_1' };
const BODY = '{"name":"Žofia 🦊"}';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

const run = promisify(execFile);
const receiver = await startReceiver();
const mute = await startTcpReceiver();
const closing: (() => Promise<void>)[] = [receiver.close, mute.close];
afterAll(() => Promise.all(closing.map((close) => close())));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const start = (options: Partial<SenderOptions> = {}) => {
  const sender = makeSender({ rules: { allowLoopback: true, allowedNetworks: [] }, ca: receiver.ca, ...options });
  closing.push(sender.close);
  return sender;
};
const sender = start();
const hasty = start({ limitMs: LIMIT_MS });
/** Longer than a test runs: an exchange that waited for a hanging one would never end. */
const PATIENT = { limitMs: 600_000 };

/** A connection takes the next request one or two event loop turns after a response. */
const waitForTurns = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
};

describe('the response of a receiver', () => {
  test('2xx counts as delivered; headers and body arrive unchanged', async () => {
    const before = receiver.received.length;
    expect(await sender.send(`${receiver.url}/hook?a=%20b`, HEADERS, BODY)).toEqual({
      httpStatus: 204,
      tookMs: expect.any(Number),
      error: null,
    });
    const [got] = receiver.received.slice(before);
    expect(got?.path).toBe('/hook?a=%20b');
    expect(got?.body).toEqual(Buffer.from(BODY));
    // TLS sends no server name for an address.
    expect(got?.servername).toBe(false);
    expect(got?.headers).toEqual({
      ...HEADERS,
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(BODY)),
    });
  });

  test.each([
    ['/ok', 200, null],
    ['/500', 500, 'The endpoint returned 500.'],
    ['/410', 410, 'The endpoint returned 410.'],
    ['/redirect', 302, 'The endpoint returned 302. Redirects are not followed: register the final URL.'],
    ['/garbage', null, 'The response is not valid HTTP.'],
    ['/reset', null, 'The connection was closed before the response was complete.'],
    ['/cut', 200, 'The connection was closed before the response was complete.'],
    ['/cut-chunk', 200, 'The connection was closed before the response was complete.'],
    ['/endless', 200, null],
    ['/endless-500', 500, 'The endpoint returned 500.'],
  ])('%s', async (path, httpStatus, error) => {
    const before = receiver.received.length;
    expect(await sender.send(receiver.url + path, HEADERS, BODY)).toMatchObject({ httpStatus, error });
    // Neither retried nor followed.
    expect(receiver.received.slice(before).map((got) => got.path)).toEqual([path]);
  });

  test('a body beyond 64 KiB is not read to the end: the connection is closed', async () => {
    const cut = Promise.withResolvers<void>();
    const flood = await startReceiver((got, response, reset) => {
      response.on('close', cut.resolve);
      BEHAVIOURS['/endless']?.(got, response, reset);
    });
    closing.push(flood.close);
    expect((await sender.send(flood.url, HEADERS, BODY)).error).toBeNull();
    await cut.promise;
  });

  test('a body of exactly 64 KiB leaves the connection usable', async () => {
    const exact = await startReceiver((_got, response) => response.writeHead(200).end(Buffer.alloc(64 * 1024)));
    closing.push(exact.close);
    for (let i = 0; i < 3; i++) {
      expect((await sender.send(exact.url, HEADERS, BODY)).error).toBeNull();
      await waitForTurns();
    }
    expect(exact.connections()).toBe(1);
  });
});

describe('the time limit covers the whole exchange', () => {
  test.each([
    ['no response', '/hang', null],
    ['an announcement without a response', '/announce', null],
    ['a body that trickles', '/trickle', 200],
    ['headers that trickle', '/trickle-headers', null],
  ])('%s', async (_name, path, httpStatus) => {
    const exchange = await hasty.send(receiver.url + path, HEADERS, BODY);
    expect(exchange).toMatchObject({ httpStatus, error: 'Timed out: no complete response within 0.4 s.' });
    expect(exchange.tookMs).toBeGreaterThanOrEqual(LIMIT_MS - 5);
    expect(exchange.tookMs).toBeLessThan(LIMIT_AND_SLACK_MS);
  });

  test('closes the connection of an exchange that timed out', async () => {
    const cut = Promise.withResolvers<void>();
    const hanging = await startReceiver((_got, response) => response.on('close', cut.resolve));
    closing.push(hanging.close);
    await hasty.send(hanging.url, HEADERS, BODY);
    await cut.promise;
  });

  test('TCP that never becomes TLS', async () => {
    const exchange = await hasty.send(mute.url, HEADERS, BODY);
    expect(exchange).toMatchObject({ httpStatus: null, error: 'Timed out: no complete response within 0.4 s.' });
    expect(exchange.tookMs).toBeLessThan(LIMIT_AND_SLACK_MS);
  });

  test('a name server that never answers', async () => {
    const waiting = start({ limitMs: LIMIT_MS, lookup: () => {} });
    const exchange = await waiting.send('https://hooks.example.com', HEADERS, BODY);
    expect(exchange).toMatchObject({ httpStatus: null, error: 'Timed out: no complete response within 0.4 s.' });
    expect(exchange.tookMs).toBeLessThan(LIMIT_AND_SLACK_MS);
  });

  test('sends nothing over a connection made after the limit', async () => {
    const resolved = Promise.withResolvers<void>();
    const late = start({
      limitMs: LIMIT_MS,
      lookup: (_name, _options, done) => resolved.promise.then(() => done(null, [{ address: '127.0.0.1', family: 4 }])),
    });
    const quiet = await startReceiver();
    closing.push(quiet.close);
    const url = `https://hooks.example.com:${quiet.port}`;
    // The second exchange is queued behind the first and starts after the first timed out.
    expect((await late.send(`${url}/late`, HEADERS, BODY)).error).toBe('Timed out: no complete response within 0.4 s.');
    const next = late.send(`${url}/next`, HEADERS, BODY);
    resolved.resolve();
    expect((await next).error).toBeNull();
    expect(quiet.received.map((got) => got.path)).toEqual(['/next']);
  });

  test('hanging receivers do not delay other origins', async () => {
    const patient = start(PATIENT);
    const hanging = Array.from({ length: 200 }, () => patient.send(`${receiver.url}/hang`, HEADERS, BODY));
    hanging.push(...Array.from({ length: 50 }, () => patient.send(mute.url, HEADERS, BODY)));
    const healthy = await startReceiver();
    closing.push(healthy.close);
    const sent = await Promise.all(Array.from({ length: 50 }, () => patient.send(healthy.url, HEADERS, BODY)));
    expect(sent.map((exchange) => exchange.error)).toEqual(new Array(50).fill(null));
    await patient.close();
    expect(new Set((await Promise.all(hanging)).map((exchange) => exchange.error))).toEqual(
      new Set(['The sender was stopped.']),
    );
  });
});

describe('the connection', () => {
  test('a port without a listener', async () => {
    const gone = await startTcpReceiver();
    await gone.close();
    expect((await sender.send(gone.url, HEADERS, BODY)).error).toBe('The connection was refused.');
  });

  test('a receiver without TLS', async () => {
    const plain = await startTcpReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    closing.push(plain.close);
    expect((await sender.send(plain.url, HEADERS, BODY)).error).toBe('The endpoint does not use TLS on this port.');
  });

  test('refuses an untrusted certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const strict = start({ ca: undefined });
    expect((await strict.send(`${receiver.url}/ok`, HEADERS, BODY)).error).toBe(
      'The certificate was rejected: it is self-signed.',
    );
  });

  test('trusts a private CA in addition to the default ones', async () => {
    const defaults = getCACertificates('default');
    setDefaultCACertificates([receiver.ca]);
    const both = start({ ca: rootCertificates[0] });
    setDefaultCACertificates(defaults);
    expect((await both.send(`${receiver.url}/ok`, HEADERS, BODY)).error).toBeNull();
  });

  test('refuses a certificate for another host name', async () => {
    const astray = start({ lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) });
    expect((await astray.send(`https://other.example.com:${receiver.port}/ok`, HEADERS, BODY)).error).toBe(
      'The certificate was rejected: it is for another host name.',
    );
  });

  test('ignores proxy environment variables', async () => {
    const proxy = await startTcpReceiver((socket) => socket.destroy());
    closing.push(proxy.close);
    const address = `http://127.0.0.1:${proxy.port}`;
    // Node reads some of them only at process start.
    const script = `
      import { readFileSync } from 'node:fs';
      import { makeSender } from ${JSON.stringify(import.meta.resolve('./send.ts'))};
      const ca = readFileSync(${JSON.stringify(receiver.caFile)}, 'utf8');
      const sender = makeSender({ rules: { allowLoopback: true, allowedNetworks: [] }, ca });
      console.log((await sender.send('${receiver.url}/ok', {}, '{}')).httpStatus);
      await sender.close();`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: {
        ...Object.fromEntries(
          PROXY_VARIABLES.flatMap((name) => [
            [name, address],
            [name.toLowerCase(), address],
          ]),
        ),
        NODE_USE_ENV_PROXY: '1',
      },
    });
    expect(stdout).toBe('200\n');
    expect(proxy.connections()).toBe(0);
  });

  test('an invalid header is an error without its value, not an exception', async () => {
    expect((await sender.send(`${receiver.url}/ok`, { 'x-a': 'secret\r\nx-b: c' }, BODY)).error).toBe(
      'The request failed: UND_ERR_INVALID_ARG.',
    );
  });
});

describe('connections', () => {
  test('are reused', async () => {
    const own = await startReceiver();
    closing.push(own.close);
    for (let i = 0; i < 20; i++) {
      await sender.send(`${own.url}/ok`, HEADERS, BODY);
      await waitForTurns();
    }
    expect(own.received).toHaveLength(20);
    expect(own.connections()).toBe(1);
  });

  test('are not limited by hanging ones of the same origin', async () => {
    const own = await startReceiver();
    closing.push(own.close);
    const patient = start(PATIENT);
    for (let i = 0; i < 200; i++) void patient.send(`${own.url}/hang`, HEADERS, BODY);
    expect((await patient.send(`${own.url}/ok`, HEADERS, BODY)).error).toBeNull();
  });

  test('live at most a minute, however busy, so that a DNS change is followed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const own = await startReceiver();
    closing.push(own.close);
    let lookups = 0;
    const fresh = start({
      lookup: (_name, _options, done) => {
        lookups++;
        done(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    const at = async (ms: number): Promise<number> => {
      vi.advanceTimersByTime(ms);
      expect((await fresh.send(`https://hooks.example.com:${own.port}/ok`, HEADERS, BODY)).error).toBeNull();
      await waitForTurns();
      return lookups;
    };
    expect(await at(0)).toBe(1);
    // Each step is shorter than the keep-alive of an idle connection.
    for (let second = 1; second < 60; second++) expect(await at(1_000)).toBe(1);
    expect(await at(1_000)).toBe(2);
    expect(own.connections()).toBe(2);
  });

  test('close with the sender, including those still being made', async () => {
    const silent = await startTcpReceiver();
    closing.push(silent.close);
    const own = start();
    const sent = own.send(silent.url, HEADERS, BODY);
    await vi.waitFor(() => expect(silent.open()).toBe(1));
    await own.close();
    expect((await sent).error).toBe('The sender was stopped.');
    await vi.waitFor(() => expect(silent.open()).toBe(0));
    expect((await own.send(silent.url, HEADERS, BODY)).error).toBe('The URL was not called: the sender was stopped.');
  });
});
