// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type { AuditCheck, AuditEntry, AuditList, AuditQuery } from './types.ts';

export const makeAudit = (call: Call) => ({
  /**
   * List changes.
   *
   * Every change of policy, rules, lists and models: who, when, before and after.
   *
   * Needs the permission `administer`.
   */
  list: (query?: AuditQuery, options?: CallOptions): Promise<AuditList> =>
    call<AuditList>('GET', '/v1/audit', { query }, options),
  /**
   * List changes, all of them: a page is asked for when you come to it.
   *
   * Every change of policy, rules, lists and models: who, when, before and after.
   *
   * Needs the permission `administer`.
   */
  iterate: (query: AuditQuery = {}, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined> =>
    byCursor(
      (query: AuditQuery) => call<AuditList>('GET', '/v1/audit', { query }, options),
      query,
      (page) => page.entries,
      (item) => item.number,
    ),
  /**
   * Check the chain of changes.
   *
   * Each entry has a hash over itself and the one before. An entry changed, removed or slipped in shows, and so does an end that was cut off.
   *
   * Needs the permission `administer`.
   */
  check: (options?: CallOptions): Promise<AuditCheck> => call<AuditCheck>('GET', '/v1/audit/check', {}, options),
});
