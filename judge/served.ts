import { existsSync } from 'node:fs';
import { DEFAULT_POLICY, decide, type Facts, type Model, type Policy } from '@portcullis/engine';
import { BASE_MODEL, loadModelFile } from '../server/src/models/model-file.ts';
import type { Item } from '../server/src/offline/item-reader.ts';
import { REPLAYED, type ServedFacts } from './served-facts.ts';

/** The served decision on an item, and the score of the model alone. */
export interface Outcome {
  /** The served score: a whole number from 0 to 100. */
  readonly score: number;
  readonly decision: 'allow' | 'review' | 'block';
  readonly signals: readonly string[];
  /** The model's probability, which ranks without ties. */
  readonly probability: number;
  /** The model's points as a whole number, on the scale of the served score. */
  readonly modelScore: number;
  readonly modelDecision: 'allow' | 'review' | 'block';
}

/** Decides as the service does for an account without rules and lists of its own. */
export interface Serve {
  (item: Item, facts: Facts): Outcome;
  /** Makes the walk whose facts are passed. */
  readonly startWalk: ServedFacts['startWalk'];
}

export const loadServedModelFile = (path?: string): ReturnType<typeof loadModelFile> => {
  if (path === undefined && !existsSync(BASE_MODEL)) throw new Error('There is no shipped model to judge.');
  return loadModelFile(path ?? BASE_MODEL);
};
export const loadServedModel = (path?: string): Model => loadServedModelFile(path).model;

export const makeServe = (model: Model, served: ServedFacts = REPLAYED): Serve => {
  const policy: Policy = { ...DEFAULT_POLICY, model };
  const { review, block } = policy.thresholds;
  const serve = ({ subject }: Item, walked: Facts): Outcome => {
    const facts = served.next(walked);
    const { probability, points } = model.score(facts, subject);
    const modelScore = Math.round(points);
    // Nobody reads the factors.
    const { score, decision, signals } = decide(policy, subject, facts, undefined, false);
    return {
      score,
      decision,
      signals,
      probability,
      modelScore,
      modelDecision: modelScore >= block ? 'block' : modelScore >= review ? 'review' : 'allow',
    };
  };
  return Object.assign(serve, { startWalk: served.startWalk });
};
