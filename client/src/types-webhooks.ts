// Generated from the contract by `npm run client`. Do not edit.

export interface DeliveriesRetried {
  retried: number;
  /** Whether there are more: repeat the request. */
  more: boolean;
}

/** Delivery of one message to one endpoint. */
export interface Delivery {
  /** The message id, sent as `webhook-id` in every attempt. */
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
    | 'case.reopened'
    | 'decision.reviewed'
    | 'webhook.test';
  /** `owed`: pending. `delivered`: an attempt succeeded. `failed`: all attempts failed. */
  status: 'owed' | 'delivered' | 'failed';
  /** When the event occurred. */
  created_at: string;
  next_attempt_at: string | null;
  /** The last 20 attempts, oldest first. */
  attempts: {
    /** When the attempt started. */
    attempted_at: string;
    http_status: number | null;
    /** Duration of the whole exchange. */
    latency_ms: number;
    error: string | null;
  }[];
}

/** A delivery with its message. */
export interface DeliveryDetail {
  /** The message id, sent as `webhook-id` in every attempt. */
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
    | 'case.reopened'
    | 'decision.reviewed'
    | 'webhook.test';
  /** `owed`: pending. `delivered`: an attempt succeeded. `failed`: all attempts failed. */
  status: 'owed' | 'delivered' | 'failed';
  /** When the event occurred. */
  created_at: string;
  next_attempt_at: string | null;
  /** The last 20 attempts, oldest first. */
  attempts: {
    /** When the attempt started. */
    attempted_at: string;
    http_status: number | null;
    /** Duration of the whole exchange. */
    latency_ms: number;
    error: string | null;
  }[];
  /** The message as it is sent. */
  body: string;
  /** The headers of the last attempt; `null` before the first. The signatures are made with the secrets of the endpoint that are stored now. */
  headers: Record<string, string> | null;
}

/** Newest first. */
export interface DeliveryList {
  deliveries: Delivery[];
  has_more: boolean;
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
    | 'case.reopened'
    | 'decision.reviewed'
    | 'webhook.test'
  )[];
  label: string | null;
  /** A disabled endpoint gets no deliveries, and no new ones are queued for it. */
  status: 'enabled' | 'disabled';
  failing_since: string | null;
  previous_secret_until: string | null;
  /** When the endpoint was registered. */
  created_at: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
  /** Secret that signs deliveries. Shown only once. */
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
    | 'case.reopened'
    | 'decision.reviewed'
    | 'webhook.test'
  )[];
  label: string | null;
  /** A disabled endpoint gets no deliveries, and no new ones are queued for it. */
  status: 'enabled' | 'disabled';
  failing_since: string | null;
  previous_secret_until: string | null;
  /** When the endpoint was registered. */
  created_at: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface WebhookList {
  webhooks: Webhook[];
}
