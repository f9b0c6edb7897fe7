// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type {
  Rule,
  RuleChange,
  RuleCheck,
  RuleCheckRequest,
  RuleHitQuery,
  RuleHits,
  RuleList,
  RuleQuery,
  RuleRequest,
  RuleVariables,
} from './types.ts';

export const makeRules = (call: Call) => ({
  /**
   * Create a rule.
   *
   * As a draft, which is not asked. The expression is checked now; a fault is told with its place. Up to 500.
   *
   * Needs the permission `administer`. Errors of its own: `rule_exists`, `limit_reached`.
   */
  create: (body: RuleRequest, options?: PostOptions): Promise<Rule> =>
    call<Rule>('POST', '/v1/rules', { body }, options),

  /**
   * List rules.
   *
   * Needs the permission `read`.
   */
  list: (query?: RuleQuery, options?: CallOptions): Promise<RuleList> =>
    call<RuleList>('GET', '/v1/rules', { query }, options),

  /**
   * List what an expression may name.
   *
   * Needs the permission `read`.
   */
  listVariables: (options?: CallOptions): Promise<RuleVariables> =>
    call<RuleVariables>('GET', '/v1/rules/variables', {}, options),

  /**
   * Check an expression.
   *
   * Stores nothing.
   *
   * Needs the permission `read`.
   */
  check: (body: RuleCheckRequest, options?: PostOptions): Promise<RuleCheck> =>
    call<RuleCheck>('POST', '/v1/rules/check', { body }, options),

  /**
   * Get a rule.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (rule_id: string, options?: CallOptions): Promise<Rule> =>
    call<Rule>('GET', '/v1/rules/{rule_id}', { params: { rule_id } }, options),

  /**
   * Change a rule or its state.
   *
   * Members left out stay as they are. A draft may go to `shadow`, a rule in shadow to `live` or back to `draft`, a live one back to `shadow`; each may be `retired`. What it says can be changed only where it then is a draft or in shadow. In force for every screening that begins after the answer.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `rule_exists`, `rule_state`, `limit_reached`.
   */
  change: (rule_id: string, body: RuleChange, options?: CallOptions): Promise<Rule> =>
    call<Rule>('PUT', '/v1/rules/{rule_id}', { params: { rule_id }, body }, options),

  /**
   * Retire a rule.
   *
   * For good: it is no longer asked. A draft that never matched anything disappears.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`.
   */
  delete: (rule_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/rules/{rule_id}', { params: { rule_id } }, options),

  /**
   * List what a rule matched.
   *
   * In shadow and live, newest first. Kept for 90 days.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  listHits: (rule_id: string, query?: RuleHitQuery, options?: CallOptions): Promise<RuleHits> =>
    call<RuleHits>('GET', '/v1/rules/{rule_id}/hits', { params: { rule_id }, query }, options),
  /**
   * List what a rule matched, all of them: a page is asked for when you come to it.
   *
   * In shadow and live, newest first. Kept for 90 days.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  iterateHits: (
    rule_id: string,
    query: RuleHitQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<RuleHits['hits'][number], void, undefined> =>
    byCursor(
      (query: RuleHitQuery) =>
        call<RuleHits>('GET', '/v1/rules/{rule_id}/hits', { params: { rule_id }, query }, options),
      query,
      (page) => page.hits,
      (item) => item.decision_id,
    ),
});
