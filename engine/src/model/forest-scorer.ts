import { type FlatForest, layOut, SIDE_BY_SIDE, spread } from './flat-forest.ts';
import { scorePartly } from './forest-scorer-partial.ts';
import type { Forest } from './tree.ts';

/** Scores rows of feature values. */
export interface Scorer {
  /** Log-odds of fraud for the row of `values` that begins at `at`. */
  readonly logOdds: (values: Float64Array, at?: number) => number;
  /**
   * Fills `sums` with the log-odds of `count` rows, which begin `stride` values apart. Each tree is read once for
   * many rows, which halves the time of a row where other code has used the caches in between.
   */
  readonly logOddsOfRows: (values: Float64Array, count: number, stride: number, sums: Float64Array) => void;
  /**
   * The same log-odds of one row, and the contribution of each feature to them. `baseline` and all contributions add up
   * to the log-odds. A contribution is the change of the tree's value at each step of the path.
   */
  readonly explain: (values: Float64Array, contributions: Float64Array, at?: number) => number;
  /** The same for a row with hidden features, which contribute nothing. */
  readonly partly: (values: Float64Array, hidden: Uint8Array, contributions: Float64Array) => number;
  /** Log-odds of a row about which nothing is known. */
  readonly baseline: number;
}

/** Rows for which a tree is read once. More would not fit into the first cache of a processor. */
const ROWS = 16;

/** Log-odds of the first spread row: four trees side by side. */
const walkRow = ({ base, thresholds, links, value, roots, depths }: FlatForest, row: Float64Array): number => {
  let sum = base;
  for (let tree = 0; tree < roots.length; tree += SIDE_BY_SIDE) {
    let a = roots[tree] as number;
    let b = roots[tree + 1] as number;
    let c = roots[tree + 2] as number;
    let d = roots[tree + 3] as number;
    // The steps of the deepest are enough for all.
    let steps = 0;
    for (let i = 0; i < SIDE_BY_SIDE; i++) steps = Math.max(steps, depths[tree + i] as number);
    // Written out four times: a helper function is slower here.
    for (; steps > 0; steps--) {
      a =
        (links[4 * a + 2] as number) +
        Number((row[links[4 * a + 3] as number] as number) > (thresholds[2 * a] as number));
      b =
        (links[4 * b + 2] as number) +
        Number((row[links[4 * b + 3] as number] as number) > (thresholds[2 * b] as number));
      c =
        (links[4 * c + 2] as number) +
        Number((row[links[4 * c + 3] as number] as number) > (thresholds[2 * c] as number));
      d =
        (links[4 * d + 2] as number) +
        Number((row[links[4 * d + 3] as number] as number) > (thresholds[2 * d] as number));
    }
    sum += value[a] as number;
    sum += value[b] as number;
    sum += value[c] as number;
    sum += value[d] as number;
  }
  return sum;
};

/** Adds the trees to the log-odds of the spread rows, four rows side by side. `count` is a multiple of four. */
const walkRows = (
  { width, thresholds, links, value, roots, depths }: FlatForest,
  rows: Float64Array,
  count: number,
  sums: Float64Array,
): void => {
  const size = 2 * width;
  for (let tree = 0; tree < roots.length; tree++) {
    const root = roots[tree] as number;
    const depth = depths[tree] as number;
    for (let row = 0; row < count; row += SIDE_BY_SIDE) {
      const first = row * size;
      const second = first + size;
      const third = second + size;
      const fourth = third + size;
      let a = root;
      let b = root;
      let c = root;
      let d = root;
      for (let steps = depth; steps > 0; steps--) {
        a =
          (links[4 * a + 2] as number) +
          Number((rows[first + (links[4 * a + 3] as number)] as number) > (thresholds[2 * a] as number));
        b =
          (links[4 * b + 2] as number) +
          Number((rows[second + (links[4 * b + 3] as number)] as number) > (thresholds[2 * b] as number));
        c =
          (links[4 * c + 2] as number) +
          Number((rows[third + (links[4 * c + 3] as number)] as number) > (thresholds[2 * c] as number));
        d =
          (links[4 * d + 2] as number) +
          Number((rows[fourth + (links[4 * d + 3] as number)] as number) > (thresholds[2 * d] as number));
      }
      sums[row] = (sums[row] as number) + (value[a] as number);
      sums[row + 1] = (sums[row + 1] as number) + (value[b] as number);
      sums[row + 2] = (sums[row + 2] as number) + (value[c] as number);
      sums[row + 3] = (sums[row + 3] as number) + (value[d] as number);
    }
  }
};

const makeRowScorer = (forest: FlatForest): Pick<Scorer, 'logOdds' | 'logOddsOfRows'> => {
  const { base, width } = forest;
  const rows = new Float64Array(ROWS * 2 * width);
  const found = new Float64Array(ROWS);
  const logOdds = (values: Float64Array, at = 0): number => {
    spread(width, values, at, rows, 0);
    return walkRow(forest, rows);
  };
  const logOddsOfRows: Scorer['logOddsOfRows'] = (values, count, stride, sums) => {
    for (let from = 0; from < count; from += ROWS) {
      const size = Math.min(ROWS, count - from);
      if (size === 1) {
        sums[from] = logOdds(values, from * stride);
        continue;
      }
      for (let i = 0; i < size; i++) spread(width, values, (from + i) * stride, rows, i * 2 * width);
      found.fill(base);
      // The rows that fill up the last four are of an earlier call. That costs less than rows walked alone.
      walkRows(forest, rows, Math.ceil(size / SIDE_BY_SIDE) * SIDE_BY_SIDE, found);
      for (let i = 0; i < size; i++) sums[from + i] = found[i] as number;
    }
  };
  return { logOdds, logOddsOfRows };
};

const explain = (
  { base, width, thresholds, links, value, roots }: FlatForest,
  row: Float64Array,
  contributions: Float64Array,
): number => {
  contributions.fill(0);
  let sum = base;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    while (links[4 * node + 2] !== node) {
      const compared = links[4 * node + 3] as number;
      const feature = compared < width ? compared : compared - width;
      const before = value[node] as number;
      node = (links[4 * node + 2] as number) + Number((row[compared] as number) > (thresholds[2 * node] as number));
      contributions[feature] = (contributions[feature] as number) + (value[node] as number) - before;
    }
    sum += value[node] as number;
  }
  return sum;
};

export const makeScorer = (forest: Forest): Scorer => {
  const flat = layOut(forest);
  const row = new Float64Array(2 * flat.width);
  return {
    baseline: flat.baseline,
    ...makeRowScorer(flat),
    explain: (values, contributions, at = 0) => {
      spread(flat.width, values, at, row, 0);
      return explain(flat, row, contributions);
    },
    partly: (values, hidden, contributions) => scorePartly(forest, values, hidden, contributions),
  };
};
