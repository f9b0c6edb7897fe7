// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type { Backtest, BacktestList, BacktestQuery, BacktestRequest } from './types.ts';

export const makeBacktests = (call: Call) => ({
  /**
   * Try a rule or a policy on the past.
   *
   * Decides what was screened anew, as it is decided now and with the rule live or the policy changed, from what was known then. Runs in the background, one at a time.
   *
   * Needs the permission `review`. Errors of its own: `not_found`, `backtest_in_progress`.
   */
  create: (body: BacktestRequest, options?: PostOptions): Promise<Backtest> =>
    call<Backtest>('POST', '/v1/backtests', { body }, options),

  /**
   * List backtests.
   *
   * Needs the permission `read`.
   */
  list: (query?: BacktestQuery, options?: CallOptions): Promise<BacktestList> =>
    call<BacktestList>('GET', '/v1/backtests', { query }, options),
  /**
   * List backtests, all of them: a page is asked for when you come to it.
   *
   * Needs the permission `read`.
   */
  iterate: (query: BacktestQuery = {}, options?: CallOptions): AsyncGenerator<Backtest, void, undefined> =>
    byCursor(
      (query: BacktestQuery) => call<BacktestList>('GET', '/v1/backtests', { query }, options),
      query,
      (page) => page.backtests,
      (item) => item.backtest_id,
    ),
  /**
   * Get a backtest.
   *
   * With its progress while it is running and its outcome once it is done.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (backtest_id: string, options?: CallOptions): Promise<Backtest> =>
    call<Backtest>('GET', '/v1/backtests/{backtest_id}', { params: { backtest_id } }, options),
});
