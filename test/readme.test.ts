import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../server/src/config.ts';
import { anchorsOf, blocksOf, linksOf } from './page-blocks.ts';
import { followPage } from './page-follow.ts';
import { openShell } from './page-shell.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const START = 'npm ci && npm start';
/** `server/test/cli/demo.test.ts` runs it. */
const DEMO = 'npm ci && npx portcullis demo';
const ADDRESS = 'http://127.0.0.1:8080';

describe('the README', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portcullis-readme-'));
  const terminal = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? dataDir };
  const shell = openShell(terminal);
  let port = 0;
  let output = '';
  let server: ReturnType<typeof spawn> | undefined;
  const exited = { code: undefined as number | null | undefined };

  beforeAll(async () => {
    // A separate process group, so that the signal reaches the service as from a terminal.
    server = spawn('npm', ['start'], {
      cwd: root,
      env: { ...terminal, DATA_DIR: dataDir, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    server.once('close', (code) => {
      exited.code = code;
    });
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const serving = /Portcullis serves at http:\/\/127\.0\.0\.1:(\d+)/;
    await vi.waitFor(() => expect(output).toMatch(serving), { timeout: 90_000, interval: 50 });
    port = Number(serving.exec(output)?.[1]);
  });
  afterAll(() => {
    shell.close();
    if (exited.code === undefined && server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A command as a reader types it, with the key from the first start. */
  const typed = (text: string): string =>
    text
      .replaceAll(ADDRESS, `http://127.0.0.1:${port}`)
      .replaceAll('sk_test_…', /sk_test_\w+/.exec(output)?.[0] ?? 'no key was shown');

  const follow = (page: string) =>
    followPage(page, { shell, typed, runs: ({ text }) => text !== START && text !== DEMO });

  test('starts with the demo, then with the command for the service, which shows a key per environment', () => {
    expect(blocksOf(readme).slice(0, 2)).toMatchObject([DEMO, START].map((text) => ({ language: 'sh', text })));
    expect(output.match(/sk_test_[0-9A-Za-z]{32,}/g)).toHaveLength(1);
    expect(output.match(/sk_live_[0-9A-Za-z]{32,}/g)).toHaveLength(1);
    expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8080, dataDir: './data' });
    expect(readme).toContain(ADDRESS);
    expect(readme).toContain('`./data`');
  });

  test('has commands that give the shown responses', async () => {
    const { commands, answers } = await follow('README.md');
    expect([commands, answers]).toEqual([expect.toSatisfy((n) => n >= 5), expect.toSatisfy((n) => n >= 4)]);
  });

  test('links to an API guide whose commands work', async () => {
    const { commands } = await follow('docs/api-guide.md');
    expect(commands).toBeGreaterThanOrEqual(5);
  });

  test('names the command that runs the tests', () => {
    expect(readme).toContain('`npm ci && npm test`');
    expect(JSON.parse(read('package.json')).scripts.test).toBeTypeOf('string');
  });

  test('Ctrl-C stops npm start', async () => {
    process.kill(-(server?.pid as number), 'SIGINT');
    await expect.poll(() => exited.code, { timeout: 90_000 }).not.toBeUndefined();
    expect(output).toContain('"stopped"');
  });
});

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    return entry.isDirectory() ? pagesIn(path) : entry.name.endsWith('.md') ? [path] : [];
  });

describe('the pages', () => {
  const pages = pagesIn('.');

  test('have no broken links', () => {
    const isBroken = (page: string, target: string): boolean => {
      const [file = '', anchor] = target.split('#', 2);
      const path = file === '' ? page : join(dirname(page), decodeURI(file));
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(read(path)).includes(anchor);
    };
    const links = pages.flatMap((page) => linksOf(read(page)).map((target) => ({ page, target })));
    expect(links.filter(({ page, target }) => isBroken(page, target))).toEqual([]);
    expect(links.length).toBeGreaterThan(20);
  });

  test('contain valid JSON', () => {
    for (const page of pages) {
      for (const { language, text, line } of blocksOf(read(page))) {
        if (language === 'json') expect(() => JSON.parse(text), `${page}:${line}`).not.toThrow();
      }
    }
  });
});
