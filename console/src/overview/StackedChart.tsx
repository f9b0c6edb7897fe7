import type { DecisionPoint } from '@portcullis/client';
import { type CSSProperties, type PointerEvent, useId, useState } from 'react';
import { formatCompact, formatCount, formatDay, formatDayTime, formatHour, formatUtcDay } from '../parts/format.ts';
import './chart.css';
import { TableButton } from '../parts/TableButton.tsx';

/** The decisions of an hour or a day. */
export type ChartPoint = Pick<DecisionPoint, 'at' | 'allow' | 'review' | 'block'>;

const WIDTH = 1000;
const LEFT = 46;
const BOTTOM = 22;
const TOP = 8;
const LAYERS = ['block', 'review', 'allow'] as const;
const WORDS = { allow: 'Allow', review: 'Review', block: 'Block' } as const;

/** A round number at or above a value, so that the grid has round labels. */
const roundUp = (value: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 5, 10].map((factor) => factor * size).find((one) => one >= value) ?? value;
};

const MAX_TICKS = 10;
/** Where the axis has a label: at full hours of one day, else where a day begins. */
const ticksOf = (points: readonly ChartPoint[], isDay: boolean, dayOf: (time: string) => string): readonly number[] => {
  const dayAt = (index: number): string => dayOf((points[index] as ChartPoint).at);
  const all = points
    .map((_, index) => index)
    .filter((index) => isDay || (index > 0 && dayAt(index) !== dayAt(index - 1)));
  const every = Math.max(1, Math.ceil(all.length / MAX_TICKS));
  return all.filter((_, at) => at % every === 0 && (all[at] as number) < points.length - 1);
};

const STEP_MS = { '1h': 3_600_000, '1d': 86_400_000 } as const;

interface Props {
  readonly points: readonly ChartPoint[];
  readonly step: '1h' | '1d';
  readonly height?: number;
  /** Called with the hours or days that somebody clicks on, or drags over. */
  readonly onRange?: (from: string, until: string) => void;
}

