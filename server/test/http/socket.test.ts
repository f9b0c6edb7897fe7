import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { payment, sendRaw, startService } from '../fixtures/harness.ts';

const service = await startService();
const key = await service.key();
const AUTH = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
const body = JSON.stringify(payment());

// `sendRaw` checks that every error is the error object, with request id and version.
describe('bytes that never become a request get the error object', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['binary garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
    ['a method that does not exist', `BREW /v1/cases HTTP/1.1\r\n${AUTH}\r\n`, 400],
    ['a version that does not exist', `GET /v1/cases HTTP/9.9\r\n${AUTH}\r\n`, 400],
    ['a header without a colon', `GET /v1/cases HTTP/1.1\r\n${AUTH}nonsense\r\n\r\n`, 400],
    ['a header with a space in its name', `GET /v1/cases HTTP/1.1\r\n${AUTH}a b: c\r\n\r\n`, 400],
    ['no Host', 'GET /v1/cases HTTP/1.1\r\n\r\n', 400],
    ['a length that is not a number', `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Length: x\r\n\r\n`, 400],
    ['a negative length', `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Length: -1\r\n\r\n`, 400],
    ['two lengths', `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    [
      'a length and chunks',
      `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a malformed chunk',
      `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      400,
    ],
    ['one header that is too long', `GET /v1/cases HTTP/1.1\r\n${AUTH}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'too many headers',
      `GET /v1/cases HTTP/1.1\r\n${AUTH}${Array.from({ length: 2000 }, (_, i) => `x-${i}: some text\r\n`).join('')}\r\n`,
      431,
    ],
    ['a path that is too long', `GET /v1/cases?${'a'.repeat(20_000)} HTTP/1.1\r\n${AUTH}\r\n`, 431],
    ['HTTP/0.9', 'GET /v1/cases\r\n\r\n', 401],
    ['an unknown expectation', 'GET /v1/cases HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n', 401],
    [
      'a request to upgrade',
      'GET /v1/cases HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      401,
    ],
  ])('%s', async (_name, bytes, status) => {
    const reply = await sendRaw(service, Buffer.from(bytes, 'latin1'));
    expect(reply.status).toBe(status);
    expect(reply.json.error.message).not.toMatch(/HPE_|Parse Error|at \w+ \(/);
  });
});

describe('unusual but valid requests are answered', () => {
  test.each([
    ['HTTP/1.0 without Host', `GET /v1/cases HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`],
    ['a whole URL', `GET http://x/v1/cases HTTP/1.1\r\n${AUTH}\r\n`],
    ['bare line feeds before it', `\r\nGET /v1/cases HTTP/1.1\r\n${AUTH}\r\n`],
    ['headers in capitals', `GET /v1/cases HTTP/1.1\r\n${AUTH.toUpperCase().replace(key.toUpperCase(), key)}\r\n`],
    [
      'a body in chunks',
      `POST /v1/transactions/screen HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('%s', async (_name, bytes) => {
    expect((await sendRaw(service, bytes)).status).toBe(200);
  });
});

test('the error of a POST without a body says that it is empty', async () => {
  for (const length of ['', 'Content-Length: 0\r\n']) {
    const reply = await sendRaw(
      service,
      `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\n${length}\r\n`,
    );
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_json']);
    expect(reply.json.error.message).toContain('empty');
  }
});

test('a connection that breaks in the middle of a request affects no other', async () => {
  for (const part of [
    'GET /v1',
    `POST /v1/events HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user`,
  ]) {
    await new Promise<void>((done) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
        socket.write(part, () => socket.resetAndDestroy()),
      );
      socket.on('close', () => done());
    });
  }
  expect((await service.call('GET', '/v1/cases', { key })).status).toBe(200);
  expect(service.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
