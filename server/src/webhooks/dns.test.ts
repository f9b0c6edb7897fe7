import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { makeLookup } from './dns.ts';

const RESPONSE = 0x8180;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;
const A = 1;
const AAAA = 28;

/** The records of the name server below. Every other name does not exist. */
const ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  'both.test': { [A]: [192, 0, 2, 7], [AAAA]: [0x20, 1, 0xd, 0xb8, ...new Array(11).fill(0), 9] },
  'four.test': { [A]: [192, 0, 2, 8] },
};
const SILENT_NAME = 'silent.test';
const FAILING_NAME = 'failing.test';

const queries: string[] = [];
const server = createSocket('udp4', (query, from) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const type = query.readUInt16BE(at + 1);
  queries.push(name);
  if (name === SILENT_NAME) return;
  const known = ANSWERS[name];
  const data = known?.[type];
  const reply = Buffer.concat([
    query.subarray(0, at + 5),
    ...(data === undefined ? [] : [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])]),
  ]);
  const code = name === FAILING_NAME ? SERVER_FAILURE : known === undefined ? NAME_ERROR : 0;
  reply.writeUInt16BE(RESPONSE | code, 2);
  reply.writeUInt16BE(data === undefined ? 0 : 1, 6);
  reply.writeUInt32BE(0, 8);
  server.send(reply, from.port, from.address);
});
await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
afterAll(() => server.close());

const stop = new AbortController();
const lookup = makeLookup(stop.signal, [`127.0.0.1:${(server.address() as AddressInfo).port}`]);
const find = (name: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    lookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error))),
  );

describe('a name', () => {
  test('resolves to its IPv4 and IPv6 addresses', async () => {
    expect(await find('both.test')).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::9', family: 6 },
    ]);
  });

  test('may have addresses of one family only', async () => {
    expect(await find('four.test')).toEqual([{ address: '192.0.2.8', family: 4 }]);
  });

  test('unknown to the name servers is looked up by the system resolver', async () => {
    const found = await find('localhost');
    expect(queries).toContain('localhost');
    expect(found.map(({ address }) => address)).toContain('127.0.0.1');
  });

  test('that does not exist is not found', async () => {
    await expect(find('missing.invalid')).rejects.toThrow();
  });

  test('whose servers fail has no address, and the system resolver is not used', async () => {
    expect(await find(FAILING_NAME)).toEqual([]);
  });

  test('whose servers are silent delays neither other names nor shutdown', async () => {
    const silent = Array.from({ length: 50 }, () => find(SILENT_NAME));
    await expect.poll(() => queries.filter((name) => name === SILENT_NAME).length).toBeGreaterThanOrEqual(50);
    const startedAt = performance.now();
    expect(await find('four.test')).toHaveLength(1);
    stop.abort();
    expect(await Promise.all(silent)).toEqual(silent.map(() => []));
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
