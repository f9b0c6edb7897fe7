// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type { AuditCheck, AuditCheckQuery, AuditEntry, AuditList, AuditQuery } from './types.ts';

export const makeAudit = (call: Call) => ({
  /**
   * List changes.
   *
   * Every change of policy, rules, lists, models, webhook endpoints and API keys, with author, time, and values before and after. Secrets are never in it.
   *
   * Requires the permission `administer`.
   */
  list: (query?: AuditQuery, options?: CallOptions): Promise<AuditList> =>
    call<AuditList>('GET', '/v1/audit', { query }, options),
  /**
   * List changes: iterates over all of them, and requests each page when it is needed.
   *
   * Every change of policy, rules, lists, models, webhook endpoints and API keys, with author, time, and values before and after. Secrets are never in it.
   *
   * Requires the permission `administer`.
   */
  iterate: (query: AuditQuery = {}, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined> =>
    byCursor(
      (query: AuditQuery) => call<AuditList>('GET', '/v1/audit', { query }, options),
      query,
      (page) => page.entries,
      (item) => item.number,
    ),
  /**
   * Verify the audit log.
   *
   * Each entry carries a keyed hash over itself and the entry before it, and the newest entry of every account is anchored outside the database. The check names what was done to the log: entries changed, removed, inserted, reordered or taken from another account, the end cut off, the log emptied or replaced by an older copy. Send the `anchor` of an earlier check to prove that the log still contains what it contained then.
   *
   * Requires the permission `administer`.
   */
  check: (query?: AuditCheckQuery, options?: CallOptions): Promise<AuditCheck> =>
    call<AuditCheck>('GET', '/v1/audit/check', { query }, options),
});
