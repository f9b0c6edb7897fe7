// Made from the contract by `npm run client`; not to be edited.

/** The HTTP status of each error code. */
export interface ErrorStatuses {
  invalid_request: 400;
  invalid_json: 400;
  unsupported_api_version: 400;
  missing_api_key: 401;
  invalid_api_key: 401;
  insufficient_scope: 403;
  wrong_environment: 403;
  not_found: 404;
  method_not_allowed: 405;
  case_not_open: 409;
  case_expired: 409;
  webhook_disabled: 409;
  training_in_progress: 409;
  model_rejected: 409;
  no_earlier_model: 409;
  list_exists: 409;
  list_built_in: 409;
  list_in_use: 409;
  limit_reached: 409;
  rule_exists: 409;
  rule_state: 409;
  backtest_in_progress: 409;
  idempotency_in_progress: 409;
  payload_too_large: 413;
  unsupported_media_type: 415;
  idempotency_key_reused: 422;
  rate_limited: 429;
  internal_error: 500;
  unavailable: 503;
}

/** A postal address. Every member is optional. */
export interface Address {
  line1?: string | undefined;
  line2?: string | undefined;
  city?: string | undefined;
  state?: string | undefined;
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2, either case. */
  country?: string | undefined;
}

/** A key, without its secret. */
export interface ApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The end of the key, to tell it from others. */
  hint: string;
  rate_limit_per_minute: number | null;
  /** When it was made. */
  created_at: string;
}

export interface ApiKeyList {
  api_keys: ApiKey[];
}

/** The new key belongs to the calling key's account and environment. */
export interface ApiKeyRequest {
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  /** For people. */
  label?: string | undefined;
  /** Requests a minute. */
  rate_limit_per_minute?: number | undefined;
}

/** Whether the chain is as it was written. */
export interface AuditCheck {
  intact: boolean;
  /** How many were checked. */
  entries: number;
  broken_at: number | null;
}

export interface AuditEntry {
  /** Counts from 1, without a gap. */
  number: number;
  /** When it was changed. */
  at: string;
  /** The key it was changed with. */
  key_id: string;
  role: string;
  action: string;
  /** What was changed. */
  target: string;
  /** As it was; `null` when it is new. */
  before: unknown;
  /** As it is since; `null` when it is gone. */
  after: unknown;
  /** Of this entry and the hash before it, keyed. */
  hash: string;
}

/** Newest first. */
export interface AuditList {
  entries: AuditEntry[];
  has_more: boolean;
}

export interface AuditQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only entries with a smaller number. */
  before?: number | undefined;
  /** Only changes of this. */
  target?: string | undefined;
}

/** What a rule or a policy would have done. */
export interface Backtest {
  /** The backtest. */
  backtest_id: string;
  status: 'running' | 'done' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** Exactly one of `rule_id`, `rule` and `policy`. */
  request: BacktestRequest;
  /** Where it begins. */
  from: string;
  /** Where it ends. */
  until: string;
  /** When it was asked for. */
  created_at: string;
  ended_at: string | null;
  message: string | null;
  outcome: BacktestOutcome | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface BacktestList {
  backtests: Backtest[];
  has_more: boolean;
}

export interface BacktestOutcome {
  /** How many were screened in the time. */
  items: number;
  /** How many the rule matches; of a policy, how many it decides otherwise. */
  hits: number;
  /** How many would have been decided otherwise. */
  changed: number;
  /** By the policy in force. */
  before: {
    /** Allowed. */
    allow: number;
    /** Held. */
    review: number;
    /** Blocked. */
    block: number;
  };
  /** With the rule live, or by the changed policy. */
  after: {
    /** Allowed. */
    allow: number;
    /** Held. */
    review: number;
    /** Blocked. */
    block: number;
  };
  /** Confirmed fraud. */
  fraud: {
    /** With this label. */
    items: number;
    /** Of these, matched. */
    hits: number;
  };
  /** Confirmed to be legitimate. */
  legitimate: {
    /** With this label. */
    items: number;
    /** Of these, matched. */
    hits: number;
  };
  /** Amounts, converted at reference rates. */
  dollars: {
    /** Payments that are matched. */
    hits: number;
    /** Of these, confirmed fraud. */
    fraud_hits: number;
    /** Of these, confirmed to be legitimate. */
    legitimate_hits: number;
  };
  /** Rules that are live. */
  overlap: {
    rule_id: string;
    name: string;
    /** Matched by the live rule. */
    hits: number;
    /** Matched by both. */
    both: number;
  }[];
  /** Day by day, oldest first. */
  days: {
    day: string;
    /** Screened. */
    items: number;
    /** Matched. */
    hits: number;
  }[];
  /** The newest hits, at most 20. */
  examples: {
    subject_type: 'transaction' | 'event';
    subject_id: string;
    /** When it was screened. */
    screened_at: string;
    score_before: number;
    score_after: number;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision_before: 'allow' | 'review' | 'block';
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision_after: 'allow' | 'review' | 'block';
    label: 'fraud' | 'legitimate' | null;
  }[];
}

export interface BacktestQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `backtest_id` of the page before. */
  before?: string | undefined;
}

