import Type from 'typebox';
import { nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

const isTimeZone = (value: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
};

const name = text(0, 100, {
  description: 'The name of the account, for people. An empty text removes it.',
  examples: ['Nordlys'],
});
const timeZone = Type.Refine(
  Type.String({
    pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
    description: 'The IANA time zone in which your tool shows times. The API is in UTC.',
    examples: ['Europe/Berlin'],
  }),
  isTimeZone,
  () => 'must be an IANA time zone such as Europe/Berlin',
);
const target = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 10_080, description, examples: [240] });
const noteRequired = Type.Boolean({
  description: 'Whether `notes` are required to reject a case.',
  examples: [false],
});

export const AccountSettings = Type.Object(
  {
    name: nullable(Type.String({ examples: ['Nordlys'] }), { description: '`null` until it is set.' }),
    time_zone: Type.String({ description: '`UTC` until it is set.', examples: ['Europe/Berlin'] }),
    review_target_minutes: nullable(target(1, 'Minutes within which a case should be resolved.'), {
      description: 'Minutes within which a case should be resolved; `null` without a target.',
    }),
    note_required_on_reject: noteRequired,
    updated_at: nullable(timestamp('When the settings were last changed.')),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'AccountSettings', description: 'Settings of the account in this environment.' },
);
export type AccountSettings = Type.Static<typeof AccountSettings>;

export const AccountSettingsChange = Type.Object(
  {
    name: Type.Optional(name),
    time_zone: Type.Optional(timeZone),
    review_target_minutes: Type.Optional(
      target(0, 'Minutes within which a case should be resolved, up to seven days. 0 removes the target.'),
    ),
    note_required_on_reject: Type.Optional(noteRequired),
  },
  {
    $id: 'AccountSettingsChange',
    description: 'Omitted fields keep their value.',
    examples: [{ time_zone: 'Europe/Berlin', review_target_minutes: 240 }],
  },
);
export type AccountSettingsChange = Type.Static<typeof AccountSettingsChange>;
