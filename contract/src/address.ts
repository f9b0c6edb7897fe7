import Type from 'typebox';
import { isCountry } from './countries.ts';
import { text } from './text.ts';

const line = (example: string) => Type.Optional(text(0, 255, { examples: [example] }));

export const Address = Type.Object(
  {
    line1: line('1 Main Street'),
    line2: line('Flat 2'),
    city: line('Berlin'),
    state: line('BE'),
    postal_code: line('10115'),
    country: Type.Optional(
      Type.Refine(
        text(2, 2, { description: 'ISO 3166-1 alpha-2 code, in either case.', examples: ['DE'] }),
        isCountry,
        () => 'must be a two-letter ISO 3166-1 country code, such as DE',
      ),
    ),
  },
  { $id: 'Address', description: 'A postal address. Every field is optional.' },
);
export type Address = Type.Static<typeof Address>;
