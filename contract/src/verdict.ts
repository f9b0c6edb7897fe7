import Type from 'typebox';

export const DECISIONS = ['allow', 'review', 'block'] as const;
export const DecisionValue = Type.Enum(DECISIONS, {
  description: '`allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline.',
  examples: ['allow'],
});
export type DecisionValue = Type.Static<typeof DecisionValue>;

export const RiskScore = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: '0 (no risk) to 100 (highest risk).',
  examples: [12],
});

export const Signals = Type.Array(Type.String(), {
  description: 'Names of the active risk signals.',
  examples: [['velocity_spike', 'new_device']],
});

export const Warnings = Type.Array(Type.String(), {
  description: 'Problems of a request that was accepted nevertheless. Absent if there are none.',
  examples: [['unknown member `ip_adress` was ignored; did you mean `ip_address`?']],
});
