import { DEFAULT_POLICY } from '@portcullis/engine';
import { makeAccess } from './access/access.ts';
import { makeKeys } from './access/keys.ts';
import { accessRoutes } from './access/routes.ts';
import { loadSecretKey, makeSeal } from './access/seal.ts';
import { openSqlite } from './backend/sqlite.ts';
import { makeCases } from './cases/cases.ts';
import { caseRoutes } from './cases/routes.ts';
import { type Config, isLoopback } from './config.ts';
import { makeDecisions } from './decisions/decisions.ts';
import { decisionRoutes } from './decisions/routes.ts';
import { makeHttp } from './http/http.ts';
import { makeIdempotency } from './http/idempotency.ts';
import { publicRoutes } from './http/public-routes.ts';
import { makeRoute } from './http/route.ts';
import { makeIds } from './ids.ts';
import { openKnowledge } from './knowledge/knowledge.ts';
import { listRoutes } from './lists/routes.ts';
import type { Log } from './log.ts';
import { makeMetrics } from './metrics.ts';
import { BASE_MODEL, loadModel } from './models/load.ts';
import { makeReviews } from './reviews/reviews.ts';
import { makeRetention } from './screening/retention.ts';
import { screeningRoutes } from './screening/routes.ts';
import { makeScreening } from './screening/screen.ts';
import { userRoutes } from './users/routes.ts';
import { makeUsers } from './users/users.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { makeWebhooks } from './webhooks/webhooks.ts';

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Epoch milliseconds. Tests move it. */
  readonly clock?: () => number;
  readonly cacheBytes?: number;
  /** How long a request under way may take to end once the service stops. */
  readonly drainMs?: number;
}

const DRAIN_MS = 5000;
const REAP_MS = 50;

/** The whole service, put together but not listening. */
export const makeApp = async ({ config, log, clock = Date.now, cacheBytes, drainMs = DRAIN_MS }: AppOptions) => {
  const metrics = makeMetrics();
  // Before anything is opened: a model that cannot be read is a reason not to start.
  const model = loadModel(config.modelFile ?? BASE_MODEL);
  const policy = { ...DEFAULT_POLICY, model };
  const knowledge = openKnowledge(config, (message) => log.warn(message));
  log.info({ model: model.version, rules: policy.version, ...knowledge.describe() }, 'what decides');

  const store = openSqlite({
    directory: config.dataDir,
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    onCommit: (units, tookMs) => {
      metrics.commits.observe(tookMs / 1000);
      metrics.commitUnits.observe(units);
    },
    onFault: (message) => {
      metrics.storeFaults.inc();
      log.error({ fault: message }, 'the store failed');
    },
  });
  const { backend, counters } = store;
  const newId = makeIds(clock, counters.newestSeq());
  metrics.gauge('portcullis_writes_waiting', 'Writes that wait for a commit.', store.waiting);
  metrics.gauge('portcullis_cache_bytes', 'Memory taken by histories, about.', () => counters.stats().bytes);
  metrics.gauge('portcullis_cache_hits', 'Histories found in memory since the start.', () => counters.stats().hits);
  metrics.gauge(
    'portcullis_cache_misses',
    'Histories not found in memory since the start.',
    () => counters.stats().misses,
  );

  const seal = makeSeal(loadSecretKey(config.secretKey, config.dataDir));
  const keys = makeKeys({ backend, seal, newId, clock });
  const access = makeAccess({
    backend,
    seal,
    clock,
    hosts: config.hosts,
    rateLimitPerMinute: config.rateLimitPerMinute,
  });

  const rules = { allowLoopback: isLoopback(config.host), allowedNetworks: config.webhookAllowedNetworks };
  const webhooks = await makeWebhooks({ backend, seal, newId, clock, rules });
  const { hasRoom } = store;
  const screening = makeScreening({ backend, counters, knowledge, hasRoom, policy, webhooks, metrics, newId, clock });
  const reviews = makeReviews(backend);
  const cases = makeCases({ backend, reviews, webhooks, clock });
  const decisions = makeDecisions({ backend, findScreening: screening.find, reviews, cases, webhooks, model, clock });
  const users = makeUsers({ counters, cases, reviews, policy, clock });
  const retention = makeRetention({ backend, clock, log, metrics });

  let ready = false;
  const http = makeHttp({ log, metrics, newId });
  const route = makeRoute(http, access, makeIdempotency({ backend, seal, clock }));
  screeningRoutes(route, screening);
  userRoutes(route, users);
  decisionRoutes(route, decisions);
  caseRoutes(route, cases);
  webhookRoutes(route, webhooks);
  accessRoutes(route, { backend, keys, access, clock });
  listRoutes(route, policy);
  publicRoutes(http, { access, metrics, isReady: () => ready && hasRoom() });

  return {
    http,
    keys,
    backend,
    counters,
    retention,
    /** Answers with the address it serves at. */
    listen: async (): Promise<string> => {
      const address = await http.listen({ host: config.host, port: config.port });
      retention.start();
      ready = true;
      return address;
    },
    /** Stops accepting, finishes what is in flight, and leaves everything on disk. */
    close: async (): Promise<void> => {
      ready = false;
      // Closing ends the connections that are idle at that moment; one that becomes idle with its last answer would keep us
      // for as long as its owner likes, and so would a request that never ends.
      const reap = setInterval(() => http.server.closeIdleConnections(), REAP_MS);
      const giveUp = setTimeout(() => http.server.closeAllConnections(), drainMs);
      await http.close();
      clearInterval(reap);
      clearTimeout(giveUp);
      await retention.stop();
      await backend.close();
    },
  };
};
export type App = Awaited<ReturnType<typeof makeApp>>;
