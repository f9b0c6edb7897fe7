import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['*/src/**/*.test.ts', '*/test/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Left alone, one core of a small machine stays idle.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // How long something takes says more of the machine than of the code: a test waits for as long as it may run.
    expect: { poll: { timeout: 20_000 } },
  },
});
