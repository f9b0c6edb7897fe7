export const SUBJECT_TYPES = ['transaction', 'event'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

const OF_BOTH = ['ip_address', 'device_token', 'email'] as const;
/** The optional members of a screening request that most signals depend on. */
export const MEASURED_MEMBERS = {
  transaction: [...OF_BOTH, 'payment_fingerprint', 'counterparty_id'],
  event: OF_BOTH,
} as const;

export const EVENT_TYPES = [
  'login',
  'signup',
  'password_reset',
  'password_change',
  'email_change',
  'phone_change',
  'address_change',
  'mfa_change',
  'payment_method_added',
  'payout_request',
  'logout',
  'other',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const OUTCOMES = ['succeeded', 'failed'] as const;

export const PAYMENT_METHODS = ['card', 'bank', 'wallet', 'crypto'] as const;

export const RULE_STATES = ['draft', 'shadow', 'live', 'retired'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** Allowed transitions between states of a rule. */
export const RULE_TRANSITIONS: Readonly<Record<RuleState, readonly RuleState[]>> = {
  draft: ['shadow', 'retired'],
  shadow: ['live', 'draft', 'retired'],
  live: ['shadow', 'retired'],
  retired: [],
};

/** Limit of an account in one environment; retired rules do not count. */
export const MAX_RULES = 500;
/** Longest lifetime of a rule that allows. */
export const MAX_ALLOW_DAYS = 90;

/** What the reasons of a decision are about, in the order of the summary. */
export const THEMES = ['your_rules', 'known_fraud', 'device', 'place', 'account', 'money', 'pace', 'links'] as const;

/** How urgent a case is. The index is stored: never reorder. */
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** How a confirmed fraud was done. Only fraud has a reason. */
export const LABEL_REASONS = ['takeover', 'stolen_card', 'first_party', 'mule', 'card_testing', 'other'] as const;
export type LabelReason = (typeof LABEL_REASONS)[number];

/** Signs of browser automation, with their description. The order is stored: append only. */
export const AUTOMATION_HINTS = {
  other: 'another sign of automation',
  webdriver: 'the browser reports WebDriver',
  webdriver_hidden: 'the WebDriver flag was hidden',
  headless: 'the browser has no window',
  driver: 'traces of an automation driver in the page',
} as const;
export type AutomationHint = keyof typeof AUTOMATION_HINTS;

/** A file of another schema or a later version is refused: its fields may mean something else. */
export const MODEL_SCHEMA = 'portcullis.model';
export const MODEL_SCHEMA_VERSION = 1;

/** Endpoints of an account in one environment: each screening may store a message for every one of them. */
export const MAX_WEBHOOKS = 50;

/** Statistics by hour cover at most this many days. */
export const MAX_DAYS_OF_HOURS = 31;
/** Signals, rules or countries of one answer. */
export const MAX_STAT_GROUPS = 500;
/** Cases of each kind (opened, resolved, expired) that one answer counts. */
export const MAX_COUNTED_CASES = 100_000;
/** Analysts of one answer. */
export const MAX_STAT_ANALYSTS = 100;
/** Pending deliveries that one answer counts. */
export const MAX_COUNTED_DELIVERIES = 100_000;

/** What the live feed can be limited to, and the events of each topic. */
/** Shown instead of an address, device, e-mail address or payment instrument to a caller without `read_personal`. */
export const HIDDEN = 'hidden';

export const FEED_TOPICS = {
  cases: ['case.created', 'case.resolved', 'case.assigned', 'case.released', 'case.reopened', 'case.expired'],
  reviews: ['decision.reviewed'],
  blocks: ['transaction.decision.block', 'event.decision.block'],
} as const;
export type FeedTopic = keyof typeof FEED_TOPICS;
export const FEED_TYPES = [...FEED_TOPICS.cases, ...FEED_TOPICS.reviews, ...FEED_TOPICS.blocks, 'feed.gap'] as const;
export type FeedType = (typeof FEED_TYPES)[number];
/** Listeners in one process: of an account in one environment, and in all. */
export const MAX_FEED_LISTENERS = 20;
export const MAX_FEED_LISTENERS_OF_ALL = 200;
