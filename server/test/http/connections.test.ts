import { describe, expect, test } from 'vitest';
import { MAX_IN_PROGRESS, MAX_IN_PROGRESS_OF_STRANGER } from '../../src/http/connections.ts';
import { payment, type Service, startService } from '../fixtures/harness.ts';
import { get, openSocket, type RawSocket } from '../fixtures/raw-socket.ts';

const metric = async (service: Service, name: string): Promise<number> => {
  const headers = { authorization: `Bearer ${await service.key()}`, host: 'x' };
  const { payload } = await service.app.http.inject({ url: '/metrics', headers });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(payload)?.[1]);
};
const closedFor = (service: Service, reason: string): Promise<number> =>
  metric(service, `portcullis_connections_closed_total\\{reason="${reason}"\\}`);
const isOpen = ({ socket }: RawSocket): boolean => !socket.destroyed && !socket.readableEnded;

/** Sends a text again and again until the connection is closed. Returns how long that took. */
const trickle = async (connection: RawSocket, text: string): Promise<number> => {
  const startedAt = performance.now();
  const timer = setInterval(() => connection.send(text), 10);
  await connection.closed;
  clearInterval(timer);
  return performance.now() - startedAt;
};

describe('time limits', async () => {
  const REQUEST_MS = 300;
  const service = await startService({
    connectionTimes: { requestMs: REQUEST_MS, keepAliveMs: 1000, unreadMs: 700, checkMs: 20 },
  });
  const key = await service.key();
  const AUTH = `Authorization: Bearer ${key}\r\n`;
  const HEAD = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Type: application/json\r\n`;

  /** A connection that has sent a valid key, so that it may have as many responses in progress as the system cannot hold. */
  const openKnown = async (): Promise<RawSocket> => {
    const connection = await openSocket(service);
    connection.send(get('/v1/cases', AUTH));
    await connection.expectStatuses([200]);
    return connection;
  };

  const ENDLESS: readonly (readonly [name: string, begin: string, more: string])[] = [
    ['nothing', '', ''],
    ['empty lines', '', '\r\n'],
    ['a request line', 'GET /', 'x'],
    ['headers', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
    ['a body', `${HEAD}Content-Length: 5000\r\n\r\n`, ' '],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['a second request', `${get('/healthz')}GET /healthz HTTP/1.1\r\n`, 'X-A: b\r\n'],
  ];
  test('a client whose request does not end gets 408 and is disconnected', async () => {
    const attack = async ([name, begin, more]: (typeof ENDLESS)[number]): Promise<void> => {
      const connection = await openSocket(service);
      connection.send(begin);
      const tookMs = await trickle(connection, more);
      const statuses = name === 'a second request' ? [200, 408] : [408];
      expect([name, ...connection.statuses()]).toEqual([name, ...statuses]);
      expect(connection.received()).toContain('The request did not arrive in time.');
      expect(tookMs).toBeGreaterThan(REQUEST_MS / 2);
      // Far less than the 30 seconds between the checks of Node by default.
      expect(tookMs).toBeLessThan(10_000);
    };
    await Promise.all(ENDLESS.map(attack));
    // The clients never end their side of the connection.
    await expect.poll(() => metric(service, 'portcullis_connections')).toBe(0);
  });

  test('a client whose request was refused does not get a second response', async () => {
    const connection = await openSocket(service);
    connection.send('POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n');
    const tookMs = await trickle(connection, ' ');
    expect([connection.statuses(), tookMs > REQUEST_MS / 2]).toEqual([[401], true]);
    await expect.poll(() => metric(service, 'portcullis_connections')).toBe(0);
  });

  test('a connection without a request is closed, even if empty lines arrive', async () => {
    for (const text of ['', '\r\n']) {
      const before = await closedFor(service, 'silent');
      const connection = await openSocket(service);
      connection.send(get('/healthz'));
      await connection.expectStatuses([200]);
      const tookMs = await trickle(connection, text);
      expect([connection.statuses(), tookMs > 300]).toEqual([[200], true]);
      // Without any byte, the timer of Node may be first.
      if (text !== '') expect(await closedFor(service, 'silent')).toBe(before + 1);
    }
  });

  test('a connection in use stays open', async () => {
    const connection = await openSocket(service);
    for (let i = 1; i <= 6; i++) {
      connection.send(get('/healthz'));
      await connection.expectStatuses(Array.from({ length: i }, () => 200));
      await new Promise((done) => setTimeout(done, 200));
    }
    expect(isOpen(connection)).toBe(true);
    connection.socket.destroy();
  });

  test('a client that does not read its responses is disconnected', async () => {
    await service.call('GET', '/docs');
    const before = await closedFor(service, 'unread');
    const connections = await Promise.all(Array.from({ length: 5 }, openKnown));
    for (const { socket, send } of connections) {
      socket.pause();
      send(get('/docs').repeat(MAX_IN_PROGRESS));
    }
    await expect.poll(() => closedFor(service, 'unread')).toBe(before + 5);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });

  test('a client that reads a little now and then is disconnected', async () => {
    const before = await closedFor(service, 'unread');
    const { socket, send } = await openKnown();
    socket.pause();
    send(get('/docs').repeat(MAX_IN_PROGRESS));
    const timer = setInterval(() => socket.read(1), 10);
    await expect.poll(() => closedFor(service, 'unread')).toBe(before + 1);
    clearInterval(timer);
  });

  test('a client that reads large responses steadily is not', async () => {
    const connection = await openSocket(service);
    for (let i = 1; i <= 5; i++) {
      connection.send(get('/docs').repeat(3));
      await connection.expectStatuses(Array.from({ length: 3 * i }, () => 200));
    }
    expect(isOpen(connection)).toBe(true);
    connection.socket.destroy();
  });

  test('a screening whose client does not read is stored all the same', async () => {
    const body = JSON.stringify(payment({ user_id: 'unread' }));
    const connection = await openKnown();
    connection.socket.pause();
    connection.send(`${get('/docs').repeat(10)}${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
    await expect.poll(() => metric(service, 'portcullis_connections')).toBe(0);
    expect((await service.call('GET', '/v1/users/unread/risk-profile', { key })).json.transactions.count).toBe(1);
  });
});

