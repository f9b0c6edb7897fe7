import Type from 'typebox';
import { withoutCardNumber } from './card-numbers/rule.ts';
import { id } from './ids.ts';
import { mapOf } from './map.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const WEBHOOK_TYPES = [
  'transaction.screened',
  'transaction.decision.block',
  'event.screened',
  'case.created',
  'case.resolved',
  'case.expired',
  'case.reopened',
  'decision.reviewed',
  'webhook.test',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const events = Type.Array(Type.Enum(WEBHOOK_TYPES), {
  minItems: 1,
  uniqueItems: true,
  description: 'The event types to send.',
  examples: [['case.created', 'case.resolved']],
});
const label = text(0, 200, {
  description: 'A name for people to recognise the endpoint by.',
  examples: ['Case queue'],
});

const url = withoutCardNumber(
  text(1, 2048, {
    description: 'URL of the receiver. HTTPS only.',
    examples: ['https://hooks.example.com/portcullis'],
  }),
);
const status = Type.Enum(['enabled', 'disabled'] as const, {
  description: 'A disabled endpoint gets no deliveries, and no new ones are queued for it.',
  examples: ['enabled'],
});

export const WebhookRequest = Type.Object({ url, events, label: Type.Optional(label) }, { $id: 'WebhookRequest' });
export type WebhookRequest = Type.Static<typeof WebhookRequest>;

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    label: Type.Optional(label),
    status: Type.Optional(status),
  },
  { $id: 'WebhookChange', description: 'Omitted fields keep their value.' },
);
export type WebhookChange = Type.Static<typeof WebhookChange>;

const fields = {
  webhook_id: id('webhook', 'The endpoint.'),
  url: Type.String({ examples: ['https://hooks.example.com/portcullis'] }),
  events,
  label: nullable(Type.String({ examples: ['Case queue'] })),
  status,
  failing_since: nullable(
    timestamp(
      'Start of the current series of failed attempts; `null` if the last attempt succeeded. After 5 days the endpoint is disabled.',
    ),
  ),
  previous_secret_until: nullable(
    timestamp('Until when the secret before the last rotation signs, too; `null` if only one signs.'),
  ),
  created_at: timestamp('When the endpoint was registered.'),
  warnings: Type.Optional(Warnings),
};

export const Webhook = Type.Object(fields, { $id: 'Webhook', description: 'A registered endpoint.' });
export type Webhook = Type.Static<typeof Webhook>;

export const NewWebhook = Type.Object(
  {
    ...fields,
    signing_secret: Type.String({
      description: 'Secret that signs deliveries. Shown only once.',
      examples: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
    }),
  },
  { $id: 'NewWebhook', description: 'The endpoint with its signing secret.' },
);
export type NewWebhook = Type.Static<typeof NewWebhook>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) }, { $id: 'WebhookList' });
export type WebhookList = Type.Static<typeof WebhookList>;

export const DELIVERY_STATUSES = ['owed', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const Attempt = Type.Object({
  attempted_at: timestamp('When the attempt started.'),
  http_status: nullable(Type.Integer({ description: '`null` if there was no response.', examples: [500] })),
  latency_ms: Type.Integer({ description: 'Duration of the whole exchange.', examples: [84] }),
  error: nullable(
    Type.String({ description: '`null` if the attempt succeeded.', examples: ['The endpoint returned 500.'] }),
  ),
});

export const Delivery = Type.Object(
  {
    message_id: id('message', 'The message id, sent as `webhook-id` in every attempt.'),
    webhook_id: id('webhook', 'The endpoint.'),
    type: Type.Enum(WEBHOOK_TYPES, { examples: ['case.created'] }),
    status: Type.Enum(DELIVERY_STATUSES, {
      description: '`owed`: pending. `delivered`: an attempt succeeded. `failed`: all attempts failed.',
      examples: ['owed'],
    }),
    created_at: timestamp('When the event occurred.'),
    next_attempt_at: nullable(timestamp('Time of the next attempt; `null` if there is none.')),
    attempts: Type.Array(Attempt, { description: 'The last 20 attempts, oldest first.' }),
  },
  { $id: 'Delivery', description: 'Delivery of one message to one endpoint.' },
);
export type Delivery = Type.Static<typeof Delivery>;

export const DeliveryDetail = Type.Object(
  {
    ...Delivery.properties,
    body: Type.String({
      description: 'The message as it is sent.',
      examples: ['{"id":"msg_01kcy5v3n7f2q8r4t6w9x0y1z2","type":"case.created"}'],
    }),
    headers: nullable(mapOf(Type.String(), { examples: [{ 'webhook-id': 'msg_01kcy5v3n7f2q8r4t6w9x0y1z2' }] }), {
      description:
        'The headers of the last attempt; `null` before the first. The signatures are made with the secrets of the endpoint that are stored now.',
    }),
  },
  { $id: 'DeliveryDetail', description: 'A delivery with its message.' },
);
export type DeliveryDetail = Type.Static<typeof DeliveryDetail>;

/** Deliveries that one request retries. */
export const MAX_RETRIED = 1000;

export const DeliveryRetry = Type.Object(
  {
    status: Type.Literal('failed', { description: 'Only failed deliveries are retried.', examples: ['failed'] }),
    from: Type.Optional(moment('Only messages of this time or later.')),
    until: Type.Optional(moment('Only messages before this time.')),
  },
  { $id: 'DeliveryRetry' },
);
export type DeliveryRetry = Type.Static<typeof DeliveryRetry>;

export const DeliveriesRetried = Type.Object(
  {
    retried: Type.Integer({ minimum: 0, maximum: MAX_RETRIED, examples: [12] }),
    more: Type.Boolean({ description: 'Whether there are more: repeat the request.', examples: [false] }),
  },
  { $id: 'DeliveriesRetried' },
);
export type DeliveriesRetried = Type.Static<typeof DeliveriesRetried>;

export const DeliveryQuery = Type.Object({
  status: Type.Optional(Type.Enum(DELIVERY_STATUSES, { description: 'Only deliveries with this status.' })),
  type: Type.Optional(Type.Enum(WEBHOOK_TYPES, { description: 'Only messages of this type.' })),
  from: Type.Optional(moment('Only messages of this time or later.')),
  until: Type.Optional(moment('Only messages before this time.')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('message', 'Cursor: the last `message_id` of the previous page.')),
});
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

export const DeliveryList = Type.Object(
  { deliveries: Type.Array(Delivery), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'DeliveryList', description: 'Newest first.' },
);
export type DeliveryList = Type.Static<typeof DeliveryList>;