/** Exactly one of `rule_id`, `rule` and `policy`. */
export interface BacktestRequest {
  /** A rule that is stored, in whatever state. */
  rule_id?: string | undefined;
  rule?:
    | {
        /** As in a rule. */
        expression: string;
        /** Either `points` or `decision`. */
        action: {
          /** Hundredths of what is left of the score up to 100. */
          points?: number | undefined;
          /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
          decision?: 'allow' | 'review' | 'block' | undefined;
        };
      }
    | undefined;
  /** What is left out stays as it is; `points` is replaced as a whole. */
  policy?: PolicyChange | undefined;
  /** What was screened from here on; 30 days before `until` where it is left out. */
  from?: string | undefined;
  /** And before this; now where it is left out. */
  until?: string | undefined;
}

/** One flagged item that needs a human decision. */
export interface Case {
  /** The case. */
  case_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** The decision that opened it. */
  decision_id: string;
  status: 'open' | 'approved' | 'rejected' | 'expired';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  decision: 'review';
  /** Names of the risk signals that were active. */
  signals: string[];
  /** When it was opened. */
  created_at: string;
  /** From this millisecond on it is `expired` unless resolved. */
  expires_at: string;
  resolved_at: string | null;
  analyst_id: string | null;
  notes: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface CaseList {
  cases: Case[];
  /** How many match, on all pages. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface CaseQuery {
  /** Absent: all. */
  status?: 'open' | 'approved' | 'rejected' | 'expired' | undefined;
  /** @default 20 */
  limit?: number | undefined;
  /** @default 0 */
  offset?: number | undefined;
  /** Cases created at or after it. */
  start_date?: string | undefined;
  /** Cases created before it. */
  end_date?: string | undefined;
}

export interface CaseResolution {
  /** `approved`: legitimate, a false positive. `rejected`: confirmed fraud. */
  status: 'approved' | 'rejected';
  /** Your identifier of the person who decided. */
  analyst_id?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}

/** `decision` is what is in force now, `automated_decision` what screening said. */
export interface Decision {
  /** Retrieves this decision for 90 days. */
  decision_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  automated_decision: 'allow' | 'review' | 'block';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** Names of the risk signals that were active. */
  signals: string[];
  /** Why, largest first. With `base_score` the contributions add up to `risk_score`. */
  factors: Factor[];
  /** The score before any factor. */
  base_score: number;
  /** Null when no model took part. */
  model_version: string | null;
  ruleset_version: string;
  /** Names of facts that could not be had; a kind of entity, such as `user`, where that was all of its history. */
  unavailable: string[];
  case_id: string | null;
  /** Oldest first. */
  reviews: Review[];
  /** When screening decided. */
  decided_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface DecisionQuery {
  /**
   * `exact` parts the share of the model by exact Shapley values, computed now; `stored` are those kept with the decision.
   * @default "stored"
   */
  factors?: 'stored' | 'exact' | undefined;
}

/** One message on its way to one endpoint. */
export interface Delivery {
  /** The message: `webhook-id` of every attempt. */
  message_id: string;
  /** The endpoint. */
  webhook_id: string;
  type:
    | 'transaction.screened'
    | 'transaction.decision.block'
    | 'event.screened'
    | 'case.created'
    | 'case.resolved'
    | 'case.expired'
    | 'decision.reviewed'
    | 'webhook.test';
  /** `owed` until an attempt succeeds; `failed` when none is left. */
  status: 'owed' | 'delivered' | 'failed';
  /** When what it tells of happened. */
  created_at: string;
  next_attempt_at: string | null;
  /** Oldest first, the last 20. */
  attempts: {
    /** When it began. */
    attempted_at: string;
    http_status: number | null;
    /** How long the whole exchange took. */
    latency_ms: number;
    error: string | null;
  }[];
}

/** Newest first. */
export interface DeliveryList {
  deliveries: Delivery[];
  has_more: boolean;
}

export interface DeliveryQuery {
  /** Only those in this state. */
  status?: 'owed' | 'delivered' | 'failed' | undefined;
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `message_id` of the page before. */
  before?: string | undefined;
}

export interface ErrorDetail {
  /** A JSON path. */
  field: string;
  message: string;
}

/** What screening said of an event. It never changes. */
export interface Event {
  /** Retrieves this result for 90 days. */
  event_id: string;
  user_id: string;
  type:
    | 'login'
    | 'signup'
    | 'password_reset'
    | 'password_change'
    | 'email_change'
    | 'phone_change'
    | 'address_change'
    | 'mfa_change'
    | 'payment_method_added'
    | 'payout_request'
    | 'logout'
    | 'other';
  outcome: 'succeeded' | 'failed';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the risk signals that were active. */
  signals: string[];
  /** When it was screened. */
  screened_at: string;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** Null unless the decision is `review`. */
  case_id: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** A user action other than a payment, to screen. */
export interface EventRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** What the user did. */
  type:
    | 'login'
    | 'signup'
    | 'password_reset'
    | 'password_change'
    | 'email_change'
    | 'phone_change'
    | 'address_change'
    | 'mfa_change'
    | 'payment_method_added'
    | 'payout_request'
    | 'logout'
    | 'other';
  /** @default "succeeded" */
  outcome?: 'succeeded' | 'failed' | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, values of up to 500. */
  metadata?: Record<string, string> | undefined;
}

/** One reason for the score: a signal or a feature. */
export interface Factor {
  signal?: string | undefined;
  feature?: string | undefined;
  description: string;
  /** In score points. */
  contribution: number;
}

/** What is known of an item in hindsight. The newest of an item is in force. */
export interface Label {
  /** The label. */
  label_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  /** What is known of it now. */
  label: 'fraud' | 'legitimate';
  /** How it came about: a case that was resolved, a decision that was overridden, or `POST /v1/labels`. */
  origin: 'case' | 'review' | 'api';
  /** As given; else the same as `origin`. */
  source: string;
  /** The analyst where one was named, else the API key. */
  author: string;
  occurred_at: string | null;
  notes: string | null;
  /** When it was given here: from then on it counts. */
  labelled_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface LabelList {
  labels: Label[];
  has_more: boolean;
}

export interface LabelQuery {
  /** Only those of this `transaction_id` or `event_id`. */
  subject?: string | undefined;
  /** Only those given at this time or later. */
  since?: string | undefined;
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `label_id` of the page before. */
  before?: string | undefined;
}

/** What became known of a screened transaction or event. */
export interface LabelRequest {
  /** The transaction it is about. */
  transaction_id?: string | undefined;
  /** The event it is about. Exactly one of the two must be given. */
  event_id?: string | undefined;
  /** What is known of it now. */
  label: 'fraud' | 'legitimate';
  /** Where you have it from, in your own words. */
  source: string;
  /** When it became known to you; not in the future. It counts from now on all the same. */
  occurred_at?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}

/** Values that mean something wherever they occur. */
export interface List {
  /** The name. */
  list_id: string;
  name: string;
  description: string;
  /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
  treatment: 'block' | 'review' | 'trusted' | 'none';
  /** Built-in lists cannot be changed or deleted. */
  built_in: boolean;
  /** Without those that are expired. */
  entry_count: number;
  /** Of `test_addresses` alone. Those of other lists have a path of their own. */
  entries?:
    | {
        ip_address: string;
        /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
        decision: 'allow' | 'review' | 'block';
      }[]
    | undefined;
  created_at: string | null;
  updated_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is. */
export interface ListChange {
  /** For people. */
  description?: string | undefined;
  /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
}

/** The entries that it meets, on any list. */
export interface ListCheck {
  matches: {
    list_id: string;
    /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
    treatment: 'block' | 'review' | 'trusted' | 'none';
    /** The entry, as it is now: one that is replaced gets another. */
    entry_id: string;
    /** What the value is. */
    kind:
      | 'user'
      | 'ip_address'
      | 'device'
      | 'email'
      | 'email_domain'
      | 'payment_fingerprint'
      | 'counterparty'
      | 'country';
    /** In the spelling that screening compares. */
    value: string;
    reason: string | null;
    author: string;
    expires_at: string | null;
    /** When it was added or replaced. */
    created_at: string;
  }[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Members as of a transaction. Nothing is stored or counted. */
export interface ListCheckRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id?: string | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Your token of the payment instrument. */
  payment_fingerprint?: string | undefined;
  /** Who is paid. */
  counterparty_id?: string | undefined;
  /** ISO 3166-1 alpha-2: of the address, of billing or of shipping. */
  country?: string | undefined;
}

export interface ListEntriesAdded {
  list_id: string;
  /** Those that were not there. */
  added: number;
  /** Those that were there: reason, author and expiry are new. */
  replaced: number;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** All of them are taken, or none. */
export interface ListEntriesRequest {
  entries: ListEntryRequest[];
}

export interface ListEntry {
  /** The entry, as it is now: one that is replaced gets another. */
  entry_id: string;
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** In the spelling that screening compares. */
  value: string;
  reason: string | null;
  author: string;
  expires_at: string | null;
  /** When it was added or replaced. */
  created_at: string;
}

/** Newest first, without those that are expired. */
export interface ListEntryList {
  entries: ListEntry[];
  has_more: boolean;
}

export interface ListEntryQuery {
  /** Only entries of this kind. */
  kind?:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country'
    | undefined;
  /** Only entries with this value, in any spelling. */
  value?: string | undefined;
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `entry_id` of the page before. */
  before?: string | undefined;
}

export interface ListEntryRemoval {
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** The value to take off the list, in any spelling. */
  value: string;
}

export interface ListEntryRequest {
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** An `ip_address` may be a network such as 198.51.100.0/24. An `email_domain` stands for its subdomains too. */
  value: string;
  /** For people. */
  reason?: string | undefined;
  /** Who put it there. Absent: the key. */
  author?: string | undefined;
  /** From this millisecond on the entry counts for nothing. Required on a list that is `trusted`, at most 365 days ahead. */
  expires_at?: string | undefined;
}

export interface ListRequest {
  /** Small letters, digits and `_`, up to 64 characters. It names the list in paths, rules and signals. */
  name: string;
  /** For people. */
  description?: string | undefined;
  /** @default "none" */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
}

/** The built-in ones first, then in the order they were made. */
export interface Lists {
  lists: List[];
}

/** A model of this account, in both environments. */
export interface Model {
  /** As decisions name it. */
  model_version: string;
  /** The `champion` scores. A `challenger` passed all gates and waits. A `rejected` one failed a gate. A `retired` one scored once. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether it is the model every account begins with. */
  ships: boolean;
  reason: string | null;
  /** What it learned from. */
  trained: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  };
  window: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  } | null;
  /** How it did on the window. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
  /** What it was asked, and how it did. */
  gates: ModelGate[];
  curves: {
    roc: {
      /** Of what is no fraud, taken for fraud. */
      false_positive_rate: number;
      /** Of fraud, found. */
      recall: number;
    }[];
    precision_recall: {
      /** Of fraud, found. */
      recall: number;
      /** Of what is found, fraud. */
      precision: number;
    }[];
  } | null;
  /** What it looks at. */
  features: string[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** One condition for taking the place of the champion. */
export interface ModelGate {
  name:
    | 'average_precision'
    | 'recall_at_operating_point'
    | 'frauds_held'
    | 'others_held'
    | 'labels_agree'
    | 'known_attacks';
  wanted: string;
  champion: number | null;
  challenger: number | null;
  passed: boolean;
}

/** Newest first, the one that ships last. */
export interface ModelList {
  models: ModelSummary[];
}

export interface ModelSummary {
  /** As decisions name it. */
  model_version: string;
  /** The `champion` scores. A `challenger` passed all gates and waits. A `rejected` one failed a gate. A `retired` one scored once. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether it is the model every account begins with. */
  ships: boolean;
  reason: string | null;
  /** What it learned from. */
  trained: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  };
  window: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  } | null;
  /** How it did on the window. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
}

/** The key with its secret. */
export interface NewApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The end of the key, to tell it from others. */
  hint: string;
  rate_limit_per_minute: number | null;
  /** When it was made. */
  created_at: string;
  /** What goes into `Authorization: Bearer`. Shown only now. */
  secret: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** The endpoint with its signing secret. */
export interface NewWebhook {
  /** The endpoint. */
  webhook_id: string;
  url: string;
  /** The event types to send. */
  events: (
    | 'transaction.screened'
    | 'transaction.decision.block'
    | 'event.screened'
    | 'case.created'
    | 'case.resolved'
    | 'case.expired'
    | 'decision.reviewed'
    | 'webhook.test'
  )[];
  label: string | null;
  /** Nothing is sent to a disabled endpoint, and nothing new is owed to it. */
  status: 'enabled' | 'disabled';
  failing_since: string | null;
  /** When it was registered. */
  created_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
  /** Signs the deliveries. Shown only now. */
  signing_secret: string;
}

/** What turns a score into a decision for this account and environment. */
export interface Policy {
  /** Grows with every change. */
  version: number;
  /** As decisions name it: the default policy, then the version. */
  ruleset_version: string;
  thresholds: {
    transaction: {
      /** Scores from here on are a `review`. */
      review: number;
      /** Scores from here on are a `block`. */
      block: number;
    };
    event: {
      /** Scores from here on are a `review`. */
      review: number;
      /** Scores from here on are a `block`. */
      block: number;
    };
  };
  /** Points of signals that differ from the default policy; 0 takes a signal its say. */
  points: Record<string, number>;
  /** Rules of the account that are asked, in their order. */
  rules: {
    rule_id: string;
    name: string;
    state: 'live' | 'shadow';
  }[];
  author: string | null;
  updated_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is; `points` is replaced as a whole. */
export interface PolicyChange {
  thresholds?:
    | {
        transaction?:
          | {
              /** Scores from here on are a `review`. */
              review: number;
              /** Scores from here on are a `block`. */
              block: number;
            }
          | undefined;
        event?:
          | {
              /** Scores from here on are a `review`. */
              review: number;
              /** Scores from here on are a `block`. */
              block: number;
            }
          | undefined;
      }
    | undefined;
  /** Points of signals that differ from the default policy; 0 takes a signal its say. */
  points?: Record<string, number> | undefined;
}

export interface PolicyQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only versions below this one. */
  before?: number | undefined;
}

/** Newest first. */
export interface PolicyVersions {
  versions: Policy[];
  has_more: boolean;
}

export interface PromotionRequest {
  /**
   * Also a model that was rejected.
   * @default false
   */
  force?: boolean | undefined;
}

export interface Review {
  decision: 'allow' | 'block';
  analyst_id: string | null;
  notes: string | null;
  /** When the person decided. */
  reviewed_at: string;
}

/** A manual override. The last one is in force. */
export interface ReviewRequest {
  decision: 'allow' | 'block';
  /** Your identifier of the person who decided. */
  analyst_id?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}

/** What is known of one of your users. */
export interface RiskProfile {
  user_id: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  risk_level: 'low' | 'medium' | 'high';
  /** First screening. */
  first_seen_at: string;
  /** Last screening. */
  last_seen_at: string;
  transactions: {
    count: number;
    /** Total amount per currency. */
    total_by_currency: Record<string, number>;
    /** How many got each decision. */
    by_decision: Record<string, number>;
  };
  events: {
    count: number;
    /** How many of each type. */
    by_type: Record<string, number>;
  };
  cases: {
    count: number;
    /** How many are in each status. */
    by_status: Record<string, number>;
  };
  /** Payments and events of theirs whose label in force is `fraud`. */
  confirmed_fraud: number;
  /** Transactions in the time before now. */
  velocity: {
    '1h': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '24h': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '7d': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '30d': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
  };
  /** The newest 20. */
  devices: {
    device_token: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The newest 20. */
  ip_addresses: {
    ip_address: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The newest 20. */
  countries: {
    country: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The most recent 20. */
  signals: {
    signal: string;
    count: number;
    /** Last time. */
    last_seen_at: string;
  }[];
}

/** A condition of your own, and what follows from it. */
export interface Rule {
  /** The rule. */
  rule_id: string;
  name: string;
  description: string;
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Hundredths of what is left of the score up to 100. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** What it is asked of. */
  subject_types: ('transaction' | 'event')[];
  /** `draft`: not asked. `shadow`: asked, and what it would have done is noted. `live`: decides. `retired`: ended for good. */
  state: 'draft' | 'shadow' | 'live' | 'retired';
  expires_at: string | null;
  /** Grows with every change. */
  version: number;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** How often it matched, in shadow or live, as it is now. */
  hits: {
    matched: number;
    /** When it was last changed. */
    since: string;
  };
  /** How often asking it failed since the service started, which counts as no match. */
  errors: number;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is. */
export interface RuleChange {
  /** Small letters, digits and `_`, a letter first. Decisions name the rule by it: the signal is `rule.<name>`. No two rules that are not retired have the same. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression?: string | undefined;
  /** Either `points` or `decision`. */
  action?:
    | {
        /** Hundredths of what is left of the score up to 100. */
        points?: number | undefined;
        /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
        decision?: 'allow' | 'review' | 'block' | undefined;
      }
    | undefined;
  /** What it is asked of. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** From this moment on it matches nothing. A rule that allows must have one, at most 90 days ahead. */
  expires_at?: string | undefined;
  /** `draft`: not asked. `shadow`: asked, and what it would have done is noted. `live`: decides. `retired`: ended for good. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

export interface RuleCheck {
  valid: boolean;
  /** The first thing that is wrong; none when it is valid. */
  errors: {
    line: number;
    /** In characters, from 1. */
    column: number;
    message: string;
    /** The line, and below it a caret under the place. */
    excerpt: string;
  }[];
  /** The variables it names. */
  variables: string[];
  /** The features it names. */
  features: string[];
  /** The lists it names. */
  lists: string[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface RuleCheckRequest {
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression: string;
}

export interface RuleHitQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `decision_id` of the page before. */
  before?: string | undefined;
}

/** Newest first. Kept for 90 days. */
export interface RuleHits {
  hits: {
    /** The decision it had a say in, or would have had. */
    decision_id: string;
    /** When it was screened. */
    matched_at: string;
    /** Of the rule, then. */
    state: 'shadow' | 'live';
    /** Of the rule, then. */
    version: number;
    /** What was decided; of a rule in shadow, what would have been with it live. */
    decision: 'allow' | 'review' | 'block';
  }[];
  has_more: boolean;
}

/** In the order they were made, which is the order they are asked in. */
export interface RuleList {
  rules: Rule[];
}

export interface RuleQuery {
  /** Only those in this state. Absent: all but `retired`. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

/** A rule begins as a draft. */
export interface RuleRequest {
  /** Small letters, digits and `_`, a letter first. Decisions name the rule by it: the signal is `rule.<name>`. No two rules that are not retired have the same. */
  name: string;
  /** For people. */
  description?: string | undefined;
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Hundredths of what is left of the score up to 100. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** What it is asked of. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** From this moment on it matches nothing. A rule that allows must have one, at most 90 days ahead. */
  expires_at?: string | undefined;
}

/** What an expression may name. */
export interface RuleVariables {
  variables: {
    name: string;
    type: string;
    /** What has it; on the others it is absent. */
    on: 'transaction' | 'event' | 'both';
    meaning: string;
  }[];
  functions: {
    form: string;
    meaning: string;
  }[];
  /** Named as `features["user.transactions.1h"]`; all are numbers. */
  features: {
    name: string;
    meaning: string;
  }[];
}

export interface Training {
  /** For asking how far it is. */
  training_id: string;
  status: 'running' | 'done' | 'failed';
  progress: number;
  message: string | null;
  model_version: string | null;
  /** When it was asked for. */
  started_at: string;
  ended_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface TrainingRequest {
  /**
   * An allowed item that nobody labelled counts as legitimate when it is this old.
   * @default 30
   */
  maturity_days?: number | undefined;
}

/** What screening said of a transaction. It never changes. */
export interface Transaction {
  /** Retrieves this result for 90 days. */
  transaction_id: string;
  user_id: string;
  amount: number;
  currency: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the risk signals that were active. */
  signals: string[];
  /** When it was screened. */
  screened_at: string;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** Null unless the decision is `review`. */
  case_id: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** A payment to screen. */
export interface TransactionRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** In units of `currency`, not in cents. */
  amount: number;
  /** ISO 4217 code, either case. */
  currency: string;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. */
  device_token?: string | undefined;
  payment_method?: 'card' | 'bank' | 'wallet' | 'crypto' | undefined;
  /** Your stable token of the card, account or wallet. Never a card number. */
  payment_fingerprint?: string | undefined;
  /** Who is paid: merchant, terminal or payee. */
  counterparty_id?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** A postal address. Every member is optional. */
  billing_address?: Address | undefined;
  /** A postal address. Every member is optional. */
  shipping_address?: Address | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, values of up to 500. */
  metadata?: Record<string, string> | undefined;
}

/** A registered endpoint. */
export interface Webhook {
  /** The endpoint. */
  webhook_id: string;
  url: string;
  /** The event types to send. */
  events: (
    | 'transaction.screened'
    | 'transaction.decision.block'
    | 'event.screened'
    | 'case.created'
    | 'case.resolved'
    | 'case.expired'
    | 'decision.reviewed'
    | 'webhook.test'
  )[];
  label: string | null;
  /** Nothing is sent to a disabled endpoint, and nothing new is owed to it. */
  status: 'enabled' | 'disabled';
  failing_since: string | null;
  /** When it was registered. */
  created_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is. */
export interface WebhookChange {
  /** Where to send. HTTPS only. */
  url?: string | undefined;
  /** The event types to send. */
  events?:
    | (
        | 'transaction.screened'
        | 'transaction.decision.block'
        | 'event.screened'
        | 'case.created'
        | 'case.resolved'
        | 'case.expired'
        | 'decision.reviewed'
        | 'webhook.test'
      )[]
    | undefined;
  /** For people. */
  label?: string | undefined;
  /** Nothing is sent to a disabled endpoint, and nothing new is owed to it. */
  status?: 'enabled' | 'disabled' | undefined;
}

export interface WebhookList {
  webhooks: Webhook[];
}

export interface WebhookRequest {
  /** Where to send. HTTPS only. */
  url: string;
  /** The event types to send. */
  events: (
    | 'transaction.screened'
    | 'transaction.decision.block'
    | 'event.screened'
    | 'case.created'
    | 'case.resolved'
    | 'case.expired'
    | 'decision.reviewed'
    | 'webhook.test'
  )[];
  /** For people. */
  label?: string | undefined;
}
