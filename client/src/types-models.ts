// Generated from the contract by `npm run client`. Do not edit.

/** The shipped model or a model of the account. It scores both environments. */
export interface Model {
  /** The version as named in decisions. */
  model_version: string;
  /** `champion`: scores screenings. `challenger`: passed all gates and waits for promotion. `rejected`: failed a gate. `retired`: a former champion. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether this is the shipped model that every account starts with. */
  ships: boolean;
  reason: string | null;
  /** Training data. */
  trained: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  };
  window: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  } | null;
  /** Metrics on the test data. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
  /** Conditions of promotion, with the result of each. */
  gates: ModelGate[];
  curves: {
    roc: {
      /** False positive rate. */
      false_positive_rate: number;
      /** Recall. */
      recall: number;
    }[];
    precision_recall: {
      /** Recall. */
      recall: number;
      /** Precision. */
      precision: number;
    }[];
  } | null;
  /** Features of the model. */
  features: string[];
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** One condition of promotion. */
export interface ModelGate {
  name:
    | 'average_precision'
    | 'recall_at_operating_point'
    | 'frauds_held'
    | 'others_held'
    | 'labels_agree'
    | 'known_attacks';
  wanted: string;
  champion: number | null;
  challenger: number | null;
  passed: boolean;
}

/** Newest first; the shipped model comes last. */
export interface ModelList {
  models: ModelSummary[];
}

export interface ModelSummary {
  /** The version as named in decisions. */
  model_version: string;
  /** `champion`: scores screenings. `challenger`: passed all gates and waits for promotion. `rejected`: failed a gate. `retired`: a former champion. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether this is the shipped model that every account starts with. */
  ships: boolean;
  reason: string | null;
  /** Training data. */
  trained: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  };
  window: {
    from: string;
    until: string;
    rows: number;
    frauds: number;
  } | null;
  /** Metrics on the test data. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
}

export interface Training {
  /** The training. */
  training_id: string;
  status: 'running' | 'done' | 'failed';
  progress: number;
  message: string | null;
  model_version: string | null;
  /** When the training was requested. */
  started_at: string;
  ended_at: string | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface TrainingList {
  trainings: Training[];
  has_more: boolean;
}
