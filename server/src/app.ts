import { type Operation, operations } from '@portcullis/contract';
import { DEFAULT_POLICY } from '@portcullis/engine';
import { makeAccess } from './access/access.ts';
import { makeKeys } from './access/keys.ts';
import { accessRoutes } from './access/routes.ts';
import { loadSecretKey, makeSeal } from './access/seal.ts';
import { auditRoutes } from './audit/routes.ts';
import { openStore } from './backend/open.ts';
import { makeBacktests } from './backtests/backtests.ts';
import { backtestRoutes } from './backtests/routes.ts';
import { makeCases } from './cases/cases.ts';
import { makeExpiry } from './cases/expiry.ts';
import { caseRoutes } from './cases/routes.ts';
import { makeChanges } from './changes/changes.ts';
import { type Config, isLoopback } from './config.ts';
import { makeDeciding } from './deciding.ts';
import { makeDecisions } from './decisions/decisions.ts';
import { decisionRoutes } from './decisions/routes.ts';
import { makeHttp } from './http/http.ts';
import { makeIdempotency } from './http/idempotency.ts';
import { docsRoutes, HEALTH_PATHS, healthRoutes, PUBLIC_PATHS, sdkRoutes } from './http/public-routes.ts';
import { makeRoute } from './http/route.ts';
import { makeShedding, type WatchLoop, watchLoop } from './http/shedding.ts';
import { makeIds } from './ids.ts';
import { openKnowledge } from './knowledge/knowledge.ts';
import { makeLabels } from './labels/labels.ts';
import { labelRoutes } from './labels/routes.ts';
import { listRoutes } from './lists/routes.ts';
import type { Log } from './log.ts';
import { makeMetrics } from './metrics.ts';
import { BASE_MODEL, loadModelFile } from './models/load.ts';
import { modelRoutes } from './models/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { makeReviews } from './reviews/reviews.ts';
import { ruleRoutes } from './rules/routes.ts';
import { expressionFaults, sweepHits } from './rules/rules.ts';
import { makeRetention } from './screening/retention.ts';
import { screeningRoutes } from './screening/routes.ts';
import { makeScreening } from './screening/screen.ts';
import { userRoutes } from './users/routes.ts';
import { makeUsers } from './users/users.ts';
import { makeDeliveryLog } from './webhooks/delivery-log.ts';
import { makeDeliveryWorker, OTHERS_SEND } from './webhooks/delivery-worker.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { sweepDeliveries } from './webhooks/sweep.ts';
import { makeWebhooks } from './webhooks/webhooks.ts';

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Epoch milliseconds. Tests move it. */
  readonly clock?: () => number;
  readonly cacheBytes?: number;
  /** How long a request under way may take to end once the service stops. */
  readonly drainMs?: number;
  /** How long a webhook exchange may take. */
  readonly exchangeMs?: number;
  /** Who tells how late the event loop is. */
  readonly watchLoop?: WatchLoop;
}

const DRAIN_MS = 5000;
const REAP_MS = 50;

