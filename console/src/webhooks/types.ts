import type { Delivery, WebhookRequest } from '@portcullis/client';

export type WebhookType = WebhookRequest['events'][number];

/** The types of message, with when they are sent. */
export const TYPES: Readonly<Record<WebhookType, string>> = {
  'transaction.screened': 'A payment was screened, whatever the decision',
  'transaction.decision.block': 'A payment was screened and blocked',
  'event.screened': 'A login, signup or other event was screened',
  'case.created': 'A decision was review, and opened a case',
  'case.resolved': 'A person approved or rejected a case',
  'case.expired': 'A case was not resolved within seven days',
  'case.reopened': 'A person reopened a resolved case',
  'decision.reviewed': 'A person overrode a decision',
  'webhook.test': 'A test was requested. It is always sent',
};
export const TYPE_NAMES = Object.keys(TYPES) as readonly WebhookType[];

export const STATUS_WORDS: Readonly<Record<Delivery['status'], string>> = {
  owed: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
};
/** The part of a URL that tells endpoints apart. */
export const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};
