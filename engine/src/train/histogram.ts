import { MAX_BINS, MISSING_BIN } from './bins.ts';

/**
 * Gradient and hessian of a row as whole numbers in one double: hessian times SHIFT plus gradient. Sums are exact
 * in any order, and one addition sums both. Most of the training time is spent on these additions.
 */
const SHIFT = 2 ** 27;
/** Upper bound of the sum of all hessians, and of all gradients. */
const ROOM = 2 ** 25;

export interface PackedGradients {
  /** One number per row. */
  readonly sums: Float64Array;
  gradientScale: number;
  hessianScale: number;
}

export const makePackedGradients = (rows: number): PackedGradients => ({
  sums: new Float64Array(rows),
  gradientScale: 1,
  hessianScale: 1,
});

/**
 * Packs the gradients of all rows. The rounding error of a row is carried to the next, so that sums over many equal
 * rows are right.
 */
export const pack = (packed: PackedGradients, gradients: Float64Array, hessians: Float64Array): void => {
  const { length } = gradients;
  let gradientSum = 0;
  let hessianSum = 0;
  for (let i = 0; i < length; i++) {
    gradientSum += Math.abs(gradients[i] as number);
    hessianSum += hessians[i] as number;
  }
  packed.gradientScale = ROOM / Math.max(gradientSum, 1e-12);
  packed.hessianScale = ROOM / Math.max(hessianSum, 1e-12);
  const { sums, gradientScale, hessianScale } = packed;
  let gradientRest = 0;
  let hessianRest = 0;
  for (let i = 0; i < length; i++) {
    const gradient = (gradients[i] as number) * gradientScale + gradientRest;
    const hessian = (hessians[i] as number) * hessianScale + hessianRest;
    const wholeGradient = Math.round(gradient);
    const wholeHessian = Math.round(hessian);
    gradientRest = gradient - wholeGradient;
    hessianRest = hessian - wholeHessian;
    sums[i] = wholeHessian * SHIFT + wholeGradient;
  }
};

/** How many bins a feature uses. Most features have a few values, and their other bins are never read. */
const binsOf = (cuts: readonly Float64Array[], feature: number): number => (cuts[feature] as Float64Array).length + 2;

/** Features summed in one pass over the rows: each row and its gradient are then read once for all of them. */
const LANES = 4;
/** The sums of the features of a pass, MAX_BINS each. */
const sums = new Float64Array(LANES * MAX_BINS);
const columns = new Int32Array(LANES);

/**
 * Sums the rows `order[from]` up to `order[end]` by bin, for each feature. A pass with fewer features than lanes sums the
 * last of them in every lane that is left.
 */
export const fillHistogram = (
  histogram: Float64Array,
  bins: Uint8Array,
  cuts: readonly Float64Array[],
  rowCount: number,
  features: readonly number[],
  order: Int32Array,
  from: number,
  end: number,
  ordered: Float64Array,
): void => {
  for (let first = 0; first < features.length; first += LANES) {
    const lanes = Math.min(LANES, features.length - first);
    for (let lane = 0; lane < LANES; lane++)
      columns[lane] = rowCount * (features[first + Math.min(lane, lanes - 1)] as number);
    const a = columns[0] as number;
    const b = columns[1] as number;
    const c = columns[2] as number;
    const d = columns[3] as number;
    sums.fill(0);
    // Written out four times: a loop over the lanes is slower here.
    for (let i = from; i < end; i++) {
      const row = order[i] as number;
      const added = ordered[i] as number;
      const atA = bins[a + row] as number;
      const atB = MAX_BINS + (bins[b + row] as number);
      const atC = 2 * MAX_BINS + (bins[c + row] as number);
      const atD = 3 * MAX_BINS + (bins[d + row] as number);
      sums[atA] = (sums[atA] as number) + added;
      sums[atB] = (sums[atB] as number) + added;
      sums[atC] = (sums[atC] as number) + added;
      sums[atD] = (sums[atD] as number) + added;
    }
    for (let lane = 0; lane < lanes; lane++) {
      const feature = features[first + lane] as number;
      const used = binsOf(cuts, feature);
      for (let bin = 0; bin < used; bin++) histogram[feature * MAX_BINS + bin] = sums[lane * MAX_BINS + bin] as number;
    }
  }
};

