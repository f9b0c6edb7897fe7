import type { Model } from '@portcullis/client';
import { useId, useState } from 'react';
import { formatShare } from '../parts/format.ts';
import { TableButton } from '../parts/TableButton.tsx';

type Point = NonNullable<Model['curves']>['precision_recall'][number];
export interface Line {
  readonly name: string;
  /** A token, such as `--accent-fill`. */
  readonly color: string;
  readonly points: readonly Point[];
  readonly isDashed: boolean;
}

const SIZE = 100;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const RECALLS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** The best precision at a recall or a higher one. */
const precisionAt = (points: readonly Point[], recall: number): number | undefined => {
  const found = points.filter((point) => point.recall >= recall - 1e-9);
  return found.length === 0 ? undefined : Math.max(...found.map(({ precision }) => precision));
};

/** Precision over recall, a line for each model. A table behind a button has the same numbers. */
export const Curve = ({ lines }: { lines: readonly Line[] }) => {
  const [isTable, setTable] = useState(false);
  const id = useId();
  const pathOf = (points: readonly Point[]): string =>
    points
      .toSorted((a, b) => a.recall - b.recall)
      .map(({ recall, precision }) => `${(recall * SIZE).toFixed(2)} ${((1 - precision) * SIZE).toFixed(2)}`)
      .join('L');
  return (
    <figure className="bars">
      <figcaption className="bars-head">
        {lines.map(({ name, color }) => (
          <span key={name} className="bars-key">
            <span style={{ background: `var(${color})` }} />
            {name}
          </span>
        ))}
        <TableButton isOpen={isTable} controls={id} toggle={() => setTable(!isTable)} />
      </figcaption>
      <div className="curve">
        <div className="curve-y" aria-hidden="true">
          {TICKS.map((tick) => (
            <span key={tick} style={{ top: `${(1 - tick) * 100}%` }}>
              {formatShare(tick)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Precision over recall. The button above shows it as a table."
        >
          {TICKS.map((tick) => (
            <g key={tick} stroke="var(--line)">
              <line x1={0} x2={SIZE} y1={tick * SIZE} y2={tick * SIZE} vectorEffect="non-scaling-stroke" />
              <line x1={tick * SIZE} x2={tick * SIZE} y1={0} y2={SIZE} vectorEffect="non-scaling-stroke" />
            </g>
          ))}
          {lines.map(({ name, color, points, isDashed }) => (
            <path
              key={name}
              d={`M${pathOf(points)}`}
              fill="none"
              stroke={`var(${color})`}
              strokeWidth={2.2}
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
              {...(isDashed && { strokeDasharray: '5 4' })}
            />
          ))}
        </svg>
        <div className="curve-x" aria-hidden="true">
          {TICKS.map((tick) => (
            <span key={tick} style={{ left: `${tick * 100}%` }}>
              {formatShare(tick)}
            </span>
          ))}
        </div>
        <p className="curve-words dim">
          Up: precision, the share of fraud among the flagged items. Right: recall, the share of all fraud that is
          flagged.
        </p>
      </div>
      {isTable && (
        <div id={id}>
          <table className="table">
            <caption className="unseen">Precision by recall</caption>
            <thead>
              <tr>
                <th scope="col">Recall</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" className="end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {RECALLS.map((recall) => (
                <tr key={recall}>
                  <td>{formatShare(recall)}</td>
                  {lines.map(({ name, points }) => {
                    const precision = precisionAt(points, recall);
                    return (
                      <td key={name} className="num end">
                        {precision === undefined ? '–' : formatShare(precision)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
};
