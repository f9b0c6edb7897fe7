import { spawnSync } from 'node:child_process';

/** Tests that compare a page with the output of a real run. They share `test/page-update.ts`. */
const PAGES = [
  'backtest-page',
  'client-pages',
  'import-page',
  'login-guard',
  'page-figures',
  'policy-pages',
  'python-caller',
  'readme',
];

/** One file at a time, because several of them write the same page. */
const runTests = (env: Record<string, string>): number | null =>
  spawnSync(
    'vitest',
    ['run', '--project=docs', '--no-file-parallelism', ...PAGES.map((name) => `test/${name}.test.ts`)],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  ).status;

/** `npm run page-figures` writes the output of the service and of the shipped model into the pages, then checks the pages. */
process.exitCode = runTests({ UPDATE_PAGES: '1' }) || runTests({}) || 0;
