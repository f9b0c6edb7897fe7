import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, SANDBOX_KEY, type Server, serve } from '../fixtures/crash-process.ts';
import { rounds, timeoutMs } from '../fixtures/effort.ts';
import { send } from '../fixtures/fleet.ts';

const KILLS = rounds(2, 10);
const CHANGES = 40;

/** Numbers of entries by account and environment, in the order of the file. Lines that a kill cut off are left out. */
const numbersIn = (path: string): Map<string, number[]> => {
  const numbers = new Map<string, number[]>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    if (!line.endsWith('}') || !line.startsWith('{"account"')) continue;
    const { account, environment, number } = JSON.parse(line);
    const name = `${account} ${environment}`;
    numbers.set(name, [...(numbers.get(name) ?? []), number]);
  }
  return numbers;
};

const change = async (server: Server, name: string): Promise<boolean> =>
  send(server, 'POST', '/v1/lists', { name }, { key: SANDBOX_KEY }).then(
    ({ status }) => status === 201,
    () => false,
  );

test('after several kill -9 while entries are streamed, every entry is in the file, in order', {
  timeout: timeoutMs(60_000),
}, async () => {
  const dataDir = newFolder();
  const path = join(newFolder(), 'audit.jsonl');
  const env = { AUDIT_STREAM: `file:${path}`, TRAIN_DAILY: 'off' };
  let made = 0;
  let server = await serve(dataDir, env);
  for (let kill = 0; kill < KILLS; kill++) {
    const { kill: end, exited } = server;
    const killAt = made + CHANGES / 2;
    for (let at = 0; at < CHANGES; at++) {
      if (await change(server, `list_${kill}_${at}`)) made++;
      if (made === killAt) end('SIGKILL');
    }
    await exited;
    server = await serve(dataDir, env);
  }
  const reply = await send(server, 'GET', '/v1/audit?limit=1');
  const newest = reply.json.entries[0].number as number;
  expect(newest).toBeGreaterThanOrEqual(made);
  const every = Array.from({ length: newest }, (_, at) => at + 1);
  await expect.poll(() => [...new Set(numbersIn(path).get('default sandbox'))]).toEqual(every);
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
});
