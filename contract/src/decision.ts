import Type from 'typebox';
import { id } from './ids.ts';
import { callerId, nullable, text, timestamp } from './text.ts';
import { DecisionValue, RiskScore, Signals, Warnings } from './verdict.ts';

export const SUBJECT_TYPES = ['transaction', 'event'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const analystId = callerId('Your identifier of the person who decided.', 'analyst_7');
export const notes = text(0, 10_000, {
  description: 'Why, for audits.',
  examples: ['Called the customer; the purchase is theirs.'],
});

export const Factor = Type.Object(
  {
    signal: Type.Optional(Type.String({ examples: ['new_device'] })),
    feature: Type.Optional(Type.String({ examples: ['user.transactions.1h'] })),
    description: Type.String({ examples: ['First time this user is seen with this device'] }),
    contribution: Type.Number({ description: 'In score points.', examples: [12] }),
  },
  { $id: 'Factor', description: 'One reason for the score: a signal or a feature.' },
);
export type Factor = Type.Static<typeof Factor>;

export const Review = Type.Object(
  {
    decision: Type.Enum(['allow', 'block'] as const, { examples: ['allow'] }),
    analyst_id: nullable(Type.String({ examples: ['analyst_7'] })),
    notes: nullable(Type.String({ examples: ['Called the customer; the purchase is theirs.'] })),
    reviewed_at: timestamp('When the person decided.'),
  },
  { $id: 'Review' },
);
export type Review = Type.Static<typeof Review>;

export const ReviewRequest = Type.Object(
  {
    decision: Type.Enum(['allow', 'block'] as const, { examples: ['allow'] }),
    analyst_id: Type.Optional(analystId),
    notes: Type.Optional(notes),
  },
  { $id: 'ReviewRequest', description: 'A manual override. The last one is in force.' },
);
export type ReviewRequest = Type.Static<typeof ReviewRequest>;

export const DecisionQuery = Type.Object(
  {
    factors: Type.Optional(
      Type.Enum(['stored', 'exact'] as const, {
        default: 'stored',
        description:
          '`exact` parts the share of the model by exact Shapley values, computed now; `stored` are those kept with the decision.',
      }),
    ),
  },
  { $id: 'DecisionQuery' },
);
export type DecisionQuery = Type.Static<typeof DecisionQuery>;

export const Decision = Type.Object(
  {
    decision_id: id('decision', 'Retrieves this decision for 90 days.'),
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    user_id: Type.String({ examples: ['user_1842'] }),
    decision: DecisionValue,
    automated_decision: DecisionValue,
    risk_score: RiskScore,
    signals: Signals,
    factors: Type.Array(Factor, {
      description: 'Why, largest first. With `base_score` the contributions add up to `risk_score`.',
    }),
    base_score: Type.Number({ description: 'The score before any factor.', examples: [2] }),
    model_version: nullable(Type.String({ examples: ['mdl_base'] }), { description: 'Null when no model took part.' }),
    ruleset_version: Type.String({ examples: ['rules-4'] }),
    unavailable: Type.Array(Type.String(), {
      description:
        'Names of facts that could not be had; a kind of entity, such as `user`, where that was all of its history.',
      examples: [[]],
    }),
    case_id: nullable(id('case', 'The review case.')),
    reviews: Type.Array(Review, { description: 'Oldest first.' }),
    decided_at: timestamp('When screening decided.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Decision', description: '`decision` is what is in force now, `automated_decision` what screening said.' },
);
export type Decision = Type.Static<typeof Decision>;
