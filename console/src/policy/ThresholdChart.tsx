import type { ScoreFigures } from '@portcullis/client';
import { useId, useState } from 'react';
import { formatCompact, formatCount } from '../parts/format.ts';
import { TableButton } from '../parts/TableButton.tsx';
import { moveThreshold, type Thresholds } from './effect.ts';

const HEIGHT = 150;
const TOP = 10;
const ROW = 13;

interface Props {
  readonly name: string;
  readonly scores: readonly ScoreFigures[];
  readonly thresholds: Thresholds;
  readonly onChange: (next: Thresholds) => void;
}

const kindOf = (score: number, { review, block }: Thresholds): 'allow' | 'review' | 'block' =>
  score >= block ? 'block' : score >= review ? 'review' : 'allow';

/** Ten scores in a row of the table. */
const tensOf = (scores: readonly ScoreFigures[]) =>
  Array.from({ length: 10 }, (_, ten) => {
    const own = scores.filter(({ score }) => Math.min(9, Math.floor(score / 10)) === ten);
    const sum = (of: 'items' | 'fraud' | 'legitimate'): number => own.reduce((total, one) => total + one[of], 0);
    return {
      name: `${ten * 10} to ${ten === 9 ? 100 : ten * 10 + 9}`,
      items: sum('items'),
      fraud: sum('fraud'),
      legitimate: sum('legitimate'),
    };
  });

/** Where labelled items are: darker means more. */
const Labels = ({
  scores,
  of,
  color,
  y,
}: {
  scores: readonly ScoreFigures[];
  of: 'fraud' | 'legitimate';
  color: string;
  y: number;
}) => {
  const most = Math.max(1, ...scores.map((one) => one[of]));
  return scores
    .filter((one) => one[of] > 0)
    .map((one) => (
      <rect
        key={one.score}
        x={one.score + 0.1}
        width={0.8}
        y={y}
        height={ROW - 4}
        fill={`var(${color})`}
        opacity={0.3 + 0.7 * (Math.log1p(one[of]) / Math.log1p(most))}
      >
        <title>{`Score ${one.score}: ${formatCount(one[of])} ${of}`}</title>
      </rect>
    ));
};

/** Scores as bars on a logarithmic scale, with two handles for the thresholds. */
export const ThresholdChart = ({ name, scores, thresholds, onChange }: Props) => {
  const [isTable, setTable] = useState(false);
  const id = useId();
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(1, ...scores.map(({ items }) => items)) + 1)));
  const heightOf = (items: number): number =>
    items === 0 ? 0 : Math.max(0.03, Math.log10(items + 0.2) / decades) * (HEIGHT - TOP);
  return (
    <figure className="thresholds">
      <div className="thresholds-plot">
        <svg
          viewBox={`0 0 101 ${HEIGHT + 2 * ROW}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${name} by score. The button below shows them as a table.`}
        >
          {Array.from({ length: decades + 1 }, (_, decade) => (
            <line
              key={decade}
              x1={0}
              x2={101}
              y1={HEIGHT - (decade / decades) * (HEIGHT - TOP)}
              y2={HEIGHT - (decade / decades) * (HEIGHT - TOP)}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {scores.map(({ score, items }) => (
            <rect
              key={score}
              x={score + 0.1}
              width={0.8}
              y={HEIGHT - heightOf(items)}
              height={heightOf(items)}
              fill={`var(--${kindOf(score, thresholds)}-fill)`}
            >
              <title>{`Score ${score}: ${formatCount(items)}`}</title>
            </rect>
          ))}
          <Labels scores={scores} of="fraud" color="--raises" y={HEIGHT + 2} />
          <Labels scores={scores} of="legitimate" color="--lowers" y={HEIGHT + ROW + 2} />
          {(['review', 'block'] as const).map((which) => (
            <line
              key={which}
              x1={thresholds[which]}
              x2={thresholds[which]}
              y1={0}
              y2={HEIGHT + 2 * ROW}
              stroke={`var(--${which})`}
              strokeWidth={2}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
        <div className="thresholds-y" aria-hidden="true">
          {Array.from({ length: decades }, (_, index) => index + 1).map((decade) => (
            <span key={decade} style={{ top: HEIGHT - (decade / decades) * (HEIGHT - TOP) }}>
              {formatCompact(10 ** decade)}
            </span>
          ))}
          <span style={{ top: HEIGHT + ROW / 2 + 2 }}>fraud</span>
          <span style={{ top: HEIGHT + 1.5 * ROW + 2 }}>legitimate</span>
        </div>
        <div className="handles">
          {(['review', 'block'] as const).map((which) => (
            <input
              key={which}
              type="range"
              className={`is-${which}`}
              min={0}
              max={101}
              step={1}
              value={thresholds[which]}
              aria-label={`${name}: ${which} from score`}
              onChange={(event) => onChange(moveThreshold(thresholds, which, event.currentTarget.valueAsNumber))}
            />
          ))}
        </div>
        <div className="thresholds-x" aria-hidden="true">
          {[0, 25, 50, 75, 100].map((score) => (
            <span key={score} style={{ left: `${((score + 0.5) / 101) * 100}%` }}>
              {score}
            </span>
          ))}
        </div>
      </div>
      <TableButton isOpen={isTable} controls={id} toggle={() => setTable(!isTable)} />
      {isTable && (
        <div id={id}>
          <table className="table">
            <caption className="unseen">{name} by score</caption>
            <thead>
              <tr>
                <th scope="col">Score</th>
                <th scope="col" className="end">
                  Items
                </th>
                <th scope="col" className="end">
                  Known fraud
                </th>
                <th scope="col" className="end">
                  Known legitimate
                </th>
              </tr>
            </thead>
            <tbody>
              {tensOf(scores).map((ten) => (
                <tr key={ten.name}>
                  <td>{ten.name}</td>
                  <td className="num end">{formatCount(ten.items)}</td>
                  <td className="num end">{formatCount(ten.fraud)}</td>
                  <td className="num end">{formatCount(ten.legitimate)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
};
