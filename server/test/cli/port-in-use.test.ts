import { expect, test } from 'vitest';
import { CLI, newFolder, start, untilServing } from '../fixtures/crash-process.ts';

const startOn = (dataDir: string, port: number) =>
  start(process.execPath, [CLI, 'serve'], { DATA_DIR: dataDir, PORT: String(port) });
const FIRST_KEY = /sk_test_\w+/;

test('a first start on a port in use names the setting to change and uses up no keys', {
  timeout: 120_000,
}, async () => {
  const first = await untilServing(startOn(newFolder(), 0));
  const dataDir = newFolder();
  const second = startOn(dataDir, first.port);
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.stderr()).toBe(
    `error: Port ${first.port} of 127.0.0.1 is in use. Set PORT to another port, or stop the process that uses it.\n`,
  );
  expect(second.stdout()).not.toMatch(FIRST_KEY);

  const third = await untilServing(startOn(dataDir, 0));
  const [key] = FIRST_KEY.exec(third.stdout()) ?? [];
  const response = await fetch(`${third.url}/v1/policy`, { headers: { Authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
});
