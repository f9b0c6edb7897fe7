import { describe, expect, test } from 'vitest';
import { client, payment, sendRaw, startService } from '../fixtures/harness.ts';
import { get, openSocket } from '../fixtures/raw-socket.ts';

const service = await startService();
const key = await service.key();
const other = await service.key({ account: 'other' });
const api = client(service, key);
const AUTH = `Authorization: Bearer ${key}\r\n`;
const body = JSON.stringify(payment());
const BODY = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('a header that counts once is refused if it is sent twice', () => {
  test.each([
    ['Host', `GET /v1/cases HTTP/1.1\r\nHost: x\r\nHost: y\r\n${AUTH}\r\n`],
    ['Host', `GET /v1/cases HTTP/1.1\r\nHost: x\r\nhOST: x\r\n${AUTH}\r\n`],
    ['Host', `GET /v1/cases HTTP/1.0\r\nHost: x\r\nHost: y\r\n${AUTH}\r\n`],
    ['Host', 'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['Host', 'GET /nowhere HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['Authorization', `GET /v1/cases HTTP/1.1\r\nHost: x\r\n${AUTH}Authorization: Bearer ${other}\r\n\r\n`],
    ['Authorization', `GET /v1/cases HTTP/1.1\r\nHost: x\r\n${AUTH}AUTHORIZATION: Bearer ${key}\r\n\r\n`],
    ['Authorization', `GET /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: \r\n${AUTH}\r\n`],
    ['Content-Type', `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Type: text/plain\r\n${BODY}`],
    [
      'Idempotency-Key',
      `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}Idempotency-Key: a\r\nIdempotency-Key: b\r\n${BODY}`,
    ],
  ])('%s (%#)', async (field, bytes) => {
    const { status, json } = await sendRaw(service, bytes);
    expect([status, json.error.code, json.error.details]).toEqual([
      400,
      'invalid_request',
      [{ field, message: 'must be sent once' }],
    ]);
  });
});

describe('a request whose end is unclear', () => {
  const smuggled = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}${BODY}`;
  test.each([
    ['an unknown coding', '/v1/events', 'HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
    ['a coding without chunks', '/v1/events', 'HTTP/1.1', 'Transfer-Encoding: xchunked'],
    ['a coding that is not the last', '/v1/events', 'HTTP/1.1', 'Transfer-Encoding: gzip, chunked'],
    ['chunks twice', '/v1/events', 'HTTP/1.1', 'Transfer-Encoding: chunked, chunked'],
    ['two headers', '/v1/events', 'HTTP/1.1', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['chunks in HTTP/1.0', '/v1/events', 'HTTP/1.0\r\nConnection: keep-alive', 'Transfer-Encoding: chunked'],
    ['a path that is not valid', '/v1/%zz', 'HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
    ['a path that does not exist', '/nowhere', 'HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
    ['a public page', '/healthz', 'HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
  ])('is 400, and nothing that follows is handled: %s', async (_name, path, version, header) => {
    const before = (await api.get('/metrics')).text.match(/portcullis_screenings_total\{.*/g);
    const connection = await openSocket(service);
    connection.send(
      `POST ${path} ${version}\r\nHost: x\r\n${AUTH}Content-Type: application/json\r\n${header}\r\n\r\n0\r\n\r\n${smuggled}${smuggled}`,
    );
    const received = await connection.closed;
    expect(connection.statuses()).toEqual([400]);
    // Node refuses some of them itself.
    expect(received).toMatch(/"field":"Transfer-Encoding"|This is not a valid HTTP request/);
    expect(received).toMatch(/^Connection: close\r$/m);
    expect((await api.get('/metrics')).text.match(/portcullis_screenings_total\{.*/g)).toEqual(before);
  });

  test.each([
    [
      'one that is unclear',
      [200, 200, 400],
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n',
    ],
    ['garbage', [200, 200], 'garbage\r\n\r\n'],
    [
      'a malformed body',
      [200, 200],
      `POST /v1/events HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    ],
  ])('does not lose or precede the responses of the requests before it: %s', async (_name, statuses, bytes) => {
    const connection = await openSocket(service);
    connection.send(get('/healthz') + get('/v1/cases', AUTH) + bytes + get('/healthz'));
    await connection.closed;
    expect(connection.statuses()).toEqual(statuses);
    expect(connection.received()).toMatch(/alive.*"cases":/s);
  });
});

test('chunks in capitals are chunks', async () => {
  const chunked = `Content-Type: application/json\r\nTransfer-Encoding: CHUNKED\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const { status } = await sendRaw(service, `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}${chunked}`);
  expect(status).toBe(200);
});

describe('a request that offers another protocol', () => {
  const UPGRADE = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n';
  test.each([
    ['a read', get('/healthz', UPGRADE)],
    ['a screening', `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\n${AUTH}${UPGRADE}${BODY}`],
    ['a request without a key', get('/v1/cases', `Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n`)],
  ])(
    'gets the last response of its connection, so that none is taken for that of another: %s',
    async (_name, bytes) => {
      const connection = await openSocket(service);
      connection.send(get('/healthz') + bytes + get('/healthz'));
      expect(await connection.closed).toMatch(/^Connection: close\r$/im);
      expect(connection.statuses()).toHaveLength(2);
    },
  );

  test('keeps its connection if the header is not for this hop', async () => {
    const connection = await openSocket(service);
    connection.send(get('/healthz', 'Upgrade: h2c\r\n') + get('/healthz'));
    await connection.expectStatuses([200, 200]);
  });
});
