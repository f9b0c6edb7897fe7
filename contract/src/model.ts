import Type from 'typebox';
import { id } from './ids.ts';
import { nullable, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const MODEL_STATUSES = ['champion', 'challenger', 'rejected', 'retired'] as const;
export type ModelStatus = (typeof MODEL_STATUSES)[number];

const version = Type.String({
  pattern: '^mdl_[0-9a-z_]{1,60}$',
  description: 'As decisions name it.',
  examples: ['mdl_gfbwnumoqv27rg191xgqh'],
});
const share = (description: string, example: number) => Type.Number({ description, examples: [example] });

export const ModelGate = Type.Object(
  {
    name: Type.Enum(
      [
        'average_precision',
        'recall_at_operating_point',
        'frauds_held',
        'others_held',
        'labels_agree',
        'known_attacks',
      ] as const,
      { examples: ['average_precision'] },
    ),
    wanted: Type.String({ examples: ["at least 0.01 above the champion's"] }),
    champion: nullable(
      Type.Number({ description: 'As measured; `null` where there was too little.', examples: [0.41] }),
    ),
    challenger: nullable(Type.Number({ examples: [0.78] })),
    passed: Type.Boolean({ examples: [true] }),
  },
  { $id: 'ModelGate', description: 'One condition for taking the place of the champion.' },
);
export type ModelGate = Type.Static<typeof ModelGate>;

const range = (description: string) =>
  Type.Object(
    {
      from: Type.String({ examples: ['2026-09-01T00:00:00.000Z'] }),
      until: Type.String({ examples: ['2026-11-01T00:00:00.000Z'] }),
      rows: Type.Integer({ examples: [41_230] }),
      frauds: Type.Integer({ examples: [412] }),
    },
    { description },
  );

const summary = {
  model_version: version,
  status: Type.Enum(MODEL_STATUSES, {
    description:
      'The `champion` scores. A `challenger` passed all gates and waits. A `rejected` one failed a gate. A `retired` one scored once.',
    examples: ['champion'],
  }),
  ships: Type.Boolean({
    description: 'Whether it is the model every account begins with.',
    examples: [false],
  }),
  reason: nullable(
    Type.String({ description: 'Why it was rejected.', examples: ['average_precision: 0.412 to 0.41'] }),
  ),
  trained: range('What it learned from.'),
  window: nullable(range('The newest items, on which it was measured and from which it did not learn.')),
  metrics: Type.Record(Type.String(), nullable(Type.Number()), {
    description: 'How it did on the window.',
    examples: [{ average_precision: 0.78, champion_average_precision: 0.41 }],
  }),
  trained_at: nullable(timestamp('When it was trained here; `null` for the model that ships.')),
  trained_by: nullable(
    Type.String({
      description: 'The key that asked for it; `null` for the daily training.',
      examples: ['key_01kcy5v3n7f2q8r4t6w9x0y1z2'],
    }),
  ),
  promoted_at: nullable(timestamp('When it last became the champion.')),
};

export const ModelSummary = Type.Object(summary, { $id: 'ModelSummary' });
export type ModelSummary = Type.Static<typeof ModelSummary>;

export const AccountModel = Type.Object(
  {
    ...summary,
    gates: Type.Array(ModelGate, { description: 'What it was asked, and how it did.' }),
    curves: nullable(
      Type.Object({
        roc: Type.Array(
          Type.Object({
            false_positive_rate: share('Of what is no fraud, taken for fraud.', 0.01),
            recall: share('Of fraud, found.', 0.62),
          }),
        ),
        precision_recall: Type.Array(
          Type.Object({ recall: share('Of fraud, found.', 0.62), precision: share('Of what is found, fraud.', 0.8) }),
        ),
      }),
    ),
    features: Type.Array(Type.String({ examples: ['user.transactions.1h'] }), {
      description: 'What it looks at.',
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Model', description: 'A model of this account, in both environments.' },
);
export type AccountModel = Type.Static<typeof AccountModel>;

export const ModelList = Type.Object(
  { models: Type.Array(ModelSummary) },
  { $id: 'ModelList', description: 'Newest first, the one that ships last.' },
);
export type ModelList = Type.Static<typeof ModelList>;

export const TrainingRequest = Type.Object(
  {
    maturity_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 89,
        default: 30,
        description: 'An allowed item that nobody labelled counts as legitimate when it is this old.',
      }),
    ),
  },
  { $id: 'TrainingRequest' },
);
export type TrainingRequest = Type.Static<typeof TrainingRequest>;

export const TRAINING_STATUSES = ['running', 'done', 'failed'] as const;
export const Training = Type.Object(
  {
    training_id: id('training', 'For asking how far it is.'),
    status: Type.Enum(TRAINING_STATUSES, { examples: ['running'] }),
    progress: Type.Number({ minimum: 0, maximum: 1, examples: [0.4] }),
    message: nullable(Type.String({ description: 'What came of it.', examples: ['promoted'] })),
    model_version: nullable(version),
    started_at: timestamp('When it was asked for.'),
    ended_at: nullable(timestamp('When it was done.')),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Training' },
);
export type Training = Type.Static<typeof Training>;

export const PromotionRequest = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({ description: 'Also a model that was rejected.', default: false, examples: [true] }),
    ),
  },
  { $id: 'PromotionRequest' },
);
export type PromotionRequest = Type.Static<typeof PromotionRequest>;