/** Subtracts a child's histogram from its parent's, which gives the histogram of the other child. */
export const subtract = (
  parent: Float64Array,
  child: Float64Array,
  cuts: readonly Float64Array[],
  features: readonly number[],
): void => {
  for (const feature of features) {
    const start = feature * MAX_BINS;
    const end = start + binsOf(cuts, feature);
    for (let i = start; i < end; i++) parent[i] = (parent[i] as number) - (child[i] as number);
  }
};

export interface Split {
  readonly gain: number;
  readonly feature: number;
  /** Bins up to this one go left. */
  readonly bin: number;
  readonly missingLeft: boolean;
}

export interface SplitRules {
  readonly lambda: number;
  /** Least sum of the hessians on each side of a split. */
  readonly minHessian: number;
  /** By feature: 1 if a larger value can only raise the risk, -1 if it can only lower it, 0 for either. */
  readonly monotone: Int8Array;
}

/** The sum of a leaf's rows. It is the same for every feature, because sums are exact and each row is in one bin. */
const totalOf = (histogram: Float64Array, cuts: readonly Float64Array[], feature: number): number => {
  const at = feature * MAX_BINS;
  const end = at + binsOf(cuts, feature);
  let total = 0;
  for (let i = at; i < end; i++) total += histogram[i] as number;
  return total;
};

/** The split of a leaf with the largest gain; undefined if none has a gain. */
export const bestSplit = (
  histogram: Float64Array,
  cuts: readonly Float64Array[],
  features: readonly number[],
  { gradientScale, hessianScale }: PackedGradients,
  { lambda, minHessian, monotone }: SplitRules,
): Split | undefined => {
  const [first] = features;
  if (first === undefined) return undefined;
  const total = totalOf(histogram, cuts, first);
  const hessian = Math.round(total / SHIFT);
  const sumGradient = (total - hessian * SHIFT) / gradientScale;
  const sumHessian = hessian / hessianScale;
  const whole = (sumGradient * sumGradient) / (sumHessian + lambda);
  let best: Split | undefined;
  for (const feature of features) {
    const at = feature * MAX_BINS;
    const last = binsOf(cuts, feature) - 1;
    const missing = histogram[at + MISSING_BIN] as number;
    const constraint = monotone[feature] as number;
    for (let missingSide = 0; missingSide < (missing === 0 ? 1 : 2); missingSide++) {
      let left = missingSide === 1 ? missing : 0;
      for (let bin = 1; bin < last; bin++) {
        const sum = histogram[at + bin] as number;
        if (sum === 0) continue;
        left += sum;
        const leftWhole = Math.round(left / SHIFT);
        const leftHessian = leftWhole / hessianScale;
        if (leftHessian < minHessian) continue;
        const rightHessian = sumHessian - leftHessian;
        if (rightHessian < minHessian) break;
        const leftGradient = (left - leftWhole * SHIFT) / gradientScale;
        const rightGradient = sumGradient - leftGradient;
        const gain =
          (leftGradient * leftGradient) / (leftHessian + lambda) +
          (rightGradient * rightGradient) / (rightHessian + lambda) -
          whole;
        if (gain <= (best?.gain ?? 1e-9)) continue;
        const isRising = -rightGradient / (rightHessian + lambda) >= -leftGradient / (leftHessian + lambda);
        if (constraint !== 0 && isRising !== constraint > 0) continue;
        best = { gain, feature, bin, missingLeft: missingSide === 1 };
      }
      // Known values against unknown ones.
      if (missingSide === 1 || missing === 0) continue;
      const missingWhole = Math.round(missing / SHIFT);
      const missingHessian = missingWhole / hessianScale;
      const knownHessian = sumHessian - missingHessian;
      if (missingHessian < minHessian || knownHessian < minHessian || constraint !== 0) continue;
      const missingGradient = (missing - missingWhole * SHIFT) / gradientScale;
      const knownGradient = sumGradient - missingGradient;
      const gain =
        (missingGradient * missingGradient) / (missingHessian + lambda) +
        (knownGradient * knownGradient) / (knownHessian + lambda) -
        whole;
      if (gain > (best?.gain ?? 1e-9)) best = { gain, feature, bin: last, missingLeft: false };
    }
  }
  return best;
};
