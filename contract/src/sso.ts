import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { Me } from './person.ts';
import { nullable, text } from './text.ts';
import { Warnings } from './verdict.ts';

/** A page of the console. The prefix keeps a browser on this host, whatever follows. */
const CONSOLE_PATH = /^\/console(?:[/?][\x21-\x7e]*)?$/;
const returnTo = withCardRule(
  Type.Refine(
    text(1, 2000, {
      description: 'Path of the page of the console to open after the sign-in. Default: `/console`.',
      examples: ['/console/production/cases'],
    }),
    (value) => CONSOLE_PATH.test(value),
    () => 'must be a path that begins with /console',
  ),
  'exact',
);

export const SsoRequest = Type.Object({ return_to: Type.Optional(returnTo) }, { $id: 'SsoRequest' });
export type SsoRequest = Type.Static<typeof SsoRequest>;

export const SsoStart = Type.Object(
  {
    url: Type.String({
      description: 'Open it in the browser. The provider sends the browser back to `/console/sso`.',
      examples: ['https://id.example.com/authorize?client_id=portcullis'],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'SsoStart', description: 'Where the sign-in continues.' },
);
export type SsoStart = Type.Static<typeof SsoStart>;

export const SsoCallback = Type.Object(
  {
    query: withCardRule(
      text(1, 8000, {
        description: 'The query with which the provider sent the browser back to `/console/sso`.',
        examples: ['code=ExampleCode&state=ExampleState'],
      }),
      'exact',
    ),
  },
  { $id: 'SsoCallback' },
);
export type SsoCallback = Type.Static<typeof SsoCallback>;

export const SsoSignedIn = Type.Object(
  {
    me: Me,
    return_to: Type.String({
      description: 'Path of the page to open, from the start of the sign-in.',
      examples: ['/console/production/cases'],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'SsoSignedIn', description: 'A session.' },
);
export type SsoSignedIn = Type.Static<typeof SsoSignedIn>;

export const SignInMethods = Type.Object(
  {
    methods: Type.Array(Type.Enum(['password', 'sso'], { examples: ['password'] })),
    sso: nullable(
      Type.Object({
        label: Type.String({ description: 'Name of the provider, for the button.', examples: ['Okta'] }),
      }),
      { description: 'The identity provider for single sign-on. `null` without one.' },
    ),
    hosts: Type.Object(
      {
        sandbox: nullable(Type.String({ examples: ['sandbox.fraud.example.com'] })),
        production: nullable(Type.String({ examples: ['fraud.example.com'] })),
      },
      { description: 'The host name of an environment that is served under no other. `null` without one.' },
    ),
  },
  { $id: 'SignInMethods', description: 'How and where people can sign in.' },
);
export type SignInMethods = Type.Static<typeof SignInMethods>;
