import type { Case, Decision, Event, Transaction, Webhook } from './types.ts';

/** The `data` of each message type: the resource as its GET returned it at the time of the event. */
export interface WebhookData {
  'transaction.screened': Transaction;
  'transaction.decision.block': Transaction;
  'event.screened': Event;
  'case.created': Case;
  'case.resolved': Case;
  'case.expired': Case;
  'case.reopened': Case;
  'decision.reviewed': Decision;
  'webhook.test': Webhook;
}

/** The body of a delivery. `type` determines the type of `data`. */
export type WebhookMessage = {
  [Type in keyof WebhookData]: {
    /** The same at every attempt. A known id marks a repetition. */
    readonly id: string;
    readonly type: Type;
    /** Time of the event, not of the delivery. */
    readonly timestamp: string;
    readonly environment: 'sandbox' | 'production';
    readonly api_version: string;
    readonly data: WebhookData[Type];
  };
}[keyof WebhookData];
