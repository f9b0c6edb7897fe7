// Made from the contract by `npm run client`; not to be edited.

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
