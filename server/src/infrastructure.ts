import { DEFAULT_POLICY, makeIdentities } from '@portcullis/engine';
import type { AppOptions } from './app-options.ts';
import { openStore, type StoreOptions, withRecords } from './backend/open.ts';
import { openKeysOf } from './installation.ts';
import { openKnowledge } from './knowledge/knowledge.ts';
import { BASE_MODEL, loadModelFile } from './models/model-file.ts';
import { makeClockDoubt } from './retention/clock-doubt.ts';
import { makeIdentifierTags } from './runtime/identifier-tags.ts';
import { makeIds } from './runtime/ids.ts';
import { makeMetrics } from './runtime/metrics.ts';
import { makeCertainClock, makeSteadyClock, type SteadyClock, SYSTEM_SOURCES } from './runtime/steady-clock.ts';

const clockOf = ({ clock, clockSources, log }: AppOptions): SteadyClock =>
  clock === undefined ? makeSteadyClock((message) => log.warn(message), clockSources) : makeCertainClock(clock);

/** The store, the model, the lookup tables and the keys: everything the capabilities are built on. */
export const openInfrastructure = async (options: AppOptions) => {
  const { config, log, cacheBytes, storeTimeoutMs, redisTimeoutMs, clockSources } = options;
  const metrics = makeMetrics();
  const steadyClock = clockOf(options);
  const clock = steadyClock.now;
  // First, before anything is opened: the service must not start with a model that cannot be read.
  const base = loadModelFile(config.modelFile ?? BASE_MODEL);
  const policy = { ...DEFAULT_POLICY, model: base.model };
  const knowledge = openKnowledge(config, (message) => log.warn(message));
  log.info(
    { model: base.model.version, rules: policy.version, ...knowledge.describe() },
    'decision configuration loaded',
  );
  const storeOptions: Omit<StoreOptions, 'identityKey'> = {
    clock,
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(storeTimeoutMs === undefined ? {} : { timeoutMs: storeTimeoutMs }),
    ...(redisTimeoutMs === undefined ? {} : { redisTimeoutMs }),
    onCommit: (units, tookMs) => {
      metrics.commits.observe(tookMs / 1000);
      metrics.commitUnits.observe(units);
    },
    onError: (message) => {
      metrics.storeErrors.inc();
      log.error({ fault: message }, 'the store failed');
    },
    onRecovered: (message) => log.info(message),
    onWarning: (message) => log.warn(message),
    onFatal: (reason) => {
      log.fatal({ reason }, 'the process cannot continue and ends');
      options.onFatal?.();
    },
  };
  // The keys are read first: a process with a wrong secret key must change nothing. The records stay open meanwhile, because
  // the last connection to a database copies its log into the file, which would delay a start after a crash.
  const { secrets, store } = await withRecords(config, async (records) => {
    const keys = await openKeysOf(records, config, clock);
    return { secrets: keys, store: await openStore(config, { identityKey: keys.identityKey, ...storeOptions }) };
  });
  const { identityKey, seal } = secrets;
  for (const { name, help, read } of store.gauges) metrics.gauge(name, help, read);
  metrics.gauge(
    'portcullis_clock_offset_seconds',
    'The system clock minus the clock in use; not 0 while a jump of the system clock is not followed.',
    () => steadyClock.offsetMs() / 1000,
  );
  const newId = makeIds(clock, store.place);
  return {
    ...store,
    config,
    log,
    clock,
    isClockCertain: () => steadyClock.doubt() === undefined,
    clockDoubt: makeClockDoubt(
      steadyClock,
      clock === options.clock ? undefined : (clockSources?.database ?? store.readClock),
    ),
    monotonic: (clockSources ?? SYSTEM_SOURCES).monotonic,
    metrics,
    base,
    policy,
    knowledge,
    newId,
    identities: makeIdentities(identityKey),
    secrets,
    seal,
    tags: makeIdentifierTags(identityKey),
    answersCallers: config.role !== 'worker',
    runsJobs: config.role !== 'api',
  };
};
export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;
