import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeClientPackage } from '../../scripts/client-package.ts';
import { makeFolder, startService } from '../../server/test/fixtures/harness.ts';
import { BODY, MESSAGE, SECRET, signed } from './sign.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const MAX_GZIPPED_BYTES = 20 * 1024;
const OLDEST_NODE = 20;

const folder = makeFolder();
const [built, fresh] = [join(folder, 'built'), join(folder, 'fresh')];
const installed = join(fresh, 'node_modules/@portcullis/client');

// Installs the packed file in a folder that has nothing else.
beforeAll(async () => {
  makeClientPackage(built);
  mkdirSync(fresh);
  writeFileSync(join(fresh, 'package.json'), '{ "type": "module" }');
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', folder, '--json'], { cwd: folder });
  const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: fresh });
}, 120_000);

const filesOf = (extension: string): string[] =>
  readdirSync(installed)
    .filter((file) => file.endsWith(extension))
    .map((file) => readFileSync(join(installed, file), 'utf8'));

/** This Node, and an older one if the machine has it. */
const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((node) => {
  const major = Number(/^v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1]);
  return major >= OLDEST_NODE;
});

describe('the installed package', () => {
  test('has no dependency and imports only its own files', () => {
    expect(readdirSync(join(fresh, 'node_modules/@portcullis'))).toEqual(['client']);
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
    for (const text of [...filesOf('.js'), ...filesOf('.d.ts')]) {
      expect(text).not.toMatch(/(?:from |import\()'(?!\.\/[\w-]+\.js')/);
      expect(text).not.toMatch(/typebox|node:|@portcullis\/contract/);
    }
  });

  test('has at most 20 KB of JavaScript, compressed', () => {
    expect(gzipSync(filesOf('.js').join('\n')).length).toBeLessThan(MAX_GZIPPED_BYTES);
  });

  const PROBE = `async ({ createClient, PortcullisError, verifyWebhook }, env) => {
    const portcullis = createClient({ url: env.URL, apiKey: env.KEY });
    const { decision } = await portcullis.transactions.screen({ user_id: 'u', amount: 1, currency: 'EUR' });
    const error = await portcullis.cases.get('case_none').catch((error) => error);
    const [body, headers, secret] = ${JSON.stringify([BODY, signed(BODY, { at: Math.floor(Date.now() / 1000) }), SECRET])};
    const { id } = await verifyWebhook(body, headers, secret);
    console.log(JSON.stringify([decision, error instanceof PortcullisError && error.code, id]));
  }`;
  const runScript = async (node: string, flags: string[], script: string): Promise<unknown> => {
    const service = await startService();
    const env = { PATH: process.env.PATH ?? '', URL: service.url, KEY: await service.key({ role: 'service' }) };
    const { stdout } = await run(node, [...flags, '--input-type=module', '-e', script], { cwd: fresh, env });
    return JSON.parse(stdout);
  };

  test.each(nodes)('screens a payment and verifies a webhook under %s', async (node) => {
    const script = `import * as client from '@portcullis/client'; await (${PROBE})(client, process.env);`;
    expect(await runScript(node, [], script)).toEqual(['allow', 'not_found', MESSAGE.id]);
  });

  test('screens a payment and verifies a webhook with web APIs alone, as in an edge run time', async () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import vm from 'node:vm';
      const web = { fetch, URL, URLSearchParams, AbortController, setTimeout, clearTimeout, crypto, performance, TextEncoder, TextDecoder, atob, btoa };
      const context = vm.createContext(web);
      const load = (name) =>
        new vm.SourceTextModule(readFileSync('node_modules/@portcullis/client/' + name, 'utf8'), { context, identifier: name });
      const modules = new Map();
      const link = (name) => modules.get(name) ?? modules.set(name, load(name)).get(name);
      const index = link('./index.js');
      await index.link(link);
      await index.evaluate();
      await (${PROBE})(index.namespace, process.env);`;
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    expect(await runScript(process.execPath, flags, script)).toEqual(['allow', 'not_found', MESSAGE.id]);
  });

  const PROGRAM = `
    import { createClient, PortcullisError, type TransactionRequest, verifyWebhook } from '@portcullis/client';
    const portcullis = createClient({ url: 'https://fraud.example.com', apiKey: 'sk_test_1', fetch });
    const order: TransactionRequest = { user_id: 'u', amount: 1, currency: 'EUR', ip_address: undefined, metadata: { order_id: 'A-1' } };
    const { signal } = new AbortController();
    export const screen = async (): Promise<'allow' | 'review' | 'block'> =>
      (await portcullis.transactions.screen(order, { signal, idempotencyKey: 'A-1' })).decision;
    export const resolve = async (): Promise<void> => {
      for await (const { case_id, status } of portcullis.cases.iterate({ status: 'open' }))
        if (status === 'open') await portcullis.cases.resolve(case_id, { status: 'approved' });
    };
    export const codeOf = (error: unknown): 409 | 429 | undefined => {
      if (!(error instanceof PortcullisError)) return undefined;
      if (error.is('case_not_open', 'case_expired', 'rate_limited')) return error.status;
      return undefined;
    };
    export const read = async (request: Request): Promise<string | undefined> => {
      const message = await verifyWebhook(await request.text(), request.headers, 'whsec_');
      return message.type === 'case.created' ? message.data.case_id : undefined;
    };`;
  const MISTAKES = [
    "portcullis.transactions.screen({ user_id: 'u', amount: '1', currency: 'EUR' });",
    "portcullis.transactions.screen({ user_id: 'u', amount: 1, currency: 'EUR', metadata: { count: 1 } });",
    "portcullis.cases.resolve('case_1', { status: 'open' });",
    'portcullis.cases.list({ offest: 1 });',
    "portcullis.cases.get('case_1', { idempotencyKey: 'A-1' });",
  ];

  test.each([
    ['web', { lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'], types: [] }],
    ['Node', { lib: ['ES2022'], types: ['node'], typeRoots: [join(modules, '@types')] }],
    ['bundler', { lib: ['ES2022', 'WebWorker'], types: [], module: 'ESNext', moduleResolution: 'Bundler' }],
  ])(
    'has complete types: a strict compiler accepts a correct program and reports each mistake (%s)',
    async (_, compilerOptions) => {
      const shared = { target: 'ES2022', module: 'NodeNext', strict: true, exactOptionalPropertyTypes: true };
      const options = { ...shared, skipLibCheck: false, noEmit: true, ...compilerOptions };
      const check = async (program: string): Promise<string[]> => {
        writeFileSync(join(fresh, 'program.ts'), program);
        writeFileSync(
          join(fresh, 'tsconfig.json'),
          JSON.stringify({ compilerOptions: options, files: ['program.ts'] }),
        );
        return run('tsc', ['-p', fresh, '--pretty', 'false']).then(
          () => [],
          ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => line.includes('error TS')),
        );
      };
      expect(await check(PROGRAM)).toEqual([]);
      expect(await check([PROGRAM, ...MISTAKES].join('\n'))).toHaveLength(MISTAKES.length);
    },
  );
});