describe('requests of one connection at a time', async () => {
  const service = await startService();
  const key = await service.key();

  test('as many as allowed are answered in order', async () => {
    const connection = await openSocket(service);
    const requests = Array.from({ length: MAX_IN_PROGRESS_OF_STRANGER }, (_, i) =>
      get(i % 2 === 0 ? '/healthz' : '/nowhere'),
    );
    const statuses = requests.map((_, i) => (i % 2 === 0 ? 200 : 404));
    for (let round = 1; round <= 3; round++) {
      connection.send(requests.join(''));
      await connection.expectStatuses(Array.from({ length: round }, () => statuses).flat());
    }
    expect(await closedFor(service, 'pipelined')).toBe(0);
    connection.socket.destroy();
  });

  test('more are not handled: the responses of those before are sent, and the connection closes', async () => {
    const connection = await openSocket(service);
    const body = JSON.stringify(payment({ user_id: 'pipelined' }));
    const screening = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    connection.send(get('/v1/cases', `Authorization: Bearer ${key}\r\n`));
    await connection.expectStatuses([200]);
    connection.send(screening.repeat(100));
    await connection.closed;
    expect(connection.statuses()).toEqual(Array.from({ length: 1 + MAX_IN_PROGRESS }, () => 200));
    expect(await closedFor(service, 'pipelined')).toBe(1);
    const profile = await service.call('GET', '/v1/users/pipelined/risk-profile', { key });
    expect(profile.json.transactions.count).toBe(MAX_IN_PROGRESS);
  });

  test('a flood of requests on many connections is not parsed, and does not stop health checks', async () => {
    let parsed = 0;
    const count = (): void => void parsed++;
    service.app.http.server.on('request', count);
    const flood = get('/docs').repeat(1000);
    const connections = await Promise.all(Array.from({ length: 20 }, () => openSocket(service)));
    for (const { send } of connections) send(flood);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
    await Promise.all(connections.map(({ closed }) => closed));
    for (const { statuses } of connections) expect(statuses().length).toBe(MAX_IN_PROGRESS_OF_STRANGER);
    service.app.http.server.off('request', count);
    expect(parsed).toBeLessThanOrEqual(connections.length * (MAX_IN_PROGRESS_OF_STRANGER + 1) + 1);
  });
});

