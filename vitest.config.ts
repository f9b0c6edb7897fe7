import { defineConfig } from 'vitest/config';

/** What says nothing about a store, or is about the one or the other alone; how a crash ends on the shared one, tests of the fleet tell. */
const OF_ONE_STORE = [
  'backtest.test.ts',
  'backtest-*.test.ts',
  'cache.test.ts',
  'cli.test.ts',
  'config.test.ts',
  'copy*.test.ts',
  'crash.test.ts',
  'docs.test.ts',
  'examples.test.ts',
  'fleet-*.test.ts',
  'labels-durability.test.ts',
  'limits.test.ts',
  'list-store.test.ts',
  'postgres-*.test.ts',
  'rebuild-command.test.ts',
  'redis-*.test.ts',
  'sdk.test.ts',
  'watcher.test.ts',
  'webhook-addresses.test.ts',
  'webhook-upgrade.test.ts',
];

/** The same tests on PostgreSQL and Redis: TEST_SHARED_STORE asks for them, as `npm test` does wherever both answer. */
const onSharedStore = {
  extends: true as const,
  test: {
    name: 'shared-store',
    include: ['server/test/*.test.ts', 'client/test/{calls,faults,pages}.test.ts'],
    exclude: OF_ONE_STORE.map((file) => `server/test/${file}`),
    env: { TEST_BACKEND: 'postgres' },
  },
};

export default defineConfig({
  test: {
    pool: 'forks',
    // Loading the service anew for each file takes longer than most of the files; what one of them leaves behind, `setup.ts` ends.
    isolate: false,
    setupFiles: ['server/test/setup.ts'],
    // Left alone, one core of a small machine stays idle. More workers than cores were no faster.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // How long something takes says more of the machine than of the code: a test waits for as long as it may run.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true as const,
        test: { name: 'all', include: ['*/src/**/*.test.ts', '*/test/**/*.test.ts', 'test/**/*.test.ts'] },
      },
      ...(process.env.TEST_SHARED_STORE === undefined ? [] : [onSharedStore]),
    ],
  },
});
