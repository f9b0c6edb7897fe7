import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makePackage } from '../scripts/package.ts';
import { root } from '../scripts/package-files.ts';
import { newFolder, SANDBOX_KEY, start, untilServing } from '../server/test/fixtures/crash-process.ts';

const folder = newFolder();
const [built, empty] = [join(folder, 'built'), join(folder, 'empty')];
const installed = join(empty, 'node_modules/portcullis');
const PROGRAM = join(empty, 'node_modules/.bin/portcullis');

// Packs and installs without a network. Node itself, which npm would download, is left out.
beforeAll(() => {
  mkdirSync(built);
  mkdirSync(empty);
  makePackage(built);
  const npm = (...args: string[]): string => execFileSync('npm', args, { cwd: empty, encoding: 'utf8' });
  const file = npm('pack', built, '--pack-destination', folder, '--silent').trim();
  npm('install', '--offline', '--omit=optional', '--prefix', empty, join(folder, file));
}, 180_000);

/** The installed program, started by a Node that says it is older. */
const startWithOldNode = (...args: string[]) => {
  const setVersion = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.0.0' })";
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', API_KEYS: SANDBOX_KEY };
  return start(process.execPath, ['--import', setVersion, PROGRAM, ...args], env);
};

test('the package has every file that its code names or reads, every package that it imports, and no TypeScript', () => {
  const read = globSync('server/{bin,console,models,sdk,src}/**/*.*', { cwd: root }).filter(
    (path) => !/\.(?:ts|md)$/.test(path),
  );
  expect(read.length).toBeGreaterThan(50);
  expect(read.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  const missing = globSync('{contract,engine,server}/{src,bin}/**/*.js', { cwd: installed }).flatMap((path) => {
    const code = readFileSync(join(installed, path), 'utf8');
    const files = [...code.matchAll(/'(\.{1,2}\/[\w./-]+\.[jt]s)'/g)].map(([, name = '']) => join(dirname(path), name));
    const packages = [...code.matchAll(/(?:\bfrom |\bimport\()'((?:@\w+\/)?[\w.-]+)(?:\/[\w/-]+)?'/g)].map(
      ([, name = '']) => join('node_modules', name),
    );
    return [...files, ...packages].filter((name) => !existsSync(join(installed, name))).map((name) => [path, name]);
  });
  expect(missing).toEqual([]);
  expect(globSync('{contract,engine,server}/**/*.{ts,tsx}', { cwd: installed })).toEqual([]);
});

test('under an older Node without a newer one beside it, the program says which one it needs', async () => {
  const program = startWithOldNode('--version');
  expect(await program.exited).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toBe('Portcullis needs Node 26 or newer, and this is Node 20.0.0. Install Node 26.\n');
});

test('the installed package serves the API, the console, the device SDK and the guides, with the Node installed beside it', async () => {
  // The package of Node that npm would have installed, from the folder of ours.
  const node = dirname(dirname(process.execPath));
  symlinkSync(node, join(empty, 'node_modules', basename(node)));
  const service = await untilServing(startWithOldNode('serve'));
  try {
    const read = async (path: string): Promise<string> => {
      const response = await fetch(service.url + path);
      expect(response.status, path).toBe(200);
      return response.text();
    };
    const screened = await fetch(`${service.url}/v1/transactions/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SANDBOX_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'user_1', amount: 49.9, currency: 'EUR', ip_address: '203.0.113.2' }),
    });
    expect(await screened.json()).toMatchObject({ decision: 'review', signals: ['test_address'] });
    const files = (await read('/console')).match(/(?<=(?:src|href)=")\/console\/[^"]+/g) ?? [];
    expect(files.length).toBeGreaterThan(2);
    await Promise.all(files.map(read));
    expect(await read('/sdk/device.js')).toBe(readFileSync(join(root, 'server/sdk/device.js'), 'utf8'));
    expect(JSON.parse(await read('/openapi.json')).paths).toHaveProperty('/v1/transactions/screen');
    expect(await read('/docs/guides/console')).toContain('<h1 id="console">');
    await read(/\/docs\/pictures\/[^"]+/.exec(await read('/docs/guides/console'))?.[0] ?? '');
  } finally {
    service.kill('SIGTERM');
  }
  expect(await service.exited).toEqual({ code: 0, signal: null });
});
