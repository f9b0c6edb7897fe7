import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Json, makeFolder } from '../fixtures/harness.ts';

const PORTCULLIS = fileURLToPath(new URL('../../bin/portcullis.js', import.meta.url));

test('portcullis demo serves a shop with open cases, resolved ones, rules, a training and webhooks, and leaves no file behind', async () => {
  const TMPDIR = makeFolder();
  const child = spawn(process.execPath, [PORTCULLIS, 'demo', '--users', '1000', '--no-open'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, TMPDIR, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  try {
    await expect.poll(() => output, { timeout: 150_000 }).toContain('Stop it with Ctrl C');
    const [, address, token] = /Console {2}(http:\/\/\S+)\/console\/start#(\S+)/.exec(output) ?? [];
    const [, key] = /API key {2}(\S+)/.exec(output) ?? [];
    expect(token).toMatch(/^\S{20,}$/);
    const get = async (path: string): Promise<Json> => {
      const response = await fetch(`${address}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status, path).toBe(200);
      return (await response.json()) as Json;
    };
    const open: Json[] = (await get('/cases?status=open&limit=100')).cases;
    expect(open.length).toBeGreaterThan(0);
    const oldest = Math.min(...open.map(({ created_at }) => Date.parse(created_at)));
    expect(Date.now() - oldest).toBeLessThan(21 * 3_600_000);
    const rejected: Json[] = (await get('/cases?status=rejected&limit=100')).cases;
    expect(rejected.length).toBeGreaterThan(0);
    expect((await get('/cases?status=expired')).cases).toEqual([]);
    const { rules } = await get('/rules');
    expect(rules.map(({ state }: Json) => state).sort()).toEqual(['live', 'shadow', 'shadow']);
    expect((await get('/trainings')).trainings).toHaveLength(1);
    const [endpoint] = (await get('/webhooks')).webhooks;
    const delivered = async (): Promise<string[]> =>
      (await get(`/webhooks/${endpoint.webhook_id}/deliveries?limit=50`)).deliveries.map(({ status }: Json) => status);
    await expect.poll(async () => new Set(await delivered()), { timeout: 60_000 }).toEqual(new Set(['delivered']));
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended, output).toEqual([0, null]);
  }
  expect(readdirSync(TMPDIR)).toEqual([]);
}, 240_000);
