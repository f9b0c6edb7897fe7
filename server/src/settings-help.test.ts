import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { SETTINGS } from './settings-help.ts';

const names = SETTINGS.map(({ name }) => name).sort();

test('lists exactly the environment variables that the service reads', () => {
  const read = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  expect([...read].sort()).toEqual(names);
});

test('lists exactly the variables of the settings guide, with their literal defaults', () => {
  const guide = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(names);
  for (const [, name, cell = ''] of rows) {
    const literal = /^`([^`]+)`$/.exec(cell)?.[1];
    if (literal !== undefined) expect(SETTINGS.find((setting) => setting.name === name)?.default).toBe(literal);
  }
});
