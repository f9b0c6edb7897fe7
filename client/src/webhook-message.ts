import type { Case, Decision, Event, Transaction, Webhook } from './types.ts';

/** What each type of message carries: the resource, as its GET returned it at that moment. */
export interface WebhookData {
  'transaction.screened': Transaction;
  'transaction.decision.block': Transaction;
  'event.screened': Event;
  'case.created': Case;
  'case.resolved': Case;
  'case.expired': Case;
  'decision.reviewed': Decision;
  'webhook.test': Webhook;
}

/** The body of a delivery. `type` tells what `data` is. */
export type WebhookMessage = {
  [Type in keyof WebhookData]: {
    /** The same at every attempt: what was seen before is a repetition. */
    readonly id: string;
    readonly type: Type;
    /** When it happened, not when it was sent. */
    readonly timestamp: string;
    readonly environment: 'sandbox' | 'production';
    readonly api_version: string;
    readonly data: WebhookData[Type];
  };
}[keyof WebhookData];
