import { accessRoutes } from './access/routes.ts';
import { accountSettingsRoutes } from './account-settings/routes.ts';
import type { AppOptions } from './app-options.ts';
import { auditRoutes } from './audit/routes.ts';
import { backtestRoutes } from './backtests/routes.ts';
import { type Capabilities, makeCapabilities } from './capabilities.ts';
import { caseRoutes } from './cases/routes.ts';
import { decisionRoutes } from './decisions/routes.ts';
import { feedRoutes } from './feed/routes.ts';
import { makeProxyTrust } from './http/client-address.ts';
import { CONNECTION_TIMES, type Connections, makeConnections } from './http/connections.ts';
import { consoleRoutes } from './http/console-routes.ts';
import { docsRoutes } from './http/docs-routes.ts';
import { makeFairShares } from './http/fair-shares.ts';
import { makeIdempotency } from './http/idempotency.ts';
import { listenOnOtherAddresses } from './http/listener.ts';
import { makePlainRequests, type PlainRequests } from './http/plain-requests.ts';
import { HEALTH_ENDPOINTS, healthRoutes, PUBLIC_ENDPOINTS, sdkRoutes } from './http/public-routes.ts';
import { ENDPOINTS, makeBatchRoute, makeRoute, type RouteDeps } from './http/route.ts';
import { makeHttpServer } from './http/server.ts';
import { makeSessionRoute } from './http/session-route.ts';
import { makeShedding, watchLoop } from './http/shedding.ts';
import { makeTurns } from './http/turns.ts';
import { importRoutes } from './imports/routes.ts';
import { type Infrastructure, openInfrastructure } from './infrastructure.ts';
import { labelRoutes } from './labels/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { peopleRoutes, sessionRoutes } from './people/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { ruleRoutes } from './rules/routes.ts';
import { screeningRoutes } from './screening/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { statsRoutes } from './stats/routes.ts';
import { userRoutes } from './users/routes.ts';
import { viewRoutes } from './views/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const DRAIN_MS = 5000;
const REAP_MS = 50;
/** Loading the thread of search takes as much of a core as hundreds of screenings, and the first requests come first. */
const SEARCH_STARTS_AFTER_MS = 300;

type Http = ReturnType<typeof makeHttpServer>;

const registerRoutes = (
  http: Http,
  plain: PlainRequests,
  limits: Pick<RouteDeps, 'connections' | 'turns' | 'shedding' | 'shares'>,
  infrastructure: Infrastructure,
  capabilities: Capabilities,
  isServing: () => boolean,
): void => {
  const { problem } = infrastructure;
  const notReady = (): string | undefined => {
    if (!isServing()) return 'The service is starting or stopping.';
    if (problem() !== undefined) return `The store takes no writes: ${problem()}.`;
    return hasRoom() ? undefined : 'The store is unavailable or overloaded.';
  };
  const { backend, clock, tags, metrics, hasRoom, answersCallers } = infrastructure;
  const { access } = capabilities;
  const { connections } = limits;
  healthRoutes(http, { access, connections, metrics, notReady });
  if (!answersCallers) return;
  const idempotency = makeIdempotency(infrastructure);
  const routeDeps: RouteDeps = { ...limits, access: capabilities.authenticator, idempotency, tags };
  const route = makeRoute(http, routeDeps);
  const { people } = capabilities;
  const authenticateSession = people.sessions.authenticate;
  screeningRoutes(route, makeBatchRoute(http, plain, routeDeps), capabilities.screening);
  searchRoutes(route, capabilities.search);
  statsRoutes(route, capabilities.stats);
  feedRoutes(route, capabilities.feed);
  userRoutes(route, capabilities.users);
  decisionRoutes(route, capabilities.decisions);
  caseRoutes(route, capabilities.cases);
  labelRoutes(route, capabilities.labels);
  importRoutes(route, capabilities.imports);
  webhookRoutes(route, capabilities.webhooks, capabilities.deliveryRoutes);
  const { keys, keyUses: uses } = capabilities;
  accessRoutes(route, { backend, keys, access, uses, namesOf: people.namesOf, clock });
  peopleRoutes(route, people);
  viewRoutes(route, capabilities.views);
  accountSettingsRoutes(route, capabilities.accountSettings);
  sessionRoutes(makeSessionRoute(http, { connections, turns: limits.turns, tags, authenticateSession }), people);
  listRoutes(route, capabilities.lists);
  ruleRoutes(route, capabilities.rules);
  policyRoutes(route, capabilities.policies);
  modelRoutes(route, capabilities.models);
  backtestRoutes(route, capabilities.backtests);
  auditRoutes(route, capabilities.audit, people);
  privacyRoutes(route, capabilities.erasures, capabilities.exportPerson);
  docsRoutes(http);
  consoleRoutes(http);
  sdkRoutes(http);
};

