// Generated from the contract by `npm run client`. Do not edit.

export interface DeliveryQuery {
  /** Only deliveries with this status. */
  status?: 'owed' | 'delivered' | 'failed' | undefined;
  /** Only messages of this type. */
  type?:
    | 'transaction.screened'
    | 'transaction.decision.block'
    | 'event.screened'
    | 'case.created'
    | 'case.resolved'
    | 'case.expired'
    | 'case.reopened'
    | 'decision.reviewed'
    | 'webhook.test'
    | undefined;
  /** Only messages of this time or later. */
  from?: string | undefined;
  /** Only messages before this time. */
  until?: string | undefined;
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `message_id` of the previous page. */
  before?: string | undefined;
}

export interface DeliveryRetry {
  /** Only failed deliveries are retried. */
  status: 'failed';
  /** Only messages of this time or later. */
  from?: string | undefined;
  /** Only messages before this time. */
  until?: string | undefined;
}

/** Omitted fields keep their value. */
export interface WebhookChange {
  /** URL of the receiver. HTTPS only. */
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
        | 'case.reopened'
        | 'decision.reviewed'
        | 'webhook.test'
      )[]
    | undefined;
  /** A name for people to recognise the endpoint by. */
  label?: string | undefined;
  /** A disabled endpoint gets no deliveries, and no new ones are queued for it. */
  status?: 'enabled' | 'disabled' | undefined;
}

export interface WebhookRequest {
  /** URL of the receiver. HTTPS only. */
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
  /** A name for people to recognise the endpoint by. */
  label?: string | undefined;
}
