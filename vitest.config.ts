import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit tests that train models or simulate whole histories: too slow for `npm run check`. */
const SLOW_UNITS = [
  'engine/src/train/*.test.ts',
  'engine/src/model/model.test.ts',
  'engine/src/decide/challengers.test.ts',
  'server/src/simulate/*.test.ts',
];
/** Tests of the source code itself. They are fast, so `npm run check` runs them. */
const STRUCTURE = ['test/{import-cycles,light-starts,table-ownership}.test.ts'];
/** Chaos tests that need the embedded store, or start a fleet of their own. */
const CHAOS_OF_ONE_STORE = [
  'server/test/chaos/{crash,ended-threads,failed-start,fleet-faults,folder-lock,full-disk,postgres-faults,secret-rotation}.test.ts',
];
/** Training tests that do not depend on the store: they run only on the embedded one. */
const TRAINING_OF_ONE_STORE = ['server/test/training/{base-models,learning}.test.ts'];
const SHARED = { env: { TEST_BACKEND: 'postgres' } };

const project = (name: string, include: string[], more: { exclude?: string[]; env?: Record<string, string> } = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

/** Listed in the order they run: the longest first, so that both cores finish at about the same time. */
const projects = [
  project('chaos', ['server/test/chaos/*.test.ts']),
  project('training', [...SLOW_UNITS, 'server/test/training/*.test.ts', 'judge/**/*.test.ts']),
  // Skipped file by file where PostgreSQL or Redis does not answer.
  project('shared-store', ['server/test/shared-store/*.test.ts']),
  // The tests below run a second time where PostgreSQL and Redis both answer; `npm test` sets TEST_SHARED_STORE then.
  ...(process.env.TEST_SHARED_STORE === undefined
    ? []
    : [
        project('chaos-shared', ['server/test/chaos/*.test.ts'], { exclude: CHAOS_OF_ONE_STORE, ...SHARED }),
        project('api-shared', ['server/test/{api,training}/*.test.ts'], { exclude: TRAINING_OF_ONE_STORE, ...SHARED }),
      ]),
  project('api', ['server/test/{api,http,cli,embedded}/*.test.ts', 'client/test/*.test.ts']),
  project('console', ['console/test/*.test.ts']),
  project('docs', ['test/*.test.ts', 'device/test/*.test.ts'], { exclude: STRUCTURE }),
  project('unit', ['{contract,engine,client,console,server}/src/**/*.test.ts', ...STRUCTURE], { exclude: SLOW_UNITS }),
];
const order = projects.map(({ test }) => test.name);

class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    experimental: { viteModuleRunner: false },
    // Loading the service takes longer than most test files, so files share a process. `setup.ts` cleans up after each file.
    isolate: false,
    globalSetup: ['server/test/fixtures/scratch-folder.ts', 'server/test/fixtures/template-database.ts'],
    setupFiles: ['server/test/fixtures/setup.ts'],
    // By default one core of a small machine stays idle. More workers than cores were no faster.
    maxWorkers: '100%',
    sequence: { sequencer: ByProject },
    // Long, because a slow machine is not a failure. A poll waits nearly as long as its test may run.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 90_000, interval: 20 } },
    projects,
  },
});
