import Type from 'typebox';
import { id } from './ids.ts';
import { nullable, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const MODEL_STATUSES = ['champion', 'challenger', 'rejected', 'retired'] as const;
export type ModelStatus = (typeof MODEL_STATUSES)[number];

const version = Type.String({
  pattern: '^mdl_[0-9a-z_]{1,60}$',
  description: 'The version as named in decisions.',
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
      Type.Number({ description: 'Measured value; `null` if there was too little data.', examples: [0.41] }),
    ),
    challenger: nullable(Type.Number({ examples: [0.78] })),
    passed: Type.Boolean({ examples: [true] }),
  },
  { $id: 'ModelGate', description: 'One condition of promotion.' },
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
      '`champion`: scores screenings. `challenger`: passed all gates and waits for promotion. `rejected`: failed a gate. `retired`: a former champion.',
    examples: ['champion'],
  }),
  ships: Type.Boolean({
    description: 'Whether this is the shipped model that every account starts with.',
    examples: [false],
  }),
  reason: nullable(
    Type.String({ description: 'Reason of the rejection.', examples: ['average_precision: 0.412 to 0.41'] }),
  ),
  trained: range('Training data.'),
  window: nullable(range('Test data: the newest items, which were not used for training.')),
  metrics: Type.Record(Type.String(), nullable(Type.Number()), {
    description: 'Metrics on the test data.',
    examples: [{ average_precision: 0.78, champion_average_precision: 0.41 }],
  }),
  trained_at: nullable(timestamp('When the model was trained; `null` for the shipped model.')),
  trained_by: nullable(
    Type.String({
      description: 'The key that requested the training; `null` for the daily training.',
      examples: ['key_01kcy5v3n7f2q8r4t6w9x0y1z2'],
    }),
  ),
  promoted_at: nullable(timestamp('When the model last became champion.')),
};

export const ModelSummary = Type.Object(summary, { $id: 'ModelSummary' });
export type ModelSummary = Type.Static<typeof ModelSummary>;

export const AccountModel = Type.Object(
  {
    ...summary,
    gates: Type.Array(ModelGate, { description: 'Conditions of promotion, with the result of each.' }),
    curves: nullable(
      Type.Object({
        roc: Type.Array(
          Type.Object({
            false_positive_rate: share('False positive rate.', 0.01),
            recall: share('Recall.', 0.62),
          }),
        ),
        precision_recall: Type.Array(
          Type.Object({ recall: share('Recall.', 0.62), precision: share('Precision.', 0.8) }),
        ),
      }),
    ),
    features: Type.Array(Type.String({ examples: ['user.transactions.1h'] }), {
      description: 'Features of the model.',
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Model', description: 'The shipped model or a model of the account. It scores both environments.' },
);
export type AccountModel = Type.Static<typeof AccountModel>;

export const ModelList = Type.Object(
  { models: Type.Array(ModelSummary) },
  { $id: 'ModelList', description: 'Newest first; the shipped model comes last.' },
);
export type ModelList = Type.Static<typeof ModelList>;

export const TrainingRequest = Type.Object(
  {
    maturity_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 89,
        default: 30,
        description: 'An allowed item without a label counts as legitimate once it is this many days old.',
      }),
    ),
  },
  { $id: 'TrainingRequest' },
);
export type TrainingRequest = Type.Static<typeof TrainingRequest>;

export const TRAINING_STATUSES = ['running', 'done', 'failed'] as const;
export const Training = Type.Object(
  {
    training_id: id('training', 'The training.'),
    status: Type.Enum(TRAINING_STATUSES, { examples: ['running'] }),
    progress: Type.Number({ minimum: 0, maximum: 1, examples: [0.4] }),
    message: nullable(Type.String({ description: 'Outcome of the training.', examples: ['promoted'] })),
    model_version: nullable(version),
    started_at: timestamp('When the training was requested.'),
    ended_at: nullable(timestamp('When the training ended.')),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Training' },
);
export type Training = Type.Static<typeof Training>;

export const TrainingQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('training', 'Cursor: the last `training_id` of the previous page.')),
});
export type TrainingQuery = Type.Static<typeof TrainingQuery>;

export const TrainingList = Type.Object(
  { trainings: Type.Array(Training), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'TrainingList', description: 'Newest first.' },
);
export type TrainingList = Type.Static<typeof TrainingList>;

export const PromotionRequest = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({ description: 'Promote a rejected model as well.', default: false, examples: [true] }),
    ),
  },
  { $id: 'PromotionRequest' },
);
export type PromotionRequest = Type.Static<typeof PromotionRequest>;
