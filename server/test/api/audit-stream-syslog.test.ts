import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { makeSyslogSink } from '../../src/audit/stream-syslog.ts';
import { client, countRows, type Json, type Service, startService } from '../fixtures/harness.ts';
import { receiverCertificate } from '../fixtures/receiver.ts';
import { type SyslogMessage, startSyslog } from '../fixtures/syslog-receiver.ts';

const AUTHORITIES = getCACertificates('default');
afterEach(() => setDefaultCACertificates(AUTHORITIES));
const trustReceiver = async (): Promise<void> =>
  setDefaultCACertificates([...AUTHORITIES, (await receiverCertificate()).ca]);

const streamTo = (url: string): Promise<Service> => startService({ env: { AUDIT_STREAM: url } });
const numbersOf = (messages: readonly SyslogMessage[]): number[] => messages.map(({ json }) => json.number);
const changeLists = async (service: Service, key: string, ...names: string[]): Promise<void> => {
  for (const name of names) expect((await client(service, key).post('/v1/lists', { name })).status).toBe(201);
};
const interruptions = (service: Service): Json[] =>
  service.logs.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith('audit stream interrupted'));

describe('a syslog receiver', () => {
  test('gets every entry as a message of RFC 5424, framed by its length in bytes', async () => {
    const { port, messages, errors } = await startSyslog();
    const service = await streamTo(`syslog://127.0.0.1:${port}`);
    const api = client(service, await service.key());
    const value = 'zoë 🦊\n';
    await api.post('/v1/lists/block/entries', { entries: [{ kind: 'user', value }] });
    await expect.poll(() => messages.length).toBe(2);
    expect(errors).toEqual([]);
    const { entries } = (await api.get('/v1/audit')).json;
    for (const [at, { person: _, ...entry }] of entries.reverse().entries())
      expect(messages[at]).toEqual({
        priority: 13 * 8 + 5,
        at: entry.at,
        host: hostname(),
        program: 'portcullis',
        processId: String(process.pid),
        messageId: entry.action,
        json: { account: 'acme', environment: 'sandbox', ...entry },
      });
    expect(JSON.stringify(messages)).toContain('zoë 🦊');
  });

  test('that cuts or refuses connections gets every entry in the end, in order', async () => {
    // Closed before a byte is read: what was sent is lost, and must be sent again.
    let cuts = 0;
    const first = await startSyslog({ onSocket: (socket) => void (cuts++ < 1 && socket.resetAndDestroy()) });
    const service = await streamTo(`syslog://127.0.0.1:${first.port}`);
    const key = await service.key();
    await expect.poll(() => numbersOf(first.messages)).toEqual([1]);
    expect(cuts).toBe(2);
    // The entry is handed over once the receiver has closed the connection, not when it has read the entry.
    await expect.poll(() => countRows(service, 'audit_streamed')).toBe(1);
    await first.close();
    await changeLists(service, key, 'a', 'b');
    await expect.poll(() => interruptions(service)).toHaveLength(2);
    expect(interruptions(service)[1]).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
    const second = await startSyslog({ port: first.port });
    await expect.poll(() => numbersOf(second.messages)).toEqual([2, 3]);
  });

  test.each([
    ['reads nothing', (socket: Socket) => void socket.pause()],
    ['closes its side at once', (socket: Socket) => void socket.pause().end()],
    ['closes after a part of the bytes', (socket: Socket) => void socket.once('data', () => socket.destroy())],
  ])('that accepts a connection and %s was handed nothing over', async (_, onSocket) => {
    const { port } = await startSyslog({ onSocket });
    const sink = makeSyslogSink({ host: '127.0.0.1', port, isTls: false });
    const entry = { account: null, environment: null, action: 'x', after: 'y'.repeat(1024 * 1024) } as Json;
    const write = sink.write([entry]).then(
      () => 'handed over',
      () => 'refused',
    );
    expect(await Promise.race([write, pause(300, 'waiting')])).not.toBe('handed over');
    // A stop of the service does not wait for such a receiver.
    await sink.close();
    expect(await write).toBe('refused');
  });
});

describe('a syslog receiver with TLS', () => {
  test('gets every entry if its certificate is trusted', async () => {
    await trustReceiver();
    const { port, messages } = await startSyslog({ tls: {} });
    const service = await streamTo(`syslogs://localhost:${port}`);
    await changeLists(service, await service.key(), 'a');
    await expect.poll(() => numbersOf(messages)).toEqual([1, 2]);
  });

  test.each([
    ['self-signed certificate', '127.0.0.1', false, /self.signed/, 'NODE_EXTRA_CA_CERTS'],
    ['certificate of another name', '127.0.0.2', true, /altnames/, 'host name'],
  ])('and a %s gets nothing, and the log gives the reason', async (_, host, isTrusted, reason, remedy) => {
    if (isTrusted) await trustReceiver();
    const { port, bytes, connections } = await startSyslog({ tls: {}, host });
    const service = await streamTo(`syslogs://${host}:${port}`);
    await service.key();
    await expect.poll(() => interruptions(service)).toHaveLength(1);
    expect(interruptions(service)[0]).toMatchObject({
      reason: expect.stringMatching(reason),
      remedy: expect.stringContaining(remedy),
    });
    expect([bytes(), await countRows(service, 'audit_streamed')]).toEqual([0, 0]);
    expect(connections()).toBeLessThan(2);
  });

  test('that refuses a client without a certificate leaves every entry behind', async () => {
    await trustReceiver();
    const { port, bytes } = await startSyslog({ tls: { requestCert: true, rejectUnauthorized: true } });
    const service = await streamTo(`syslogs://localhost:${port}`);
    await service.key();
    await expect.poll(() => interruptions(service)).toHaveLength(1);
    expect([bytes(), await countRows(service, 'audit_streamed')]).toEqual([0, 0]);
    expect(interruptions(service)[0].remedy).toContain('client certificate');
  });
});