describe('number of connections', () => {
  /** A connection that has answered once, so that the service has surely seen it. */
  const use = async (service: Service, headers = '', localAddress?: string): Promise<RawSocket> => {
    const connection = await openSocket(service, localAddress);
    connection.send(headers === '' ? get('/healthz') : get('/v1/cases', headers));
    await connection.expectStatuses([200]);
    return connection;
  };
  const openOnes = async (connections: readonly RawSocket[]): Promise<boolean[]> => {
    // A closed connection is known as such once a later one was answered.
    await new Promise((done) => setTimeout(done, 20));
    return connections.map(isOpen);
  };
  // Names a proxy elsewhere, so that this machine counts as a client.
  const NO_PROXY = { TRUSTED_PROXIES: '192.0.2.1/32' };

  test('of one address without a valid key is limited: a new one replaces the oldest', async () => {
    const service = await startService({ env: { ...NO_PROXY, MAX_CONNECTIONS_PER_ADDRESS: '3' } });
    const auth = `Authorization: Bearer ${await service.key()}\r\n`;
    const known = [
      await use(service, auth),
      await use(service, auth),
      await use(service, auth),
      await use(service, auth),
    ];
    const strangers = [await use(service), await use(service), await use(service)];
    expect(await openOnes(strangers)).toEqual([true, true, true]);
    strangers.push(await use(service), await use(service));
    expect(await openOnes(strangers)).toEqual([false, false, true, true, true]);
    expect(await openOnes(known)).toEqual([true, true, true, true]);
    expect(await closedFor(service, 'address_limit')).toBe(2);
    const others = [await use(service, '', '127.0.0.2'), await use(service, '', '127.0.0.2')];
    expect(await openOnes([...others, ...strangers.slice(2)])).toEqual([true, true, true, true, true]);
  });

  test('of a proxy is not limited', async () => {
    for (const env of [{}, { TRUSTED_PROXIES: '127.0.0.0/8' }]) {
      const service = await startService({ env: { ...env, MAX_CONNECTIONS_PER_ADDRESS: '2' } });
      const connections = [await use(service), await use(service), await use(service), await use(service)];
      expect(await openOnes(connections)).toEqual([true, true, true, true]);
    }
  });

  test('in all is limited: a new one replaces the oldest without a valid key, then the oldest that is idle', async () => {
    const service = await startService({ env: { MAX_CONNECTIONS: '4' } });
    const auth = `Authorization: Bearer ${await service.key()}\r\n`;
    const known = [await use(service, auth), await use(service, auth)];
    const strangers = [await use(service), await use(service), await use(service)];
    expect(await openOnes([...known, ...strangers])).toEqual([true, true, false, true, true]);
    known.push(await use(service, auth), await use(service, auth));
    expect(await openOnes([...known, ...strangers])).toEqual([true, true, true, true, false, false, false]);
    known.push(await use(service, auth));
    expect(await openOnes(known)).toEqual([false, true, true, true, true]);
    expect(await closedFor(service, 'total_limit')).toBe(4);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });

  test('in all is limited: while every connection is in use by a key, a new one is refused', async () => {
    const service = await startService({ env: { MAX_CONNECTIONS: '2' } });
    const key = await service.key();
    const body = JSON.stringify(payment());
    const head = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
    const busy = [
      await use(service, `Authorization: Bearer ${key}\r\n`),
      await use(service, `Authorization: Bearer ${key}\r\n`),
    ];
    for (const { send } of busy) send(head);
    for (const { expectStatuses } of busy) await expectStatuses([200, 100]);
    await (await openSocket(service)).closed;
    for (const { send } of busy) send(body);
    for (const { expectStatuses } of busy) await expectStatuses([200, 100, 200]);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });
});