/** Decisions over time, one on top of the other. A table behind a button has the same numbers. */
export const StackedChart = ({ points, step, height: HEIGHT = 230, onRange }: Props) => {
  const [at, setAt] = useState<number | undefined>();
  const [begin, setBegin] = useState<number | undefined>();
  const [isTable, setTable] = useState(false);
  const id = useId();
  // Days are counted in UTC. Hours begin at the same time in nearly every zone.
  const isUtc = step === '1d';
  const format = isUtc ? formatUtcDay : formatDayTime;
  const dayOf = isUtc ? formatUtcDay : formatDay;
  const top = roundUp(Math.max(4, ...points.map(({ allow, review, block }) => allow + review + block)));
  const x = (index: number): number => LEFT + (index / Math.max(1, points.length - 1)) * (WIDTH - LEFT - 4);
  const y = (value: number): number => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const sums = points.map(({ allow, review, block }) => ({
    block,
    review: block + review,
    allow: block + review + allow,
  }));
  /** Without the parts where nothing was held or blocked: they would hide the axis. */
  const strokeOf = (layer: (typeof LAYERS)[number]): string => {
    const isThere = (index: number): boolean =>
      layer === 'allow' || [index - 1, index, index + 1].some((one) => (points[one]?.[layer] ?? 0) > 0);
    return sums
      .map((sum, index) =>
        isThere(index)
          ? `${index > 0 && isThere(index - 1) ? 'L' : 'M'}${x(index).toFixed(1)} ${y(sum[layer]).toFixed(1)}`
          : '',
      )
      .join('');
  };
  const lineOf = (layer: (typeof LAYERS)[number]): string =>
    sums.map((sum, index) => `${x(index).toFixed(1)} ${y(sum[layer]).toFixed(1)}`).join('L');
  const areaOf = (index: number): string => {
    const layer = LAYERS[index] as (typeof LAYERS)[number];
    const below = LAYERS[index - 1];
    const base =
      below === undefined
        ? `L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}`
        : `L${sums
            .map((sum, at) => `${x(at).toFixed(1)} ${y(sum[below]).toFixed(1)}`)
            .toReversed()
            .join('L')}`;
    return `M${lineOf(layer)}${base}Z`;
  };
  // The worst on top: where nothing was allowed, its line must not hide what was blocked.
  const drawn = LAYERS.map((layer, index) => ({ layer, index }))
    .filter(({ layer }) => layer === 'allow' || points.some((one) => one[layer] > 0))
    .toReversed();
  const isDay = step === '1h' && points.length <= 26;
  const ticks = ticksOf(points, isDay, dayOf);
  const point = at === undefined ? undefined : points[at];
  const indexAt = (event: PointerEvent<SVGSVGElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    const index = Math.round(((place - LEFT) / (WIDTH - LEFT - 4)) * (points.length - 1));
    return Math.max(0, Math.min(points.length - 1, index));
  };
  const choose = (one: number, other: number): void => {
    const [first, last] = [points[Math.min(one, other)], points[Math.max(one, other)]];
    if (first !== undefined && last !== undefined)
      onRange?.(first.at, new Date(Date.parse(last.at) + STEP_MS[step]).toISOString());
  };
  const press = (event: PointerEvent<SVGSVGElement>): void => {
    // A finger scrolls the page; the table has a button for each row.
    if (onRange === undefined || event.pointerType === 'touch' || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
    setBegin(indexAt(event));
  };
  const release = (event: PointerEvent<SVGSVGElement>): void => {
    if (begin !== undefined) choose(begin, indexAt(event));
    setBegin(undefined);
  };
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        {(['allow', 'review', 'block'] as const).map((layer) => (
          <span key={layer} className="key">
            <span className={`key-mark is-${layer}`} />
            {WORDS[layer]}
            {point !== undefined && <strong className="num">{formatCount(point[layer])}</strong>}
          </span>
        ))}
        {(point !== undefined || isUtc) && (
          <span className="dim">
            {point === undefined ? 'By day' : format(point.at)}
            {isUtc && ', UTC'}
          </span>
        )}
        <TableButton isOpen={isTable} controls={id} className="as-table" toggle={() => setTable(!isTable)} />
      </figcaption>
      <div
        className={onRange === undefined ? 'chart-plot' : 'chart-plot has-range'}
        style={{ '--chart-height': `${HEIGHT}px` } as CSSProperties}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Decisions over time. The button above shows them as a table."
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerLeave={() => setAt(undefined)}
          onPointerDown={press}
          onPointerUp={release}
          onPointerCancel={() => setBegin(undefined)}
        >
          {begin !== undefined && at !== undefined && (
            <rect
              x={x(Math.min(begin, at))}
              width={Math.max(2, Math.abs(x(at) - x(begin)))}
              y={TOP}
              height={HEIGHT - TOP - BOTTOM}
              fill="var(--accent-fill)"
              opacity={0.18}
            />
          )}
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
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
          {drawn.map(({ layer, index }) => (
            <g key={layer}>
              <path d={areaOf(index)} fill={`var(--${layer}-fill)`} opacity={layer === 'allow' ? 0.16 : 0.42} />
              <path
                d={strokeOf(layer)}
                fill="none"
                stroke={`var(--${layer}-fill)`}
                strokeWidth={1.8}
                strokeLinejoin="round"
                vectorEffect="non-scaling-stroke"
              />
            </g>
          ))}
          {at !== undefined && (
            <line
              x1={x(at)}
              x2={x(at)}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
              stroke="var(--dim)"
              strokeDasharray="3 3"
              vectorEffect="non-scaling-stroke"
            />
          )}
        </svg>
        <div className="chart-y" aria-hidden="true">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part} style={{ top: `${(y(top * part) / HEIGHT) * 100}%` }}>
              {formatCompact(top * part)}
            </span>
          ))}
        </div>
        <div className="chart-x" aria-hidden="true">
          {ticks.map((index) => {
            const { at: time } = points[index] as ChartPoint;
            return (
              <span key={time} style={{ left: `${(x(index) / WIDTH) * 100}%` }}>
                {isDay ? formatHour(time) : dayOf(time)}
              </span>
            );
          })}
        </div>
      </div>
      {isTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
        <div id={id} className="chart-table" tabIndex={0} role="region" aria-label="Decisions over time">
          <table className="signals">
            <thead>
              <tr>
                <th scope="col">{isUtc ? 'Day, UTC' : 'Time'}</th>
                <th scope="col">Allow</th>
                <th scope="col">Review</th>
                <th scope="col">Block</th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at: time, allow, review, block }, index) => (
                <tr key={time}>
                  <th scope="row">
                    {onRange === undefined ? (
                      format(time)
                    ) : (
                      <button
                        type="button"
                        onClick={() => choose(points.length - 1 - index, points.length - 1 - index)}
                      >
                        {format(time)}
                      </button>
                    )}
                  </th>
                  <td className="num">{formatCount(allow)}</td>
                  <td className="num">{formatCount(review)}</td>
                  <td className="num">{formatCount(block)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
};
