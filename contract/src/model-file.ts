import Type from 'typebox';
import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION } from './constants.ts';

const numbers = (description?: string) => Type.Array(Type.Number(), description === undefined ? {} : { description });

export const ModelTree = Type.Object(
  {
    feature: Type.Array(Type.Integer({ minimum: -1 }), { description: 'Feature of each node; -1 for a leaf.' }),
    threshold: numbers('A row goes left if its value is at most this.'),
    missingLeft: Type.Array(Type.Integer({ minimum: 0, maximum: 1 }), {
      description: '1 where a missing value goes left.',
    }),
    left: Type.Array(Type.Integer({ minimum: -1 })),
    right: Type.Array(Type.Integer({ minimum: -1 })),
    value: numbers('Log-odds of a leaf. For an inner node: its value as if it were a leaf.'),
    cover: numbers('Number of training rows that reached the node.'),
  },
  { description: 'A tree as parallel lists, one entry per node, the root first.' },
);

export const ModelFile = Type.Object(
  {
    schema: Type.Literal(MODEL_SCHEMA),
    schema_version: Type.Literal(MODEL_SCHEMA_VERSION),
    model_version: Type.String({
      pattern: '^mdl_[0-9a-z_]{1,60}$',
      description: 'Derived from the content of the model.',
    }),
    erased: Type.Optional(
      Type.String({
        description:
          'The version that follows from the content since values of a person were taken out of `categories`. Decisions refer to `model_version`.',
      }),
    ),
    kind: Type.Enum(['trees', 'anomaly', 'logistic'] as const, {
      description: 'Boosted trees; an isolation forest, which needs no labels; a logistic regression.',
    }),
    trained: Type.Object({
      source: Type.String({ description: 'Description of the training data.' }),
      from: Type.String(),
      until: Type.String(),
      rows: Type.Integer(),
      frauds: Type.Integer(),
      seed: Type.Integer(),
    }),
    features: Type.Array(Type.String(), {
      description: 'Names of the features, followed by the fields of `categories`, in order.',
    }),
    categories: Type.Array(Type.Object({ member: Type.String(), values: Type.Record(Type.String(), Type.Number()) }), {
      description: 'Categorical request fields, with the number of each value.',
    }),
    forest: Type.Optional(Type.Object({ base: Type.Number(), trees: Type.Array(ModelTree) })),
    logistic: Type.Optional(
      Type.Object({ intercept: Type.Number(), means: numbers(), deviations: numbers(), weights: numbers() }),
    ),
    calibration: Type.Object({ said: numbers(), meant: numbers() }),
    metrics: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
      description: 'Metrics on rows outside the training data.',
    }),
  },
  { $id: 'ModelFile', description: 'A model file: plain JSON.' },
);
export type ModelFile = Type.Static<typeof ModelFile>;
