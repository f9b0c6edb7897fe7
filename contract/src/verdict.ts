import Type from 'typebox';

export const DECISIONS = ['allow', 'review', 'block'] as const;
export const DecisionValue = Type.Enum(DECISIONS, {
  description: '`allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline.',
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
  description: 'Names of the risk signals that were active.',
  examples: [['velocity_spike', 'new_device']],
});

export const Warnings = Type.Array(Type.String(), {
  description: 'What was odd about the request although it was accepted. Absent when nothing was.',
  examples: [['unknown member `ip_adress` was ignored; did you mean `ip_address`?']],
});