const startBackgroundWork = (
  { runsJobs }: Infrastructure,
  capabilities: Capabilities,
  searchStartsAfterMs: number,
): void => {
  const { changes, refresh, models, backtests, projector, erasures, retention, expiry, auditWatch, auditStream } =
    capabilities;
  changes.start(refresh);
  capabilities.keyUses.start();
  auditWatch.start();
  auditStream.start();
  models.start();
  backtests.start();
  if (!runsJobs) return;
  void capabilities.imports.finish();
  // A projector that was stopped since does not start.
  setTimeout(projector.start, searchStartsAfterMs).unref();
  erasures.start();
  retention.start();
  expiry.start();
};

const stopBackgroundWork = async (capabilities: Capabilities): Promise<void> => {
  const { changes, models, backtests, retention, expiry, auditWatch, auditStream, stopRecomputing } = capabilities;
  capabilities.stats.stop();
  // First: an erasure must not find the thread of search gone.
  await capabilities.erasures.stop();
  // First, so that nobody waits for a sweep of a thread that is gone.
  const projected = capabilities.projector.stop();
  await Promise.all([
    projected,
    retention.stop(),
    expiry.stop(),
    backtests.stop(),
    models.stop(),
    changes.stop(),
    capabilities.keyUses.stop(),
    stopRecomputing(),
  ]);
  // Last: the others may write entries while they stop.
  await Promise.all([auditWatch.stop(), auditStream.stop()]);
};

/** Stops accepting requests and waits for those in flight, at most `drainMs`. */
const closeHttp = async (http: Http, drainMs: number): Promise<void> => {
  // `close` ends only the connections that are idle when it is called. A connection that becomes idle later, or a
  // request that never ends, would keep the process alive.
  const reap = setInterval(() => http.server.closeIdleConnections(), REAP_MS);
  const giveUp = setTimeout(() => http.server.closeAllConnections(), drainMs);
  await http.close();
  clearInterval(reap);
  clearTimeout(giveUp);
};

const makeAppConnections = (options: AppOptions, { config, metrics }: Infrastructure): Connections =>
  makeConnections({
    limits: { maxConnections: config.maxConnections, maxPerAddress: config.maxConnectionsPerAddress },
    times: options.connectionTimes ?? CONNECTION_TIMES,
    trust: makeProxyTrust(config.trustedProxies),
    metrics,
  });

/** The whole service, put together but not listening. */
export const makeApp = async (options: AppOptions) => {
  const { config, drainMs = DRAIN_MS } = options;
  const infrastructure = await openInfrastructure(options);
  const { backend, counters, log, metrics, newId, answersCallers } = infrastructure;
  const capabilities = await makeCapabilities(infrastructure, options);
  const endpoints = answersCallers ? [...ENDPOINTS, ...PUBLIC_ENDPOINTS] : HEALTH_ENDPOINTS;
  const connections = makeAppConnections(options, infrastructure);
  const turns = makeTurns(options.scheduleTurn);
  const plain = makePlainRequests({ log, metrics, newId });
  const http = makeHttpServer({ log, metrics, newId, connections, turns, plain, endpoints });
  const shedding = makeShedding({ log, metrics });
  let isServing = false;
  const shares = makeFairShares({ metrics, ...(options.shareLimits && { limits: options.shareLimits }) });
  registerRoutes(http, plain, { connections, turns, shedding, shares }, infrastructure, capabilities, () => isServing);

  return {
    http,
    keys: capabilities.keys,
    people: capabilities.people,
    backend,
    counters,
    retention: capabilities.retention,
    expiry: capabilities.expiry,
    models: capabilities.models,
    auditWatch: capabilities.auditWatch,
    projector: capabilities.projector,
    /** Returns the address of the service. */
    listen: async (): Promise<string> => {
      const address = await http.listen({ host: config.host, port: config.port });
      if (config.host === 'localhost') await listenOnOtherAddresses(http.server, config.host);
      shedding.start(options.watchLoop ?? watchLoop);
      startBackgroundWork(infrastructure, capabilities, options.searchStartsAfterMs ?? SEARCH_STARTS_AFTER_MS);
      isServing = true;
      return address;
    },
    /** Stops accepting requests, finishes those in flight, and closes the store. */
    close: async (): Promise<void> => {
      isServing = false;
      shedding.stop();
      // At the same time as HTTP: webhook receivers and callers that hang must not use up their time limits in turn.
      const deliveriesStopped = capabilities.deliveryWorker.stop();
      // Its responses would never end.
      const feedStopped = capabilities.feed.stop();
      await closeHttp(http, drainMs);
      shares.stop();
      await stopBackgroundWork(capabilities);
      await Promise.all([deliveriesStopped, feedStopped]);
      await backend.close();
    },
  };
};
export type App = Awaited<ReturnType<typeof makeApp>>;
