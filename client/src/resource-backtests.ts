// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type { Backtest, BacktestList, BacktestQuery, BacktestRequest } from './types.ts';

export const makeBacktests = (call: Call) => ({
  /**
   * Backtest a rule or a policy.
   *
   * Decides past screenings again, once with the current policy and once with the rule live or the policy changed, using only the facts known at the time. Runs in the background, one backtest at a time.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `backtest_in_progress`.
   */
  create: (body: BacktestRequest, options?: PostOptions): Promise<Backtest> =>
    call<Backtest>('POST', '/v1/backtests', { body }, options),

  /**
   * List backtests.
   *
   * Requires the permission `read`.
   */
  list: (query?: BacktestQuery, options?: CallOptions): Promise<BacktestList> =>
    call<BacktestList>('GET', '/v1/backtests', { query }, options),
  /**
   * List backtests: iterates over all of them, and requests each page when it is needed.
   *
   * Requires the permission `read`.
   */
  iterate: (query: BacktestQuery = {}, options?: CallOptions): AsyncGenerator<Backtest, void, undefined> =>
    byCursor(
      (query: BacktestQuery) => call<BacktestList>('GET', '/v1/backtests', { query }, options),
      query,
      (page) => page.backtests,
      (item) => item.backtest_id,
    ),
  /**
   * Cancel a backtest.
   *
   * Ends a running backtest as `failed`. One that has ended stays as it is.
   *
   * Requires the permission `review`. Specific errors: `not_found`.
   */
  cancel: (backtest_id: string, options?: PostOptions): Promise<Backtest> =>
    call<Backtest>('POST', '/v1/backtests/{backtest_id}/cancel', { params: { backtest_id } }, options),

  /**
   * Get a backtest.
   *
   * Returns its progress while it runs, and its outcome when it is done.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (backtest_id: string, options?: CallOptions): Promise<Backtest> =>
    call<Backtest>('GET', '/v1/backtests/{backtest_id}', { params: { backtest_id } }, options),
});
