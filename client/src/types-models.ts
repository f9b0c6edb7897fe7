// Made from the contract by `npm run client`; not to be edited.

/** A model of this account, in both environments. */
export interface Model {
  /** As decisions name it. */
  model_version: string;
  /** The `champion` scores. A `challenger` passed all gates and waits. A `rejected` one failed a gate. A `retired` one scored once. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether it is the model every account begins with. */
  ships: boolean;
  reason: string | null;
  /** What it learned from. */
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
  /** How it did on the window. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
  /** What it was asked, and how it did. */
  gates: ModelGate[];
  curves: {
    roc: {
      /** Of what is no fraud, taken for fraud. */
      false_positive_rate: number;
      /** Of fraud, found. */
      recall: number;
    }[];
    precision_recall: {
      /** Of fraud, found. */
      recall: number;
      /** Of what is found, fraud. */
      precision: number;
    }[];
  } | null;
  /** What it looks at. */
  features: string[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** One condition for taking the place of the champion. */
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

/** Newest first, the one that ships last. */
export interface ModelList {
  models: ModelSummary[];
}

export interface ModelSummary {
  /** As decisions name it. */
  model_version: string;
  /** The `champion` scores. A `challenger` passed all gates and waits. A `rejected` one failed a gate. A `retired` one scored once. */
  status: 'champion' | 'challenger' | 'rejected' | 'retired';
  /** Whether it is the model every account begins with. */
  ships: boolean;
  reason: string | null;
  /** What it learned from. */
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
  /** How it did on the window. */
  metrics: Record<string, number | null>;
  trained_at: string | null;
  trained_by: string | null;
  promoted_at: string | null;
}

export interface PromotionRequest {
  /**
   * Also a model that was rejected.
   * @default false
   */
  force?: boolean | undefined;
}

export interface Training {
  /** For asking how far it is. */
  training_id: string;
  status: 'running' | 'done' | 'failed';
  progress: number;
  message: string | null;
  model_version: string | null;
  /** When it was asked for. */
  started_at: string;
  ended_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface TrainingRequest {
  /**
   * An allowed item that nobody labelled counts as legitimate when it is this old.
   * @default 30
   */
  maturity_days?: number | undefined;
}
