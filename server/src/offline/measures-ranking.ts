import { type CurvePoint, curveOf } from '@portcullis/engine';
import type { BacktestResult } from './measures-result.ts';

const MAX_POINTS = 200;

const rounded = (value: number): number => Number(value.toPrecision(6));

/** Keeps points that are evenly spread along `place`, which grows from 0 to 1. Always keeps the last point. */
const thin = (points: readonly CurvePoint[], place: (point: CurvePoint) => number): CurvePoint[] => {
  let step = -1;
  return points.filter((point, i) => {
    const here = Math.floor(place(point) * (MAX_POINTS - 3));
    if (here === step && i < points.length - 1) return false;
    step = here;
    return true;
  });
};

export const curvesOf = (
  scores: Float64Array,
  labels: Int8Array,
): Pick<BacktestResult, 'roc_curve' | 'precision_recall_curve'> => {
  const points = curveOf(scores, labels);
  const { found: frauds = 0, wrong: others = 0 } = points.at(-1) ?? {};
  if (frauds === 0 || others === 0) return { roc_curve: [], precision_recall_curve: [] };
  // The curve is also drawn on a logarithmic axis, so its first thousandth needs as many points as the rest.
  const decades = Math.log10(Math.max(others, 10));
  const alongRoc = ({ found, wrong }: CurvePoint): number =>
    (found / frauds + wrong / others + Math.log10(Math.max(wrong, 1)) / decades) / 3;
  return {
    roc_curve: [{ score: 1, found: 0, wrong: 0 }, ...thin(points, alongRoc)].map(({ found, wrong }) => ({
      false_positive_share: rounded(wrong / others),
      recall: rounded(found / frauds),
    })),
    precision_recall_curve: thin(points, ({ found }) => found / frauds).map(({ found, wrong }) => ({
      recall: rounded(found / frauds),
      precision: rounded(found / (found + wrong)),
    })),
  };
};
