import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createClient } from '../client/src/index.ts';
import { makeFolder, startService } from '../server/test/fixtures/harness.ts';
import { blocksOf } from './page-blocks.ts';
import { expectBlocks, readPage } from './page-update.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** A folder with the client installed. */
const makeProject = (): string => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'node_modules/@portcullis'), { recursive: true });
  symlinkSync(join(root, 'client'), join(folder, 'node_modules/@portcullis/client'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const options = {
    strict: true,
    noEmit: true,
    target: 'ES2024',
    module: 'NodeNext',
    types: ['node'],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['page.ts'] }));
  return folder;
};

describe.each(['docs/client.md', 'client/README.md'])('%s', (page) => {
  const blocks = blocksOf(readPage(page));
  const program = blocks
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text)
    .join('\n');
  const shown = blocks.filter(({ language }) => language === '');
  const folder = makeProject();
  writeFileSync(join(folder, 'page.ts'), program);

  test('has snippets that compile in strict mode', async () => {
    expect(await run('tsc', ['-p', folder]).catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
  });

  test('has snippets that print the shown output', async () => {
    const service = await startService();
    const env = { PATH: process.env.PATH ?? '', PORTCULLIS_URL: service.url, PORTCULLIS_KEY: await service.key() };
    const { stdout } = await run(process.execPath, ['page.ts'], { cwd: folder, env });
    expectBlocks(page, shown, stdout.trim().split('\n'));
  });
});

test('docs/client.md names every method', () => {
  const client = createClient({ url: 'http://127.0.0.1', apiKey: 'sk_test_1' });
  const offered = Object.entries(client).map(([resource, methods]) => [resource, ...Object.keys(methods as object)]);
  const rows = [...readPage('docs/client.md').matchAll(/^\| `(\w+)` \| ((?:`\w+` ?)+) \|$/gm)];
  const named = rows.map(([, resource, methods = '']) => [
    resource,
    ...[...methods.matchAll(/\w+/g)].map(([name]) => name),
  ]);
  expect(named).toEqual(offered);
});

test('docs/client.md names the commands that build the package', () => {
  const [make, pack] = (blocksOf(readPage('docs/client.md'))[0]?.text ?? '').split('\n');
  expect(make).toMatch(/^npm run (\S+)$/);
  expect(JSON.parse(readPage('package.json')).scripts).toHaveProperty(make?.slice('npm run '.length) as string);
  expect(pack).toBe('npm pack ./client/dist');
});
