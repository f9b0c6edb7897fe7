import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { client, payment, startService } from './harness.ts';
import { isShared } from './shared-store.ts';

const keyFile = (folder: string): string => join(folder, 'secret.key');
const other = (byte: number) => ({ env: { SECRET_KEY: Buffer.alloc(32, byte).toString('base64') } });

describe('the key of the installation', () => {
  test.skipIf(isShared)('is made once, kept beside the data for its owner alone, and used again', async () => {
    const first = await startService();
    const key = await first.key();
    const made = readFileSync(keyFile(first.dataDir), 'utf8');
    expect(Buffer.from(made, 'base64')).toHaveLength(32);
    expect(statSync(keyFile(first.dataDir)).mode & 0o777).toBe(0o600);
    await first.stop();
    const second = await startService({ dataDir: first.dataDir });
    expect(readFileSync(keyFile(first.dataDir), 'utf8')).toBe(made);
    expect((await client(second, key).get('/v1/cases')).status).toBe(200);
  });

  test('is that of SECRET_KEY where it is set, and then none is kept', async () => {
    const first = await startService(other(1));
    const key = await first.key();
    expect(existsSync(keyFile(first.dataDir))).toBe(false);
    await first.stop();
    const second = await startService({ ...other(1), dataDir: first.dataDir });
    expect((await client(second, key).get('/v1/cases')).status).toBe(200);
  });

  test('peppers the hashes of API keys and seals answers: with another, neither can be used', async () => {
    const first = await startService(other(1));
    const key = await first.key();
    const body = payment();
    const headers = { 'Idempotency-Key': 'sealed' };
    const { text } = await client(first, key).pay(body, headers);
    await first.stop();
    const second = await startService({ ...other(2), dataDir: first.dataDir });
    expect((await client(second, key).get('/v1/cases')).json.error.code).toBe('invalid_api_key');
    const reply = await client(second, await second.key()).pay(body, headers);
    expect(reply.status).not.toBe(200);
    expect(reply.text).not.toBe(text);
  });
});
