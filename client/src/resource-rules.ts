// Generated from the contract by `npm run client`. Do not edit.

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
  RuleSeries,
  RuleSeriesQuery,
  RuleVariables,
  RuleVersions,
} from './types.ts';

export const makeRules = (call: Call) => ({
  /**
   * Create a rule.
   *
   * Creates a draft. Drafts are not evaluated. An invalid expression is refused with the position of the error. Up to 500 rules.
   *
   * Requires the permission `tune`. Specific errors: `rule_exists`, `limit_reached`.
   */
  create: (body: RuleRequest, options?: PostOptions): Promise<Rule> =>
    call<Rule>('POST', '/v1/rules', { body }, options),

  /**
   * List rules.
   *
   * Requires the permission `read`.
   */
  list: (query?: RuleQuery, options?: CallOptions): Promise<RuleList> =>
    call<RuleList>('GET', '/v1/rules', { query }, options),

  /**
   * List the variables of expressions.
   *
   * Requires the permission `read`.
   */
  listVariables: (options?: CallOptions): Promise<RuleVariables> =>
    call<RuleVariables>('GET', '/v1/rules/variables', {}, options),

  /**
   * Check an expression.
   *
   * Validates an expression without storing it.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  check: (body: RuleCheckRequest, options?: PostOptions): Promise<RuleCheck> =>
    call<RuleCheck>('POST', '/v1/rules/check', { body }, options),

  /**
   * Get a rule.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (rule_id: string, options?: CallOptions): Promise<Rule> =>
    call<Rule>('GET', '/v1/rules/{rule_id}', { params: { rule_id } }, options),

  /**
   * Change a rule or its state.
   *
   * Omitted fields keep their value. A draft can move to `shadow`, a shadow rule to `live` or back to `draft`, a live rule back to `shadow`; each can be `retired`. The content of a rule can change only if the rule is a draft or in shadow after the change. Applies to every screening that starts after the response.
   *
   * Requires the permission `tune`. Specific errors: `not_found`, `rule_exists`, `rule_state`, `limit_reached`.
   */
  change: (rule_id: string, body: RuleChange, options?: CallOptions): Promise<Rule> =>
    call<Rule>('PUT', '/v1/rules/{rule_id}', { params: { rule_id }, body }, options),

  /**
   * Retire a rule.
   *
   * The rule is no longer evaluated, permanently. A draft that never matched is deleted.
   *
   * Requires the permission `tune`. Specific errors: `not_found`.
   */
  delete: (rule_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/rules/{rule_id}', { params: { rule_id } }, options),

  /**
   * List the hits of a rule.
   *
   * Matches in shadow and live, newest first. Kept for 90 days.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  listHits: (rule_id: string, query?: RuleHitQuery, options?: CallOptions): Promise<RuleHits> =>
    call<RuleHits>('GET', '/v1/rules/{rule_id}/hits', { params: { rule_id }, query }, options),
  /**
   * List the hits of a rule: iterates over all of them, and requests each page when it is needed.
   *
   * Matches in shadow and live, newest first. Kept for 90 days.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
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
  /**
   * Get the hits of a rule by day.
   *
   * Matches of all versions, in shadow and live, with the labels that apply now.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getSeries: (rule_id: string, query?: RuleSeriesQuery, options?: CallOptions): Promise<RuleSeries> =>
    call<RuleSeries>('GET', '/v1/rules/{rule_id}/series', { params: { rule_id }, query }, options),

  /**
   * List the versions of a rule.
   *
   * Newest first, with who stored each.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  listVersions: (rule_id: string, options?: CallOptions): Promise<RuleVersions> =>
    call<RuleVersions>('GET', '/v1/rules/{rule_id}/versions', { params: { rule_id } }, options),
});
