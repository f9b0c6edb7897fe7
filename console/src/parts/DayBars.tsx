import { useId, useState } from 'react';
import { formatCompact, formatCount, formatUtcDay } from './format.ts';
import './day-bars.css';
import { TableButton } from './TableButton.tsx';

export interface BarSeries {
  readonly name: string;
  /** A token, such as `--block-fill`. */
  readonly color: string;
  /** Only in the table: a number of another size. */
  readonly isHidden?: boolean;
}
export interface BarDay {
  readonly at: string;
  readonly values: readonly number[];
}
interface Props {
  readonly days: readonly BarDay[];
  readonly series: readonly BarSeries[];
  readonly label: string;
}

const WIDTH = 1000;
const HEIGHT = 150;
const LEFT = 34;
const TOP = 8;
const BOTTOM = 2;
const MAX_TICKS = 8;

/** A round number at or above a value, with a whole half. */
const roundUp = (value: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return Math.max(2, [1, 2, 4, 6, 10].map((factor) => factor * size).find((one) => one >= value) ?? value);
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Numbers by day of UTC as bars, one series on top of the other. A table behind a button has the same numbers. */
export const DayBars = ({ days, series, label }: Props) => {
  const [at, setAt] = useState<number | undefined>();
  const [isTable, setTable] = useState(false);
  const id = useId();
  const shown = series.map((one, index) => ({ ...one, index })).filter(({ isHidden }) => isHidden !== true);
  const numberOf = (day: BarDay, index: number): number => day.values[index] ?? 0;
  const top = roundUp(Math.max(...days.map((day) => sumOf(shown.map(({ index }) => numberOf(day, index)))), 1));
  const y = (value: number): number => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const width = (WIDTH - LEFT) / Math.max(1, days.length);
  const every = Math.ceil(days.length / MAX_TICKS);
  const day = at === undefined ? undefined : days[at];
  return (
    <figure className="bars">
      <figcaption className="bars-head">
        {shown.map(({ name, color, index }) => (
          <span key={name} className="bars-key">
            <span style={{ background: `var(${color})` }} />
            {name}{' '}
            <strong className="num">
              {formatCount(day === undefined ? sumOf(days.map((one) => numberOf(one, index))) : numberOf(day, index))}
            </strong>
          </span>
        ))}
        <span className="dim">{day === undefined ? 'By day, UTC' : `${formatUtcDay(day.at)}, UTC`}</span>
        <TableButton isOpen={isTable} controls={id} toggle={() => setTable(!isTable)} />
      </figcaption>
      <div className="bars-plot">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}. The button above shows it as a table.`}
          onPointerLeave={() => setAt(undefined)}
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              x1={LEFT}
              x2={WIDTH}
              y1={y(top * part)}
              y2={y(top * part)}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map((one, place) => {
            let below = 0;
            return (
              <g key={one.at} onPointerEnter={() => setAt(place)}>
                <rect
                  x={LEFT + place * width}
                  width={width}
                  y={TOP}
                  height={HEIGHT - TOP}
                  fill={place === at ? 'var(--hover)' : 'transparent'}
                />
                {shown.map(({ name, color, index }) => {
                  const value = numberOf(one, index);
                  const from = below;
                  below += value;
                  return (
                    value > 0 && (
                      <rect
                        key={name}
                        x={LEFT + (place + 0.14) * width}
                        width={width * 0.72}
                        y={y(from + value)}
                        height={y(from) - y(from + value)}
                        fill={`var(${color})`}
                      />
                    )
                  );
                })}
              </g>
            );
          })}
        </svg>
        <div className="bars-y" aria-hidden="true">
          {[0, 0.5, 1].map((part) => (
            <span key={part} style={{ top: `${(y(top * part) / HEIGHT) * 100}%` }}>
              {formatCompact(top * part)}
            </span>
          ))}
        </div>
        <div className="bars-x" aria-hidden="true">
          {days.map(
            (one, place) =>
              place % every === 0 && (
                <span key={one.at} style={{ left: `${((LEFT + (place + 0.5) * width) / WIDTH) * 100}%` }}>
                  {formatUtcDay(one.at)}
                </span>
              ),
          )}
        </div>
      </div>
      {isTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
        <div id={id} className="bars-rows" tabIndex={0} role="region" aria-label={label}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Day, UTC</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((one) => (
                <tr key={one.at}>
                  <td>{formatUtcDay(one.at)}</td>
                  {series.map(({ name }, index) => (
                    <td key={name} className="num end">
                      {formatCount(numberOf(one, index))}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
};
