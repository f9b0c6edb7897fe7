import Type from 'typebox';
import { DecisionValue } from './verdict.ts';

export const List = Type.Object(
  {
    list_id: Type.String({ examples: ['test_addresses'] }),
    description: Type.String({ examples: ['Addresses for trying the service out.'] }),
    built_in: Type.Boolean({ examples: [true] }),
    entries: Type.Array(
      Type.Object({ ip_address: Type.String({ examples: ['203.0.113.2'] }), decision: DecisionValue }),
    ),
  },
  { $id: 'List', description: 'Values with a decision of their own.' },
);
export type List = Type.Static<typeof List>;

export const Lists = Type.Object({ lists: Type.Array(List) }, { $id: 'Lists' });
export type Lists = Type.Static<typeof Lists>;
