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
  'decision.reviewed',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const events = Type.Array(Type.Enum(WEBHOOK_TYPES), {
  minItems: 1,
  uniqueItems: true,
  description: 'The event types to send.',
  examples: [['case.created', 'case.resolved']],
});
const label = text(0, 200, { description: 'For people.', examples: ['Case queue'] });

export const WebhookRequest = Type.Object(
  {
    url: text(1, 2048, {
      description: 'Where to send. HTTPS only.',
      examples: ['https://hooks.example.com/portcullis'],
    }),
    events,
    label: Type.Optional(label),
  },
  { $id: 'WebhookRequest' },
);
export type WebhookRequest = Type.Static<typeof WebhookRequest>;

const members = {
  webhook_id: id('webhook', 'The endpoint.'),
  url: Type.String({ examples: ['https://hooks.example.com/portcullis'] }),
  events,
  label: nullable(Type.String({ examples: ['Case queue'] })),
  status: Type.Enum(['enabled', 'disabled'] as const, { examples: ['enabled'] }),
  created_at: timestamp('When it was registered.'),
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
    warnings: Type.Optional(Warnings),
  },
  { $id: 'NewWebhook', description: 'The endpoint with its signing secret.' },
);
export type NewWebhook = Type.Static<typeof NewWebhook>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) }, { $id: 'WebhookList' });
export type WebhookList = Type.Static<typeof WebhookList>;
