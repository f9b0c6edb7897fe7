import { maskCardNumbers } from '@portcullis/contract/values';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { ApiRequest } from './exchange.ts';

/** Counts a response, and logs it at the level `debug`. */
export const logResponse = (
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  { id, routeOptions }: Pick<ApiRequest, 'id' | 'routeOptions'>,
  status: number,
  tookMs: number,
): void => {
  const operation = routeOptions.config?.operation ?? 'none';
  metrics.requests(operation, status, tookMs / 1000);
  if (!log.isLevelEnabled('debug')) return;
  log.debug(
    { request_id: maskCardNumbers(id), operation, status, ms: Math.round(tookMs * 10) / 10 },
    'request answered',
  );
};
