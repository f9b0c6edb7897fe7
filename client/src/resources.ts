// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCreation, byCursor } from './pages.ts';
import type {
  ApiKeyList,
  ApiKeyRequest,
  AuditCheck,
  AuditEntry,
  AuditList,
  AuditQuery,
  Backtest,
  BacktestList,
  BacktestQuery,
  BacktestRequest,
  Case,
  CaseList,
  CaseQuery,
  CaseResolution,
  Decision,
  DecisionQuery,
  Delivery,
  DeliveryList,
  DeliveryQuery,
  Event,
  EventRequest,
  Label,
  LabelList,
  LabelQuery,
  LabelRequest,
  List,
  ListChange,
  ListCheck,
  ListCheckRequest,
  ListEntriesAdded,
  ListEntriesRequest,
  ListEntry,
  ListEntryList,
  ListEntryQuery,
  ListEntryRemoval,
  ListRequest,
  Lists,
  Model,
  ModelList,
  NewApiKey,
  NewWebhook,
  Policy,
  PolicyChange,
  PolicyQuery,
  PolicyVersions,
  PromotionRequest,
  ReviewRequest,
  RiskProfile,
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
  Training,
  TrainingRequest,
  Transaction,
  TransactionRequest,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookRequest,
} from './types.ts';

/** The release of the API that this client was made for, and asks for. */
export const API_VERSION = '2026-11-01';

