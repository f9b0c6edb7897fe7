import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Commands and threads that check no requests. */
const LIGHT = [
  // First: it reads only stored screenings, and must not load the whole engine, which the others do.
  'server/src/search/projector-thread.ts',
  'contract/src/values.ts',
  'engine/src/index.ts',
  'server/src/config.ts',
  'server/src/commands/options.ts',
  'server/src/commands/keys.ts',
  'server/src/commands/migrate.ts',
  'server/src/commands/audit.ts',
  'server/src/commands/rotate-secret.ts',
  'server/src/commands/simulate.ts',
  'server/src/webhooks/delivery-thread.ts',
  'server/src/backtests/compare-thread.ts',
  'server/src/decisions/recompute-thread.ts',
  'server/src/offline/train-thread.ts',
];

const PROGRAM = `
import { registerHooks } from 'node:module';
let heavy;
let isFirst = true;
registerHooks({
  load: (url, context, next) => {
    if (url.includes('/node_modules/typebox/') || (isFirst && url.includes('/engine/src/train/'))) heavy ??= url;
    return next(url, context);
  },
});
for (const path of process.argv.slice(1)) {
  // A file of a thread refuses to run elsewhere, after everything that it imports was loaded.
  await import(new URL(path, process.env.ROOT)).catch((error) => {
    if (!path.endsWith('-thread.ts')) throw error;
  });
  if (heavy !== undefined) throw new Error(path + ' loads ' + heavy);
  isFirst = false;
}`;

test('commands and threads load no more than they need: loading the schemas takes longer than starting Node', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, ...LIGHT], {
    env: { ...process.env, ROOT: new URL('..', import.meta.url).href },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

test('the service starts without the client behind `fetch`: every import of `node:http` would load it', () => {
  const program = `await import(new URL('server/src/app.ts', process.env.ROOT));
    process.stdout.write(process.moduleLoadList.filter((name) => name.includes('undici')).join());`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, ROOT: new URL('..', import.meta.url).href },
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});
