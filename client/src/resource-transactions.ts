// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { SubjectQuery, Transaction, TransactionRequest } from './types.ts';

export const makeTransactions = (call: Call) => ({
  /**
   * Screen a transaction.
   *
   * Scores the transaction, stores the result and returns the decision. A `review` opens a case.
   *
   * Two test addresses force a decision: `203.0.113.2` always gets `review` and `203.0.113.3` always gets `block`.
   *
   * Requires the permission `screen`.
   */
  screen: (body: TransactionRequest, options?: PostOptions): Promise<Transaction> =>
    call<Transaction>('POST', '/v1/transactions/screen', { body }, options),

  /**
   * Get a screened transaction.
   *
   * Results are kept for 90 days.
   *
   * Requires the permission `read`; with `include=subject` also `read_personal`. Specific errors: `not_found`.
   */
  get: (transaction_id: string, query?: SubjectQuery, options?: CallOptions): Promise<Transaction> =>
    call<Transaction>('GET', '/v1/transactions/{transaction_id}', { params: { transaction_id }, query }, options),
});