export const makeResources = (call: Call) => ({
  /** Screen payments and read the results. */
  transactions: {
    /**
     * Screen a transaction.
     *
     * Scores the transaction, stores the result and answers with the decision. A `review` opens a case.
     *
     * The address `203.0.113.2` always gets `review` and `203.0.113.3` always `block`, for trying it out.
     *
     * Needs the permission `screen`.
     */
    screen: (body: TransactionRequest, options?: PostOptions): Promise<Transaction> =>
      call<Transaction>('POST', '/v1/transactions/screen', { body }, options),

    /**
     * Get a screened transaction.
     *
     * Results are kept for 90 days.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (transaction_id: string, options?: CallOptions): Promise<Transaction> =>
      call<Transaction>('GET', '/v1/transactions/{transaction_id}', { params: { transaction_id } }, options),
  },
  /** Screen logins, signups and other user actions. */
  events: {
    /**
     * Screen an event.
     *
     * Scores a login, signup or other user action. A `review` opens a case.
     *
     * Needs the permission `screen`.
     */
    screen: (body: EventRequest, options?: PostOptions): Promise<Event> =>
      call<Event>('POST', '/v1/events', { body }, options),

    /**
     * Get a screened event.
     *
     * Results are kept for 90 days.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (event_id: string, options?: CallOptions): Promise<Event> =>
      call<Event>('GET', '/v1/events/{event_id}', { params: { event_id } }, options),
  },
  /** What is known of a user. */
  users: {
    /**
     * Get a user's risk profile.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    getRiskProfile: (user_id: string, options?: CallOptions): Promise<RiskProfile> =>
      call<RiskProfile>('GET', '/v1/users/{user_id}/risk-profile', { params: { user_id } }, options),
  },
  /** Why screening decided as it did, and manual overrides. */
  decisions: {
    /**
     * Get a decision.
     *
     * With the factors that make up its score and the reviews it got. Kept for 90 days.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (decision_id: string, query?: DecisionQuery, options?: CallOptions): Promise<Decision> =>
      call<Decision>('GET', '/v1/decisions/{decision_id}', { params: { decision_id }, query }, options),

    /**
     * Override a decision.
     *
     * May be said again: the last one is in force. An open case of the decision is resolved by the same act.
     *
     * Needs the permission `review`. Errors of its own: `not_found`.
     */
    review: (decision_id: string, body: ReviewRequest, options?: PostOptions): Promise<Decision> =>
      call<Decision>('POST', '/v1/decisions/{decision_id}/review', { params: { decision_id }, body }, options),
  },
  /** Items that wait for a person. */
  cases: {
    /**
     * List cases.
     *
     * Newest first.
     *
     * Needs the permission `read`.
     */
    list: (query?: CaseQuery, options?: CallOptions): Promise<CaseList> =>
      call<CaseList>('GET', '/v1/cases', { query }, options),
    /**
     * List cases, all of them: a page is asked for when you come to it.
     *
     * Newest first.
     *
     * Needs the permission `read`.
     */
    iterate: (query: Omit<CaseQuery, 'offset'> = {}, options?: CallOptions): AsyncGenerator<Case, void, undefined> =>
      byCreation((query: CaseQuery) => call<CaseList>('GET', '/v1/cases', { query }, options), query),
    /**
     * Get a case.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (case_id: string, options?: CallOptions): Promise<Case> =>
      call<Case>('GET', '/v1/cases/{case_id}', { params: { case_id } }, options),

    /**
     * Resolve a case.
     *
     * Only an open case can be resolved, once, within 7 days.
     *
     * Needs the permission `review`. Errors of its own: `not_found`, `case_not_open`, `case_expired`.
     */
    resolve: (case_id: string, body: CaseResolution, options?: CallOptions): Promise<Case> =>
      call<Case>('PUT', '/v1/cases/{case_id}', { params: { case_id }, body }, options),
  },
  /** What is known of an item in hindsight: fraud or legitimate. */
  labels: {
    /**
     * Label a transaction or event.
     *
     * For chargebacks and reports from elsewhere; resolving a case and overriding a decision label by themselves. The newest label of an item is in force. It is counted at once: screenings from now on know of it.
     *
     * Needs the permission `review`. Errors of its own: `not_found`.
     */
    add: (body: LabelRequest, options?: PostOptions): Promise<Label> =>
      call<Label>('POST', '/v1/labels', { body }, options),

    /**
     * List labels.
     *
     * Newest first. They outlive the 90 days of what they are about.
     *
     * Needs the permission `read`.
     */
    list: (query?: LabelQuery, options?: CallOptions): Promise<LabelList> =>
      call<LabelList>('GET', '/v1/labels', { query }, options),
    /**
     * List labels, all of them: a page is asked for when you come to it.
     *
     * Newest first. They outlive the 90 days of what they are about.
     *
     * Needs the permission `read`.
     */
    iterate: (query: LabelQuery = {}, options?: CallOptions): AsyncGenerator<Label, void, undefined> =>
      byCursor(
        (query: LabelQuery) => call<LabelList>('GET', '/v1/labels', { query }, options),
        query,
        (page) => page.labels,
        (item) => item.label_id,
      ),
    /**
     * Get a label.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (label_id: string, options?: CallOptions): Promise<Label> =>
      call<Label>('GET', '/v1/labels/{label_id}', { params: { label_id } }, options),
  },
  /** Endpoints to notify. */
  webhooks: {
    /**
     * Register a webhook endpoint.
     *
     * The signing secret is in this answer and in no other.
     *
     * Needs the permission `administer`.
     */
    create: (body: WebhookRequest, options?: PostOptions): Promise<NewWebhook> =>
      call<NewWebhook>('POST', '/v1/webhooks', { body }, options),

    /**
     * List webhook endpoints.
     *
     * Needs the permission `read`.
     */
    list: (options?: CallOptions): Promise<WebhookList> => call<WebhookList>('GET', '/v1/webhooks', {}, options),

    /**
     * Get a webhook endpoint.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>('GET', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),

    /**
     * Change a webhook endpoint.
     *
     * Members left out stay as they are. What is still owed goes to the new URL. Enabling it lets what is owed be sent, and begins the count of failing days anew.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`.
     */
    change: (webhook_id: string, body: WebhookChange, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>('PUT', '/v1/webhooks/{webhook_id}', { params: { webhook_id }, body }, options),

    /**
     * Make a new signing secret.
     *
     * The new secret is in this answer and in no other. For 24 hours deliveries are signed with both.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`.
     */
    rotateSecret: (webhook_id: string, options?: PostOptions): Promise<NewWebhook> =>
      call<NewWebhook>('POST', '/v1/webhooks/{webhook_id}/rotate-secret', { params: { webhook_id } }, options),

    /**
     * Send a test message.
     *
     * Sends `webhook.test` with the endpoint as its data, whatever the endpoint is subscribed to.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `webhook_disabled`.
     */
    test: (webhook_id: string, options?: PostOptions): Promise<Delivery> =>
      call<Delivery>('POST', '/v1/webhooks/{webhook_id}/test', { params: { webhook_id } }, options),

    /**
     * List deliveries.
     *
     * What was and is to be sent to the endpoint, newest first. Kept for 30 days.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    listDeliveries: (webhook_id: string, query?: DeliveryQuery, options?: CallOptions): Promise<DeliveryList> =>
      call<DeliveryList>('GET', '/v1/webhooks/{webhook_id}/deliveries', { params: { webhook_id }, query }, options),
    /**
     * List deliveries, all of them: a page is asked for when you come to it.
     *
     * What was and is to be sent to the endpoint, newest first. Kept for 30 days.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    iterateDeliveries: (
      webhook_id: string,
      query: DeliveryQuery = {},
      options?: CallOptions,
    ): AsyncGenerator<Delivery, void, undefined> =>
      byCursor(
        (query: DeliveryQuery) =>
          call<DeliveryList>('GET', '/v1/webhooks/{webhook_id}/deliveries', { params: { webhook_id }, query }, options),
        query,
        (page) => page.deliveries,
        (item) => item.message_id,
      ),
    /**
     * Send a delivery again.
     *
     * Now, whatever became of it before. One that had failed for good gets this one attempt more.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `webhook_disabled`.
     */
    retryDelivery: (webhook_id: string, message_id: string, options?: PostOptions): Promise<Delivery> =>
      call<Delivery>(
        'POST',
        '/v1/webhooks/{webhook_id}/deliveries/{message_id}/retry',
        { params: { webhook_id, message_id } },
        options,
      ),

    /**
     * Delete a webhook endpoint.
     *
     * Nothing further is sent to it. A delivery already under way may still arrive.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`.
     */
    delete: (webhook_id: string, options?: CallOptions): Promise<void> =>
      call<void>('DELETE', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),
  },
  /** Who may call. */
  apiKeys: {
    /**
     * Create an API key.
     *
     * The secret is in this answer and in no other.
     *
     * Needs the permission `administer`.
     */
    create: (body: ApiKeyRequest, options?: PostOptions): Promise<NewApiKey> =>
      call<NewApiKey>('POST', '/v1/api-keys', { body }, options),

    /**
     * List API keys.
     *
     * Those of the calling key's account and environment that are not revoked.
     *
     * Needs the permission `administer`.
     */
    list: (options?: CallOptions): Promise<ApiKeyList> => call<ApiKeyList>('GET', '/v1/api-keys', {}, options),

    /**
     * Revoke an API key.
     *
     * At once and for good.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`.
     */
    delete: (key_id: string, options?: CallOptions): Promise<void> =>
      call<void>('DELETE', '/v1/api-keys/{key_id}', { params: { key_id } }, options),
  },
  /** Users, addresses, devices and others that you block, review, trust, or ask for in rules. */
  lists: {
    /**
     * List the lists.
     *
     * Every account has `block`, `review`, `trusted` and, for trying it out, `test_addresses`.
     *
     * Needs the permission `read`.
     */
    list: (options?: CallOptions): Promise<Lists> => call<Lists>('GET', '/v1/lists', {}, options),

    /**
     * Create a list.
     *
     * Up to 100.
     *
     * Needs the permission `administer`. Errors of its own: `list_exists`, `limit_reached`.
     */
    create: (body: ListRequest, options?: PostOptions): Promise<List> =>
      call<List>('POST', '/v1/lists', { body }, options),

    /**
     * Check what is on lists.
     *
     * Tells which entries a user, an address and so on meet, and why these are there.
     *
     * Needs the permission `read`.
     */
    check: (body: ListCheckRequest, options?: PostOptions): Promise<ListCheck> =>
      call<ListCheck>('POST', '/v1/lists/check', { body }, options),

    /**
     * Get a list.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (list_id: string, options?: CallOptions): Promise<List> =>
      call<List>('GET', '/v1/lists/{list_id}', { params: { list_id } }, options),

    /**
     * Change a list.
     *
     * Members left out stay as they are. In force for every screening that begins after the answer.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`.
     */
    change: (list_id: string, body: ListChange, options?: CallOptions): Promise<List> =>
      call<List>('PUT', '/v1/lists/{list_id}', { params: { list_id }, body }, options),

    /**
     * Delete a list.
     *
     * With everything on it. Refused while a live or shadow rule names it.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`, `list_in_use`.
     */
    delete: (list_id: string, options?: CallOptions): Promise<void> =>
      call<void>('DELETE', '/v1/lists/{list_id}', { params: { list_id } }, options),

    /**
     * List what is on a list.
     *
     * Newest first.
     *
     * Needs the permission `read`. Errors of its own: `not_found`, `list_built_in`.
     */
    listEntries: (list_id: string, query?: ListEntryQuery, options?: CallOptions): Promise<ListEntryList> =>
      call<ListEntryList>('GET', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
    /**
     * List what is on a list, all of them: a page is asked for when you come to it.
     *
     * Newest first.
     *
     * Needs the permission `read`. Errors of its own: `not_found`, `list_built_in`.
     */
    iterateEntries: (
      list_id: string,
      query: ListEntryQuery = {},
      options?: CallOptions,
    ): AsyncGenerator<ListEntry, void, undefined> =>
      byCursor(
        (query: ListEntryQuery) =>
          call<ListEntryList>('GET', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
        query,
        (page) => page.entries,
        (item) => item.entry_id,
      ),
    /**
     * Add entries to a list.
     *
     * Up to 1,000 at once and 1,000,000 on all lists together. All are taken, or none. An entry that is there is replaced. In force for every screening that begins after the answer.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`, `limit_reached`.
     */
    addEntries: (list_id: string, body: ListEntriesRequest, options?: PostOptions): Promise<ListEntriesAdded> =>
      call<ListEntriesAdded>('POST', '/v1/lists/{list_id}/entries', { params: { list_id }, body }, options),

    /**
     * Take an entry off a list.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`.
     */
    removeEntry: (list_id: string, query: ListEntryRemoval, options?: CallOptions): Promise<void> =>
      call<void>('DELETE', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
  },
  /** Conditions of your own, and what follows from them. */
  rules: {
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
  },
  /** What turns a score into a decision. */
  policy: {
    /**
     * Get the policy in force.
     *
     * Needs the permission `read`.
     */
    get: (options?: CallOptions): Promise<Policy> => call<Policy>('GET', '/v1/policy', {}, options),

    /**
     * Change the policy.
     *
     * In force for every screening that begins after the answer. Earlier decisions stay as they are.
     *
     * Needs the permission `administer`.
     */
    change: (body: PolicyChange, options?: CallOptions): Promise<Policy> =>
      call<Policy>('PUT', '/v1/policy', { body }, options),

    /**
     * List versions of the policy.
     *
     * Needs the permission `read`.
     */
    listVersions: (query?: PolicyQuery, options?: CallOptions): Promise<PolicyVersions> =>
      call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
    /**
     * List versions of the policy, all of them: a page is asked for when you come to it.
     *
     * Needs the permission `read`.
     */
    iterateVersions: (query: PolicyQuery = {}, options?: CallOptions): AsyncGenerator<Policy, void, undefined> =>
      byCursor(
        (query: PolicyQuery) => call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
        query,
        (page) => page.versions,
        (item) => item.version,
      ),
  },
  /** What a rule or a policy would have done. */
  backtests: {
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
  },
  /** What says how likely fraud is, learned from what you label. */
  models: {
    /**
     * List models.
     *
     * Newest first, the one that ships last.
     *
     * Needs the permission `read`.
     */
    list: (options?: CallOptions): Promise<ModelList> => call<ModelList>('GET', '/v1/models', {}, options),

    /**
     * Get a model.
     *
     * With the gates it was asked to pass, its curves and what it looks at.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    get: (model_version: string, options?: CallOptions): Promise<Model> =>
      call<Model>('GET', '/v1/models/{model_version}', { params: { model_version } }, options),

    /**
     * Train a model.
     *
     * From what was screened and labelled in production, on top of the model that ships, in the background. It becomes the champion if it passes all gates.
     *
     * Needs the permission `administer`. Errors of its own: `training_in_progress`.
     */
    train: (body: TrainingRequest, options?: PostOptions): Promise<Training> =>
      call<Training>('POST', '/v1/models/train', { body }, options),

    /**
     * Get a training.
     *
     * Needs the permission `read`. Errors of its own: `not_found`.
     */
    getTraining: (training_id: string, options?: CallOptions): Promise<Training> =>
      call<Training>('GET', '/v1/trainings/{training_id}', { params: { training_id } }, options),

    /**
     * Promote a model.
     *
     * It scores every screening that begins after the answer, in both environments. With a key of production alone.
     *
     * Needs the permission `administer`. Errors of its own: `not_found`, `model_rejected`.
     */
    promote: (model_version: string, body: PromotionRequest, options?: PostOptions): Promise<Model> =>
      call<Model>('POST', '/v1/models/{model_version}/promote', { params: { model_version }, body }, options),

    /**
     * Go back to the model before.
     *
     * In the end to the one that ships. With a key of production alone.
     *
     * Needs the permission `administer`. Errors of its own: `no_earlier_model`.
     */
    rollBack: (options?: PostOptions): Promise<Model> => call<Model>('POST', '/v1/models/rollback', {}, options),
  },
  /** Who changed what. */
  audit: {
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
  },
});
