import type { ScoreFigures } from '@portcullis/client';
import { formatCompact, formatCount } from '../parts/format.ts';
import './chart.css';

const BINS = 50;
const WIDTH = 500;
const HEIGHT = 200;
const LEFT = 34;
const BOTTOM = 6;

interface Bin {
  readonly from: number;
  readonly items: number;
}
/** The score 100 belongs to the last bin. */
const binsOf = (scores: readonly ScoreFigures[]): readonly Bin[] => {
  const bins = Array.from({ length: BINS }, (_, index) => ({ from: index * 2, items: 0 }));
  for (const { score, items } of scores)
    (bins[Math.min(BINS - 1, Math.floor(score / 2))] as { items: number }).items += items;
  return bins;
};

const lastOf = (from: number): number => (from === 98 ? 100 : from + 1);

interface Props {
  readonly scores: readonly ScoreFigures[];
  readonly thresholds: { readonly review: number; readonly block: number } | undefined;
  /** Called with the scores of the bar that somebody clicks on. */
  readonly onScores: (from: number, to: number) => void;
}

/** How many items have which score. Most score low, so the scale is logarithmic. */
export const Histogram = ({ scores, thresholds, onScores }: Props) => {
  const bins = binsOf(scores);
  const total = bins.reduce((sum, { items }) => sum + items, 0);
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...bins.map(({ items }) => items), 1) + 1)));
  const y = (items: number): number =>
    items === 0
      ? HEIGHT - BOTTOM
      : 8 + (1 - Math.max(0.035, Math.log10(items + 0.2) / decades)) * (HEIGHT - 8 - BOTTOM);
  const width = (WIDTH - LEFT) / BINS;
  const x = (score: number): number => LEFT + (score / 100) * (WIDTH - LEFT);
  const kindOf = (score: number): string => {
    if (thresholds === undefined) return 'allow';
    return score >= thresholds.block ? 'block' : score >= thresholds.review ? 'review' : 'allow';
  };
  const marks = thresholds === undefined ? [0, 25, 50, 75, 100] : [0, thresholds.review, thresholds.block, 100];
  return (
    <figure className="chart">
      <div className="chart-plot">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Scores of ${formatCount(total)} payments`}
        >
          {Array.from({ length: decades + 1 }, (_, decade) => (
            <line
              key={decade}
              x1={LEFT}
              x2={WIDTH}
              y1={8 + (1 - decade / decades) * (HEIGHT - 8 - BOTTOM)}
              y2={8 + (1 - decade / decades) * (HEIGHT - 8 - BOTTOM)}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {bins.map(({ from, items }) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the filter `score>` of the explorer does the same with the keyboard
            <rect
              key={from}
              x={x(from) + 0.8}
              width={width - 1.6}
              y={y(items)}
              height={HEIGHT - BOTTOM - y(items)}
              rx={1.5}
              fill={`var(--${kindOf(from)}-fill)`}
              className="bar"
              onClick={() => onScores(from, lastOf(from))}
            >
              <title>{`${from}–${lastOf(from)}: ${formatCount(items)}`}</title>
            </rect>
          ))}
        </svg>
        <div className="chart-y" aria-hidden="true">
          {Array.from({ length: decades + 1 }, (_, decade) => (
            <span
              key={decade}
              style={{ top: `${((8 + (1 - decade / decades) * (HEIGHT - 8 - BOTTOM)) / HEIGHT) * 100}%` }}
            >
              {formatCompact(10 ** decade)}
            </span>
          ))}
        </div>
        <div className="chart-x is-scores" aria-hidden="true">
          {marks.map((score) => (
            <span
              key={score}
              className={score === 0 || score === 100 ? '' : `is-${kindOf(score)}`}
              style={{ left: `${(x(score) / WIDTH) * 100}%` }}
            >
              {score}
            </span>
          ))}
        </div>
      </div>
      <div className="unseen">
        <table>
          <caption>Payments by score</caption>
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col">Payments</th>
            </tr>
          </thead>
          <tbody>
            {bins
              .filter(({ items }) => items > 0)
              .map(({ from, items }) => (
                <tr key={from}>
                  <th scope="row">{`${from} to ${lastOf(from)}`}</th>
                  <td>{items}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
};
