import Type from 'typebox';
import { SUBJECT_TYPES, THEMES } from './constants.ts';
import { EventSubject } from './event.ts';
import { id } from './ids.ts';
import { reason, reasonOrNull } from './label-reason.ts';
import { PolicyChange } from './policy.ts';
import { imported, include, knowledge, SUBJECT_DESCRIPTION } from './screened-subject.ts';
import { callerId, nullable, text, timestamp } from './text.ts';
import { TransactionSubject } from './transaction.ts';
import { DecisionValue, RiskScore, Signals, Warnings } from './verdict.ts';

export const analystId = callerId(
  'Your identifier of the reviewer. In a session it is the e-mail address of the person, and can be left out.',
  'analyst_7',
);
export const notes = text(0, 10_000, {
  description: 'Explanation of the decision, for audits.',
  examples: ['Called the customer; the purchase is theirs.'],
});

export const Theme = Type.Enum(THEMES, {
  description:
    '`money`: amount, payment instrument and counterparty. `pace`: how often and when. `device`. `place`: IP address, network, country and postal addresses. `account`: age of the account, logins, changes and e-mail. `links`: things shared with other users. `known_fraud`: confirmed fraud. `your_rules`: rules and lists of this account.',
  examples: ['device'],
});
export type Theme = Type.Static<typeof Theme>;

/** The same line in every resource about a decision. */
export const summary = (description: string) =>
  nullable(
    Type.String({
      examples: [
        'New device in a new country (Brazil), within 4 minutes of a credential change; amount 12 times the usual',
      ],
    }),
    { description },
  );

export const Factor = Type.Object(
  {
    signal: Type.Optional(Type.String({ examples: ['new_device'] })),
    feature: Type.Optional(Type.String({ examples: ['user.transactions.1h'] })),
    theme: nullable(Theme, { description: '`null` for the sum of all other reasons, `other_features`.' }),
    description: Type.String({ examples: ['First payment by this user from this device'] }),
    contribution: Type.Number({ description: 'Contribution to the score, in points.', examples: [12] }),
  },
  { $id: 'Factor', description: 'One reason of the score: a signal or a model feature.' },
);
export type Factor = Type.Static<typeof Factor>;

export const Review = Type.Object(
  {
    decision: Type.Enum(['allow', 'block'] as const, { examples: ['allow'] }),
    reason: reasonOrNull('How the fraud was done, from the request.'),
    analyst_id: nullable(Type.String({ examples: ['analyst_7'] })),
    notes: nullable(Type.String({ examples: ['Called the customer; the purchase is theirs.'] })),
    reviewed_at: timestamp('When the reviewer decided.'),
  },
  { $id: 'Review' },
);
export type Review = Type.Static<typeof Review>;

export const ReviewRequest = Type.Object(
  {
    decision: Type.Enum(['allow', 'block'] as const, { examples: ['allow'] }),
    reason: Type.Optional(reason('`block`')),
    analyst_id: Type.Optional(analystId),
    notes: Type.Optional(notes),
  },
  {
    $id: 'ReviewRequest',
    description: 'A manual override. The latest one applies.',
    examples: [{ decision: 'allow', analyst_id: 'analyst_7', notes: 'Called the customer; the purchase is theirs.' }],
  },
);
export type ReviewRequest = Type.Static<typeof ReviewRequest>;

export const DecisionQuery = Type.Object(
  {
    factors: Type.Optional(
      Type.Enum(['stored', 'exact'] as const, {
        default: 'stored',
        description:
          '`stored`: the factors saved with the decision. `exact`: splits the contribution of the model by exact Shapley values, computed for this request.',
      }),
    ),
    include,
  },
  { $id: 'DecisionQuery' },
);
export type DecisionQuery = Type.Static<typeof DecisionQuery>;

/** The request of an item whose type `subject_type` says. */
export const AnySubject = Type.Union([TransactionSubject, EventSubject], {
  description: `Only with \`include=subject\`, by \`subject_type\`. ${SUBJECT_DESCRIPTION}`,
});

export const Decision = Type.Object(
  {
    decision_id: id('decision', 'Identifies this decision, for 90 days.'),
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    user_id: Type.String({ examples: ['user_1842'] }),
    decision: DecisionValue,
    automated_decision: DecisionValue,
    risk_score: RiskScore,
    signals: Signals,
    summary: summary(
      'The main reasons in one line, in English. `null` if the facts of the decision have an unreadable version.',
    ),
    factors: Type.Array(Factor, {
      description: 'Reasons of the score, largest first. `base_score` plus all contributions equals `risk_score`.',
    }),
    base_score: Type.Number({ description: 'Score before any factor.', examples: [2] }),
    model_version: nullable(Type.String({ examples: ['mdl_base'] }), {
      description: '`null` if no model contributed.',
    }),
    ruleset_version: Type.String({ examples: ['rules-6'] }),
    unavailable: Type.Array(Type.String(), {
      description:
        'Names of facts that were unavailable. The name of an entity kind, such as `user`, means that its whole history was unavailable.',
      examples: [[]],
    }),
    case_id: nullable(id('case', 'The review case.')),
    reviews: Type.Array(Review, { description: 'Oldest first.' }),
    decided_at: timestamp('When the decision was made; of an imported item, when it happened.'),
    imported,
    subject: Type.Optional(AnySubject),
    knowledge,
    warnings: Type.Optional(Warnings),
  },
  {
    $id: 'Decision',
    description: '`decision` applies now, after any reviews. `automated_decision` is the result of the screening.',
  },
);
export type Decision = Type.Static<typeof Decision>;

export const ReplayRequest = Type.Object(
  {
    policy: Type.Optional(
      Type.Enum(['then', 'now'] as const, {
        default: 'now',
        description: 'The policy of the decision, with the rules of that time, or the one in force now.',
        examples: ['now'],
      }),
    ),
    change: Type.Optional(PolicyChange),
    model: Type.Optional(
      Type.Enum(['then', 'now'] as const, {
        default: 'now',
        description: 'The model of the decision, or the one that scores now.',
        examples: ['then'],
      }),
    ),
  },
  {
    $id: 'ReplayRequest',
    description: 'Without fields: what the service would decide now. `change` is applied to the policy.',
    examples: [{ policy: 'now', model: 'then', change: { thresholds: { transaction: { review: 40, block: 70 } } } }],
  },
);
export type ReplayRequest = Type.Static<typeof ReplayRequest>;

export const Replay = Type.Object(
  {
    decision_id: id('decision', 'The decision that was replayed.'),
    risk_score: RiskScore,
    decision: DecisionValue,
    signals: Signals,
    factors: Type.Array(Factor, {
      description: 'Reasons of the score, largest first. `base_score` plus all contributions equals `risk_score`.',
    }),
    base_score: Type.Number({ description: 'Score before any factor.', examples: [2] }),
    model_version: nullable(Type.String({ examples: ['mdl_base'] }), {
      description: '`null` if no model contributed.',
    }),
    ruleset_version: Type.String({
      description: 'The version of the policy, before any `change`.',
      examples: ['rules-6'],
    }),
    same: Type.Boolean({
      description: 'Whether score, decision and signals equal those of the screening. Reviews do not matter.',
      examples: [true],
    }),
    warnings: Type.Optional(Warnings),
  },
  {
    $id: 'Replay',
    description: 'The decision that a policy and a model make of a stored screening. Nothing is stored.',
  },
);
export type Replay = Type.Static<typeof Replay>;
