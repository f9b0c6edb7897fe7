import { DEFAULT_POLICY } from '@portcullis/engine';
import { makeAccess } from '../src/access/access.ts';
import { makeKeys } from '../src/access/keys.ts';
import { loadSecretKey, makeSeal } from '../src/access/seal.ts';
import { makeLocalLimits } from '../src/backend/limits.ts';
import { makeChanges } from '../src/changes/changes.ts';
import { makeDeciding } from '../src/deciding.ts';
import { makeHttp } from '../src/http/http.ts';
import { makeIdempotency } from '../src/http/idempotency.ts';
import { makeRoute } from '../src/http/route.ts';
import { makeIds } from '../src/ids.ts';
import { listRoutes } from '../src/lists/routes.ts';
import { makeLog } from '../src/log.ts';
import { makeMetrics } from '../src/metrics.ts';
import { BASE_MODEL, loadModelFile } from '../src/models/load.ts';
import { modelRoutes } from '../src/models/routes.ts';
import { policyRoutes } from '../src/policies/routes.ts';
import { ruleRoutes } from '../src/rules/routes.ts';
import { openRecords, settingsOf } from './records.ts';

/**
 * What decides, served a second time on the store of a service that runs: connections, memory and an address of its own. It shares with the first what two
 * processes share, the records.
 */
export const startBeside = async (dataDir: string) => {
  const { connect, ...backend } = await openRecords(dataDir);
  const clock = Date.now;
  const newId = makeIds(clock);
  const log = makeLog('silent');
  const metrics = makeMetrics();
  const seal = makeSeal(loadSecretKey((await settingsOf(dataDir)).secretKey, dataDir));
  const { tenantOf } = makeKeys({ backend, seal, newId, clock });
  const access = makeAccess({
    backend,
    limits: makeLocalLimits(),
    seal,
    clock,
    hosts: { sandbox: undefined, production: undefined },
    rateLimitPerMinute: undefined,
  });
  const base = loadModelFile(BASE_MODEL);
  const changes = await makeChanges({ backend, clock, log });
  const deciding = await makeDeciding({
    backend,
    connect,
    base,
    policy: { ...DEFAULT_POLICY, model: base.model },
    seal,
    note: changes.note,
    tenantOf,
    trainDaily: false,
    runsJobs: true,
    newId,
    clock,
    log,
    metrics,
  });
  const http = makeHttp({ log, metrics, newId, served: [] });
  const route = makeRoute(http, access, makeIdempotency({ backend, seal, clock }), { check: () => {} });
  listRoutes(route, deciding.lists);
  ruleRoutes(route, deciding.rules);
  policyRoutes(route, deciding.policies);
  modelRoutes(route, deciding.models);
  const url = await http.listen({ host: '127.0.0.1', port: 0 });
  deciding.models.start();
  changes.start(deciding.refresh);
  return {
    url,
    stop: async (): Promise<void> => {
      await http.close();
      await Promise.all([deciding.models.stop(), changes.stop()]);
      await backend.close();
    },
  };
};
