import Type from 'typebox';
import { id } from './ids.ts';
import { nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const WEBHOOK_TYPES = [
  'transaction.screened',
  'transaction.decision.block',
  'event.screened',
  'case.created',
  'case.resolved',
  'case.expired',
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
const label = text(0, 200, { description: 'For people.', examples: ['Case queue'] });

const url = text(1, 2048, {
  description: 'Where to send. HTTPS only.',
  examples: ['https://hooks.example.com/portcullis'],
});
const status = Type.Enum(['enabled', 'disabled'] as const, {
  description: 'Nothing is sent to a disabled endpoint, and nothing new is owed to it.',
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
  { $id: 'WebhookChange', description: 'What is left out stays as it is.' },
);
export type WebhookChange = Type.Static<typeof WebhookChange>;

const members = {
  webhook_id: id('webhook', 'The endpoint.'),
  url: Type.String({ examples: ['https://hooks.example.com/portcullis'] }),
  events,
  label: nullable(Type.String({ examples: ['Case queue'] })),
  status,
  failing_since: nullable(
    timestamp('Since when every attempt failed; `null` when the last one succeeded. After 5 days it is disabled.'),
  ),
  created_at: timestamp('When it was registered.'),
  warnings: Type.Optional(Warnings),
};

export const Webhook = Type.Object(members, { $id: 'Webhook', description: 'A registered endpoint.' });
export type Webhook = Type.Static<typeof Webhook>;

export const NewWebhook = Type.Object(
  {
    ...members,
    signing_secret: Type.String({
      description: 'Signs the deliveries. Shown only now.',
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
  attempted_at: timestamp('When it began.'),
  http_status: nullable(Type.Integer({ description: '`null` when there was no answer.', examples: [500] })),
  latency_ms: Type.Integer({ description: 'How long the whole exchange took.', examples: [84] }),
  error: nullable(Type.String({ description: '`null` when it succeeded.', examples: ['Answered 500.'] })),
});

export const Delivery = Type.Object(
  {
    message_id: id('message', 'The message: `webhook-id` of every attempt.'),
    webhook_id: id('webhook', 'The endpoint.'),
    type: Type.Enum(WEBHOOK_TYPES, { examples: ['case.created'] }),
    status: Type.Enum(DELIVERY_STATUSES, {
      description: '`owed` until an attempt succeeds; `failed` when none is left.',
      examples: ['owed'],
    }),
    created_at: timestamp('When what it tells of happened.'),
    next_attempt_at: nullable(timestamp('When it is tried next; `null` when it is not.')),
    attempts: Type.Array(Attempt, { description: 'Oldest first, the last 20.' }),
  },
  { $id: 'Delivery', description: 'One message on its way to one endpoint.' },
);
export type Delivery = Type.Static<typeof Delivery>;

export const DeliveryQuery = Type.Object({
  status: Type.Optional(Type.Enum(DELIVERY_STATUSES, { description: 'Only those in this state.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(id('message', 'Only older ones: the last `message_id` of the page before.')),
});
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

export const DeliveryList = Type.Object(
  { deliveries: Type.Array(Delivery), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'DeliveryList', description: 'Newest first.' },
);
export type DeliveryList = Type.Static<typeof DeliveryList>;
