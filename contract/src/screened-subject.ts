import Type from 'typebox';
import { mapOf } from './map.ts';
import { nullable } from './text.ts';

/** What a read can add to its response. */
export const INCLUDES = ['subject'] as const;
/** The permission that each of them needs, beside the one of the operation. */
export const INCLUDE_PERMISSIONS = { subject: 'read_personal' } as const;

export const include = Type.Optional(
  Type.Enum(INCLUDES, {
    description:
      '`subject`: adds `subject`, the stored request, and `knowledge`, the result of looking it up. Requires the permission `read_personal`.',
    examples: ['subject'],
  }),
);
export const SubjectQuery = Type.Object({ include }, { $id: 'SubjectQuery' });
export type SubjectQuery = Type.Static<typeof SubjectQuery>;

export const SUBJECT_DESCRIPTION =
  'The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent.';

export const optionalText = (example: string, description?: string) =>
  Type.Optional(Type.String({ ...(description === undefined ? {} : { description }), examples: [example] }));

/** Fields that transactions and events share. They have no limits: a response repeats what any version accepted. */
export const sentFields = {
  ip_address: optionalText('198.51.100.24'),
  device_token: optionalText(
    'dvc_8f14e45f',
    'Your identifier of the device, or the device id of a verified token, such as `dvk_…`. Absent for other tokens of the device SDK.',
  ),
  email: optionalText('ada@example.com'),
  metadata: Type.Optional(mapOf(Type.String(), { examples: [{ order_id: 'A-1001', channel: 'web' }] })),
};

/** As in the facts of the engine, which names them the same. */
export const DEVICE_TOKEN_STATES = ['verified', 'unkept', 'unsigned', 'tampered'] as const;

const yesOrNo = (description: string) => nullable(Type.Boolean({ examples: [false] }), { description });
const textOrNull = (example: string, description: string) =>
  nullable(Type.String({ examples: [example] }), { description });

export const Knowledge = Type.Object(
  {
    network: textOrNull(
      '198.51.100.0/24',
      'The network that the IP address is counted in: a /24 of IPv4, a /48 of IPv6.',
    ),
    country: textOrNull('DE', 'Country of the IP address, as an ISO 3166-1 alpha-2 code.'),
    place: nullable(
      Type.Object({
        lat: Type.Number({ examples: [52.52] }),
        lon: Type.Number({ examples: [13.4] }),
        radius_km: nullable(Type.Number({ examples: [20] }), { description: 'Accuracy radius.' }),
      }),
      { description: 'Place of the IP address. Without a city database it is the centre of the country.' },
    ),
    asn: nullable(Type.Integer({ examples: [3320] }), { description: 'Autonomous system of the IP address.' }),
    hosting: yesOrNo('The IP address belongs to a hosting provider.'),
    vpn: yesOrNo('The IP address belongs to a VPN.'),
    proxy: yesOrNo('The IP address is an open proxy.'),
    tor: yesOrNo('The IP address is a Tor exit.'),
    reserved: yesOrNo('The IP address is reserved: it cannot be on the public internet.'),
    mailbox: textOrNull(
      'ada@example.com',
      'The mailbox of the e-mail address. Spellings that reach one mailbox are counted as one.',
    ),
    email_disposable: yesOrNo('The e-mail domain is for disposable addresses.'),
    email_free: yesOrNo('The e-mail domain belongs to a free e-mail provider.'),
    device_id: textOrNull('dvc_8f14e45f', 'The device, as profiles, lists and links name it.'),
    device_state: nullable(Type.Enum(DEVICE_TOKEN_STATES, { examples: ['verified'] }), {
      description: 'How far a token of the device SDK can be trusted. `null` for your own identifier.',
    }),
    device_automation: yesOrNo('The device SDK found signs that a program controls the browser.'),
    device_country: textOrNull('DE', "Country of the browser's time zone."),
    unavailable: Type.Array(Type.String(), {
      description: 'Names of lookups whose source was unavailable, as in the decision.',
      examples: [[]],
    }),
  },
  {
    $id: 'Knowledge',
    description:
      'What the service looked up for the decision. `null`: unknown, unavailable, or the field was not sent.',
  },
);
export type Knowledge = Type.Static<typeof Knowledge>;

/** In responses to `include=subject`. */
export const knowledge = Type.Optional(
  nullable(Knowledge, {
    description:
      'Only with `include=subject`. `null` if the facts of the screening have an unreadable version, or are no longer stored.',
  }),
);

/** In responses about an item. */
export const imported = Type.Optional(
  Type.Literal(true, {
    description:
      'Only on an imported item: its score is what it would have got when it was imported. It opened no case.',
    examples: [true],
  }),
);
