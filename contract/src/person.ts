import Type from 'typebox';
import { withCardRule, withoutCardNumber } from './card-numbers/rule.ts';
import { id } from './ids.ts';
import { PERMISSIONS, PERSON_ROLES, type PersonRole } from './permissions.ts';
import { nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

/** People with a role in one environment of an account. */
export const MAX_PEOPLE = 500;
export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 256;

const email = withoutCardNumber(
  Type.Refine(
    text(3, 254, { description: 'E-mail address, which the person signs in with.', examples: ['mara@example.com'] }),
    (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    () => 'must be an e-mail address such as mara@example.com',
  ),
);
const name = text(1, 200, { description: 'Name of the person.', examples: ['Mara Lind'] });
/** Neither masked nor refused for digits that look like a card number: only its hash is stored. */
const password = (description: string) =>
  withCardRule(text(1, MAX_PASSWORD_LENGTH, { description, examples: ['correct horse battery'] }), 'exact');
const newPassword = password(
  `At least ${MIN_PASSWORD_LENGTH} characters. A common password is refused. Passwords are compared in Unicode form NFKC.`,
);
const role = Type.Enum(PERSON_ROLES, {
  description:
    '`admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data.',
  examples: ['analyst'],
});

export const PersonRequest = Type.Object(
  { email, name, role },
  {
    $id: 'PersonRequest',
    description: 'The person gets the role in the environment of the request.',
    examples: [{ email: 'mara@example.com', name: 'Mara Lind', role: 'analyst' }],
  },
);
export type PersonRequest = Type.Static<typeof PersonRequest>;

export const PersonChange = Type.Object(
  { name: Type.Optional(name), role: Type.Optional(role) },
  { $id: 'PersonChange', description: 'Omitted fields keep their value.' },
);
export type PersonChange = Type.Static<typeof PersonChange>;

const fields = {
  person_id: id('person', 'The person.'),
  email: Type.String({ examples: ['mara@example.com'] }),
  name: Type.String({ examples: ['Mara Lind'] }),
  role: Type.Enum(PERSON_ROLES, { description: 'Role in the environment of the request.', examples: ['analyst'] }),
  has_password: Type.Boolean({ description: 'False until the person has used a link.', examples: [true] }),
  has_sso: Type.Boolean({
    description: 'Whether the person has signed in through the identity provider.',
    examples: [false],
  }),
  has_totp: Type.Boolean({ description: 'Whether a code of an app is asked for at sign-in.', examples: [false] }),
  signed_in_at: nullable(timestamp('Last sign-in.')),
  created_at: timestamp('When the person was added to the account.'),
};
export const Person = Type.Object(fields, { $id: 'Person', description: 'A person with a role in this environment.' });
export type Person = Type.Static<typeof Person>;

const linkFields = {
  person_id: id('person', 'The person.'),
  path: Type.String({
    description:
      'Path of the page that uses the link, with the token in the fragment. Append it to the address of the console. Shown only once.',
    examples: ['/console/invite#ExampleExampleExampleExampleExampleExampleExa'],
  }),
  token: Type.String({ examples: ['ExampleExampleExampleExampleExampleExampleExa'] }),
  expires_at: timestamp('When the link stops working.'),
};
export const PersonLink = Type.Object(linkFields, {
  $id: 'PersonLink',
  description: 'A link that sets a password and signs the person in. It works once.',
});
export type PersonLink = Type.Static<typeof PersonLink>;

export const NewPerson = Type.Object(
  {
    ...fields,
    link: nullable(PersonLink, {
      description: 'Link for the invitation. `null` for a person who has a role in the other environment already.',
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'NewPerson', description: 'The person with the link for the invitation.' },
);
export type NewPerson = Type.Static<typeof NewPerson>;

export const PersonList = Type.Object({ people: Type.Array(Person) }, { $id: 'PersonList', description: 'By e-mail.' });
export type PersonList = Type.Static<typeof PersonList>;

export const SignInRequest = Type.Object(
  { email, password: password('The password.') },
  { $id: 'SignInRequest', examples: [{ email: 'mara@example.com', password: 'correct horse battery' }] },
);
export type SignInRequest = Type.Static<typeof SignInRequest>;

export const LinkRequest = Type.Object(
  {
    token: withCardRule(
      text(1, 100, {
        description: 'The fragment of the link.',
        examples: ['ExampleExampleExampleExampleExampleExampleExa'],
      }),
      'exact',
    ),
    email: Type.Optional(email),
    name: Type.Optional(name),
    password: newPassword,
  },
  {
    $id: 'LinkRequest',
    description: 'The link of the first start has no person yet: it also needs `email` and `name`.',
    examples: [
      {
        token: 'ExampleExampleExampleExampleExampleExampleExa',
        name: 'Mara Lind',
        password: 'correct horse battery',
      },
    ],
  },
);
export type LinkRequest = Type.Static<typeof LinkRequest>;

const roleOf = (environment: string) =>
  nullable(Type.Enum(PERSON_ROLES, { examples: ['analyst'] }), {
    description: `Role in ${environment}; \`null\` without one.`,
  });
export const Me = Type.Object(
  {
    person_id: id('person', 'The person.'),
    email: Type.String({ examples: ['mara@example.com'] }),
    name: Type.String({ examples: ['Mara Lind'] }),
    account: Type.String({ examples: ['default'] }),
    roles: Type.Object({ sandbox: roleOf('the sandbox'), production: roleOf('production') }),
    permissions: Type.Object({
      sandbox: Type.Array(Type.Enum(PERMISSIONS, { examples: ['read'] })),
      production: Type.Array(Type.Enum(PERMISSIONS, { examples: ['read'] })),
    }),
    has_totp: Type.Boolean({ description: 'Whether a code of an app is asked for at sign-in.', examples: [false] }),
    has_password: Type.Boolean({ description: 'False until the person has used a link.', examples: [true] }),
    session_id: id('session', 'This session.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Me', description: 'The person of the session.' },
);
export type Me = Type.Static<typeof Me>;

export const SignedIn = Type.Object(
  {
    next: nullable(Type.Enum(['totp'], { examples: ['totp'] }), {
      description:
        '`totp` if a code is missing: send it with the ticket to `/v1/sign-in/totp`. `null` if the person is signed in.',
      examples: [null],
    }),
    ticket: nullable(Type.String(), { description: 'Works for ten minutes.', examples: [null] }),
    me: nullable(Me, { description: 'The person; `null` until the code was sent.' }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'SignedIn', description: 'A session, or what it takes to get one.' },
);
export type SignedIn = Type.Static<typeof SignedIn>;

const code = withCardRule(
  text(6, 40, { description: 'The code of the app, or a recovery code. Each works once.', examples: ['287082'] }),
  'exact',
);
export const CodeRequest = Type.Object(
  {
    ticket: withCardRule(text(1, 1000, { description: 'From the sign-in.', examples: ['ExampleTicket'] }), 'exact'),
    code,
  },
  { $id: 'CodeRequest' },
);
export type CodeRequest = Type.Static<typeof CodeRequest>;

export const TotpRequest = Type.Object(
  { current_password: Type.Optional(password('The present password. Required.')) },
  { $id: 'TotpRequest', examples: [{ current_password: 'correct horse battery' }] },
);
export type TotpRequest = Type.Static<typeof TotpRequest>;

export const TotpCode = Type.Object({ code }, { $id: 'TotpCode' });
export type TotpCode = Type.Static<typeof TotpCode>;

export const TotpSecret = Type.Object(
  {
    secret: Type.String({
      description: 'Secret for an authenticator app, in base 32. Shown only once.',
      examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    }),
    uri: Type.String({
      description: 'The same as an address, for a QR code.',
      examples: [
        'otpauth://totp/Portcullis:mara%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Portcullis',
      ],
    }),
    recovery_codes: Type.Array(Type.String({ examples: ['mfrg-gzdf-mztw-q2lk'] }), {
      description: 'Ten codes for a lost app. Each works once. Shown only once.',
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'TotpSecret' },
);
export type TotpSecret = Type.Static<typeof TotpSecret>;

export const MeChange = Type.Object(
  {
    name: Type.Optional(name),
    password: Type.Optional(newPassword),
    current_password: Type.Optional(password('The present password. Required with `password`.')),
  },
  {
    $id: 'MeChange',
    description: 'Omitted fields keep their value. A new password ends every other session.',
    examples: [{ name: 'Mara Lind' }],
  },
);
export type MeChange = Type.Static<typeof MeChange>;

export const Session = Type.Object(
  {
    session_id: id('session', 'The session.'),
    is_current: Type.Boolean({ description: 'Whether the request was made in it.', examples: [true] }),
    address: Type.String({ description: 'Address at sign-in.', examples: ['203.0.113.7'] }),
    user_agent: nullable(Type.String({ examples: ['Mozilla/5.0'] }), { description: 'Browser at sign-in.' }),
    created_at: timestamp('Time of the sign-in.'),
    used_at: timestamp('Last use, accurate to five minutes.'),
    expires_at: timestamp('When the session ends at the latest.'),
  },
  { $id: 'Session' },
);
export type Session = Type.Static<typeof Session>;

export const SessionList = Type.Object(
  { sessions: Type.Array(Session) },
  { $id: 'SessionList', description: 'Newest first.' },
);
export type SessionList = Type.Static<typeof SessionList>;

/** The role of a person in each environment. */
export type Roles = Readonly<Record<'sandbox' | 'production', PersonRole | null>>;
