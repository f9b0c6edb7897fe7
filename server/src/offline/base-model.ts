import type { ModelFile } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { joinForests, trainModel } from '@portcullis/engine';
import { mayUseFeature, signOf } from './base-model-features.ts';
import {
  FIRST_DAY,
  lastDayOf,
  oddsOf,
  TRAINING_SHARE,
  trainingDataOf,
  type WorldsRecipe,
} from './base-model-worlds.ts';

/**
 * Trains the shipped model only on simulated histories. It is the same on every machine, to the byte: it depends
 * on no clock and no setting, and has fixed seeds.
 *
 * The model must work for any account, so it uses only features that mean the same for all of them. It does not use
 * the usual amounts, hours and places of an account.
 */

/** Each forest learns from worlds of its own: their mean errs less than one forest from all these worlds. */
export const FORESTS: readonly WorldsRecipe[] = [
  { seed: 20_261_177, worlds: 384, composed: 'none' },
  { seed: 31_005, worlds: 384, composed: 'all' },
  { seed: 31_008, worlds: 384, composed: 'none' },
];
/** Worlds that no forest learned from. */
const CALIBRATION: WorldsRecipe = { seed: 77_001, worlds: 96, composed: 'half' };
/** The share of legitimate items that all forests score. */
const SHARE_FOR_ALL = 0.06;
/** The assumed share of fraud. Training has more of it. */
const FRAUD_SHARE = 0.01;
const LEGITIMATE_WEIGHT = oddsOf(TRAINING_SHARE) / oddsOf(FRAUD_SHARE);
/** More growth than the default, because these trees cover a hundred kinds of business. */
const GROWTH = { learningRate: 0.2, leaves: 48, maxDepth: 8, lambda: 3 };
const SIMULATING_SHARE = 0.5;

/** Trains one of the forests. `onProgress` gets the share that is done. */
export const trainForest = (recipe: WorldsRecipe, onProgress: (share: number) => void): ModelFile => {
  const data = trainingDataOf(recipe, (share) => onProgress(share * SIMULATING_SHARE));
  return trainModel(data, {
    seed: recipe.seed,
    source: `${FORESTS.length} times ${recipe.worlds} simulated histories`,
    from: writeTimestamp(FIRST_DAY),
    until: writeTimestamp(lastDayOf(recipe)),
    mayUseFeature,
    riskSign: signOf,
    growth: GROWTH,
    legitimateWeight: LEGITIMATE_WEIGHT,
    onProgress: (share) => onProgress(SIMULATING_SHARE + share * (1 - SIMULATING_SHARE)),
  });
};

/** Joins the forests, given in the order of FORESTS, to the shipped model. */
export const joinBaseModel = (forests: readonly ModelFile[], onProgress: (share: number) => void): ModelFile => {
  const features = forests.flatMap((file) => file.features);
  return joinForests(forests, trainingDataOf(CALIBRATION, onProgress, features), {
    share: SHARE_FOR_ALL,
    legitimateWeight: LEGITIMATE_WEIGHT,
  });
};
