import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { id } from './ids.ts';
import { isNetwork } from './ip.ts';
import { DEFAULT_OVERLAP_SECONDS, ENVIRONMENTS, KEY_ROLES, MAX_OVERLAP_SECONDS } from './key-kinds.ts';
import { PERMISSIONS, ROLES } from './permissions.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

/** Keys that are neither revoked nor expired, in one environment of an account. */
export const MAX_API_KEYS = 200;
export const MAX_KEY_NETWORKS = 50;

const ROLE_TEXT =
  '`admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `service`: screen and read. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data.';
const permission = Type.Enum(PERMISSIONS, { examples: ['screen'] });
const rateLimit = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Requests per minute.',
  examples: [6000],
});
const network = withCardRule(
  Type.Refine(
    text(1, 64, { examples: ['203.0.113.0/24'] }),
    isNetwork,
    () => 'must be an IP address, or a network such as 203.0.113.0/24',
  ),
  'exact',
);

/** The settings of a key that do not decide what it may do. */
const settings = {
  label: Type.Optional(
    text(0, 200, { description: 'A name for people to recognise the key by.', examples: ['Checkout'] }),
  ),
  rate_limit_per_minute: Type.Optional(rateLimit),
  expires_at: Type.Optional(
    moment(
      'When the key stops working. It gets 401 `expired_api_key` from then on. Default: never.',
      '2027-02-14T00:00:00Z',
    ),
  ),
  allowed_networks: Type.Optional(
    Type.Array(network, {
      minItems: 1,
      maxItems: MAX_KEY_NETWORKS,
      description:
        'Addresses and networks from which the key works. From others it gets 403 `address_not_allowed`. Default: all.',
      examples: [['203.0.113.0/24', '2001:db8::/48']],
    }),
  ),
};

export const ApiKeyRequest = Type.Object(
  {
    role: Type.Optional(
      Type.Enum(ROLES, { description: `${ROLE_TEXT} Required unless \`permissions\` is sent.`, examples: ['service'] }),
    ),
    permissions: Type.Optional(
      Type.Array(permission, {
        minItems: 1,
        uniqueItems: true,
        description: 'For a restricted key: the only permissions it has. Send either this or `role`.',
        examples: [['screen']],
      }),
    ),
    ...settings,
  },
  {
    $id: 'ApiKeyRequest',
    description: "The new key belongs to the calling key's account and environment.",
    examples: [
      {
        role: 'service',
        label: 'Checkout',
        rate_limit_per_minute: 6000,
        expires_at: '2027-02-14T00:00:00Z',
        allowed_networks: ['203.0.113.0/24', '2001:db8::/48'],
      },
    ],
  },
);
export type ApiKeyRequest = Type.Static<typeof ApiKeyRequest>;

export const RollApiKeyRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_SECONDS,
        description: `How long the old key still works: up to 30 days. Default: ${DEFAULT_OVERLAP_SECONDS}, one day.`,
        examples: [3600],
      }),
    ),
    ...settings,
  },
  {
    $id: 'RollApiKeyRequest',
    description:
      'The new key has the role or permissions of the old key, and its settings unless others are sent. A key with an expiry gets the same lifetime again.',
  },
);
export type RollApiKeyRequest = Type.Static<typeof RollApiKeyRequest>;

const fields = {
  key_id: id('key', 'The key.'),
  role: Type.Enum(KEY_ROLES, {
    description: `${ROLE_TEXT} \`restricted\`: the operations of its \`permissions\`.`,
    examples: ['service'],
  }),
  permissions: Type.Array(permission, { description: 'What the key may do.', examples: [['screen', 'read']] }),
  label: nullable(Type.String({ examples: ['Checkout'] })),
  environment: Type.Enum(ENVIRONMENTS, { examples: ['sandbox'] }),
  hint: Type.String({ description: 'The last characters of the key, to recognise it by.', examples: ['…x7Qz'] }),
  rate_limit_per_minute: nullable(rateLimit),
  expires_at: nullable(timestamp('When the key stops working.')),
  allowed_networks: nullable(
    Type.Array(Type.String({ examples: ['203.0.113.0/24'] }), {
      description: 'Networks from which the key works; null for all.',
    }),
  ),
  created_at: timestamp('When the key was created.'),
  made_by: nullable(Type.String({ examples: ['mara@example.com'] }), {
    description:
      'Who made it: the e-mail address of a person, an API key, or a part of the service such as `key_command_line`. `null` in keys of earlier versions.',
  }),
  last_used_at: nullable(timestamp('When the key was used last.'), {
    description: 'When the key was used last. Other processes report it within an hour. `null` if it is not known.',
  }),
};

export const ApiKey = Type.Object(fields, { $id: 'ApiKey', description: 'A key, without its secret.' });
export type ApiKey = Type.Static<typeof ApiKey>;

const secretFields = {
  secret: Type.String({
    description: 'The value for `Authorization: Bearer`. Shown only once.',
    examples: ['sk_test_ExampleExampleExampleExampleExam'],
  }),
  warnings: Type.Optional(Warnings),
};

export const NewApiKey = Type.Object(
  { ...fields, ...secretFields },
  { $id: 'NewApiKey', description: 'The key with its secret.' },
);
export type NewApiKey = Type.Static<typeof NewApiKey>;

export const RolledApiKey = Type.Object(
  {
    ...fields,
    replaced: Type.Object(
      { key_id: id('key', 'The old key.'), expires_at: timestamp('When the old key stops working.') },
      { description: 'The old key.' },
    ),
    ...secretFields,
  },
  { $id: 'RolledApiKey', description: 'The new key with its secret.' },
);
export type RolledApiKey = Type.Static<typeof RolledApiKey>;

export const ApiKeyList = Type.Object({ api_keys: Type.Array(ApiKey) }, { $id: 'ApiKeyList' });
export type ApiKeyList = Type.Static<typeof ApiKeyList>;
