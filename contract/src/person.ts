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

export const SignInMethods = Type.Object(
  { methods: Type.Array(Type.Enum(['password'], { examples: ['password'] })) },
  { $id: 'SignInMethods', description: 'How people can sign in.' },
);
export type SignInMethods = Type.Static<typeof SignInMethods>;

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
    session_id: id('session', 'This session.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Me', description: 'The person of the session.' },
);
export type Me = Type.Static<typeof Me>;

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
