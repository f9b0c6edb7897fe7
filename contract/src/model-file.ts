import Type from 'typebox';

/** Of another schema, or a later version of this one, nothing in a file can be trusted to mean what it seems to. */
export const MODEL_SCHEMA = 'portcullis.model';
export const MODEL_SCHEMA_VERSION = 1;

const numbers = (description?: string) => Type.Array(Type.Number(), description === undefined ? {} : { description });

export const ModelTree = Type.Object(
  {
    feature: Type.Array(Type.Integer({ minimum: -1 }), { description: 'What each node looks at; -1 for a leaf.' }),
    threshold: numbers('A row goes left when its value is at most this.'),
    missingLeft: Type.Array(Type.Integer({ minimum: 0, maximum: 1 }), {
      description: '1 where a value that is not known goes left.',
    }),
    left: Type.Array(Type.Integer({ minimum: -1 })),
    right: Type.Array(Type.Integer({ minimum: -1 })),
    value: numbers('Log-odds of a leaf; of an inner node, what it would say if it were one.'),
    cover: numbers('How many rows of the training came by.'),
  },
  { description: 'A tree as parallel lists, one entry per node, the root first.' },
);

export const ModelFile = Type.Object(
  {
    schema: Type.Literal(MODEL_SCHEMA),
    schema_version: Type.Literal(MODEL_SCHEMA_VERSION),
    model_version: Type.String({ pattern: '^mdl_[0-9a-z_]{1,60}$', description: 'Made from what the model says.' }),
    kind: Type.Enum(['trees', 'anomaly', 'logistic'] as const, {
      description: 'Boosted trees; an isolation forest, which needs no labels; a logistic regression.',
    }),
    trained: Type.Object({
      source: Type.String({ description: 'What it learned from.' }),
      from: Type.String(),
      until: Type.String(),
      rows: Type.Integer(),
      frauds: Type.Integer(),
      seed: Type.Integer(),
    }),
    features: Type.Array(Type.String(), {
      description: 'Names of features, then members of `categories`, in their order.',
    }),
    categories: Type.Array(Type.Object({ member: Type.String(), values: Type.Record(Type.String(), Type.Number()) }), {
      description: 'Members of a request whose values are names, and the number each value stands for.',
    }),
    forest: Type.Optional(Type.Object({ base: Type.Number(), trees: Type.Array(ModelTree) })),
    logistic: Type.Optional(
      Type.Object({ intercept: Type.Number(), means: numbers(), deviations: numbers(), weights: numbers() }),
    ),
    calibration: Type.Object({ said: numbers(), meant: numbers() }),
    metrics: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
      description: 'How well it did on rows it had not learned from.',
    }),
  },
  { $id: 'ModelFile', description: 'A model as it is stored: plain JSON.' },
);
export type ModelFile = Type.Static<typeof ModelFile>;