/** The whole service, put together but not listening. */
export const makeApp = async (options: AppOptions) => {
  const { config, log, clock = Date.now, cacheBytes, drainMs = DRAIN_MS } = options;
  const metrics = makeMetrics();
  const [answersCallers, runsJobs] = [config.role !== 'worker', config.role !== 'api'];
  // Before anything is opened: a model that cannot be read is a reason not to start.
  const base = loadModelFile(config.modelFile ?? BASE_MODEL);
  const { model } = base;
  const policy = { ...DEFAULT_POLICY, model };
  const knowledge = openKnowledge(config, (message) => log.warn(message));
  log.info({ model: model.version, rules: policy.version, ...knowledge.describe() }, 'what decides');

  const store = await openStore(config, {
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    onCommit: (units, tookMs) => {
      metrics.commits.observe(tookMs / 1000);
      metrics.commitUnits.observe(units);
    },
    onFault: (message) => {
      metrics.storeFaults.inc();
      log.error({ fault: message }, 'the store failed');
    },
    onRecovered: (message) => log.info(message),
    onWarning: (message) => log.warn(message),
  });
  const { backend, counters } = store;
  const newId = makeIds(clock, store.place);
  for (const { name, help, read } of store.gauges) metrics.gauge(name, help, read);

  const secretKey = loadSecretKey(config.secretKey, config.dataDir);
  const seal = makeSeal(secretKey);
  const keys = makeKeys({ backend, seal, newId, clock });
  const access = makeAccess({
    backend,
    limits: store.limits,
    seal,
    clock,
    hosts: config.hosts,
    rateLimitPerMinute: config.rateLimitPerMinute,
  });

  // Before anything is read into memory: what others change meanwhile must not be missed.
  const changes = await makeChanges({ backend, clock, log });
  const { note } = changes;
  const addressRules = { allowLoopback: isLoopback(config.host), allowedNetworks: config.webhookAllowedNetworks };
  const sending = {
    connect: store.connect,
    secretKey,
    rules: addressRules,
    ca: config.webhookCa,
    limitMs: options.exchangeMs,
  };
  const worker = runsJobs ? makeDeliveryWorker({ ...sending, log, metrics }) : OTHERS_SEND;
  const webhooks = await makeWebhooks({ backend, seal, worker, note, newId, clock, rules: addressRules });
  const deliveryLog = makeDeliveryLog({ backend, webhooks, clock });
  const deciding = await makeDeciding({
    backend,
    connect: store.connect,
    base,
    policy,
    seal,
    note,
    tenantOf: keys.tenantOf,
    trainDaily: config.trainDaily,
    runsJobs,
    newId,
    clock,
    log,
    metrics,
  });
  const { audit, rules, lists, models, policies } = deciding;
  const backtests = makeBacktests({
    backend,
    connect: store.connect,
    policyOf: policies.of,
    modelOf: (tenant) => JSON.stringify(models.fileOf(tenant)),
    hasRule: rules.has,
    expressionFaults,
    pointFaults: policies.pointFaults,
    runsJobs,
    catchUp: changes.catchUp,
    newId,
    clock,
    log,
  });
  const { hasRoom } = store;
  const screening = makeScreening({
    backend,
    counters,
    knowledge,
    hasRoom,
    policies,
    lists,
    rules,
    webhooks,
    metrics,
    newId,
    clock,
  });
  const reviews = makeReviews(backend);
  const { find: findScreening } = screening;
  const labels = makeLabels({ backend, counters, findScreening, hasRoom, newId, clock });
  const cases = makeCases({ backend, reviews, labels, webhooks, clock });
  const expiry = makeExpiry({ backend, webhooks, clock, log });
  const decisions = makeDecisions({
    findScreening,
    reviews,
    labels,
    cases,
    webhooks,
    modelOf: models.byVersion,
    clock,
  });
  const users = makeUsers({ counters, cases, policies, clock });
  const sweeps = {
    deliveries: (now: number, limit: number) => sweepDeliveries(backend, now, limit),
    rule_hits: (now: number, limit: number) => sweepHits(backend, now, limit),
    list_entries: lists.sweep,
    changes: changes.sweep,
  };
  const retention = makeRetention({ backend, sweeps, clock, log, metrics });

  let ready = false;
  const served = answersCallers ? [...Object.values<Operation>(operations), ...PUBLIC_PATHS] : HEALTH_PATHS;
  const http = makeHttp({ log, metrics, newId, served });
  const shedding = makeShedding({ log, metrics });
  healthRoutes(http, { access, metrics, isReady: () => ready && hasRoom() });
  if (answersCallers) {
    const route = makeRoute(http, access, makeIdempotency({ backend, seal, clock }), shedding);
    screeningRoutes(route, screening);
    userRoutes(route, users);
    decisionRoutes(route, decisions);
    caseRoutes(route, cases);
    labelRoutes(route, labels);
    webhookRoutes(route, webhooks, deliveryLog);
    accessRoutes(route, { backend, keys, access, clock });
    listRoutes(route, lists);
    ruleRoutes(route, rules);
    policyRoutes(route, policies);
    modelRoutes(route, models);
    backtestRoutes(route, backtests);
    auditRoutes(route, audit);
    docsRoutes(http);
    sdkRoutes(http);
  }

  return {
    http,
    keys,
    backend,
    counters,
    retention,
    models,
    /** Answers with the address it serves at. */
    listen: async (): Promise<string> => {
      const address = await http.listen({ host: config.host, port: config.port });
      changes.start({ ...deciding.refresh, webhooks: webhooks.refresh });
      shedding.start(options.watchLoop ?? watchLoop);
      models.start();
      backtests.start();
      if (runsJobs) {
        retention.start();
        expiry.start();
      }
      ready = true;
      return address;
    },
    /** Stops accepting, finishes what is in flight, and leaves everything on disk. */
    close: async (): Promise<void> => {
      ready = false;
      shedding.stop();
      // Closing ends the connections that are idle at that moment; one that becomes idle with its last answer would keep us
      // for as long as its owner likes, and so would a request that never ends.
      const reap = setInterval(() => http.server.closeIdleConnections(), REAP_MS);
      const giveUp = setTimeout(() => http.server.closeAllConnections(), drainMs);
      // At the same time: receivers and callers that hang must not have their time one after the other.
      const sent = worker.stop();
      await http.close();
      clearInterval(reap);
      clearTimeout(giveUp);
      await Promise.all([retention.stop(), expiry.stop(), backtests.stop(), models.stop(), changes.stop()]);
      await sent;
      await backend.close();
    },
  };
};
export type App = Awaited<ReturnType<typeof makeApp>>;
