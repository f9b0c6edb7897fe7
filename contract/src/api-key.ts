import Type from 'typebox';
import { id } from './ids.ts';
import { nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const ROLES = ['admin', 'service', 'analyst', 'reader'] as const;
export type Role = (typeof ROLES)[number];

export const KEY_PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'sk_test_', production: 'sk_live_' };

const role = Type.Enum(ROLES, {
  description: '`admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read.',
  examples: ['service'],
});
const rateLimit = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Requests a minute.',
  examples: [6000],
});

export const ApiKeyRequest = Type.Object(
  {
    role,
    label: Type.Optional(text(0, 200, { description: 'For people.', examples: ['Checkout'] })),
    rate_limit_per_minute: Type.Optional(rateLimit),
  },
  { $id: 'ApiKeyRequest', description: "The new key belongs to the calling key's account and environment." },
);
export type ApiKeyRequest = Type.Static<typeof ApiKeyRequest>;

const members = {
  key_id: id('key', 'The key.'),
  role,
  label: nullable(Type.String({ examples: ['Checkout'] })),
  environment: Type.Enum(ENVIRONMENTS, { examples: ['sandbox'] }),
  hint: Type.String({ description: 'The end of the key, to tell it from others.', examples: ['…x7Qz'] }),
  rate_limit_per_minute: nullable(rateLimit),
  created_at: timestamp('When it was made.'),
};

export const ApiKey = Type.Object(members, { $id: 'ApiKey', description: 'A key, without its secret.' });
export type ApiKey = Type.Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  {
    ...members,
    secret: Type.String({
      description: 'What goes into `Authorization: Bearer`. Shown only now.',
      examples: ['sk_test_ExampleExampleExampleExampleExam'],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'NewApiKey', description: 'The key with its secret.' },
);
export type NewApiKey = Type.Static<typeof NewApiKey>;

export const ApiKeyList = Type.Object({ api_keys: Type.Array(ApiKey) }, { $id: 'ApiKeyList' });
export type ApiKeyList = Type.Static<typeof ApiKeyList>;
