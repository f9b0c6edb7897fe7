import { html, type Part } from '../html/html.ts';

/** The drawing area of a chart, in units of its viewBox. Small, so that its text is readable on a phone. */
const WIDTH = 460;
const HEIGHT = 306;
export const LEFT = 56;
export const RIGHT = WIDTH - 14;
export const TOP = 38;
export const BOTTOM = HEIGHT - 46;

/** Maps values to positions, with labelled ticks. */
export interface Axis {
  readonly label: string;
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** One decimal is finer than a pixel and keeps the file small. */
export const rounded = (value: number): number => Math.round(value * 10) / 10;

type Ends = readonly [from: number, to: number];
export const ACROSS: Ends = [LEFT, RIGHT];
export const UP: Ends = [BOTTOM, TOP];

export const linearAxis = (
  label: string,
  [low, high]: Ends,
  [from, to]: Ends,
  values: readonly number[],
  text: (value: number) => string,
): Axis => {
  const at = (value: number): number => rounded(from + ((value - low) / (high - low)) * (to - from));
  return { label, at, ticks: values.map((value) => ({ at: at(value), text: text(value) })) };
};

/** Values below the lowest, such as 0, are drawn at the lowest. */
export const logarithmicAxis = (
  label: string,
  [low, high]: Ends,
  [from, to]: Ends,
  text: (value: number) => string,
): Axis => {
  const span = Math.log10(high / low);
  const at = (value: number): number =>
    rounded(from + (Math.log10(Math.min(Math.max(value, low), high) / low) / span) * (to - from));
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const decades = Math.floor(Math.log10(high) + 1e-9) - first;
  const ticks = Array.from({ length: decades + 1 }, (_, i) => 10 ** (first + i));
  return { label, at, ticks: ticks.map((value) => ({ at: at(value), text: text(value) })) };
};

/** A logarithmic axis for counts, with room between 0 and 1. */
export const countAxis = (label: string, max: number, text: (value: number) => string): Axis => {
  const axis = logarithmicAxis(label, [0.3, Math.max(10, max) * 1.3], UP, text);
  return { ...axis, ticks: [{ at: BOTTOM, text: '0' }, ...axis.ticks] };
};

/** Round numbers from 0 to at least `max`, about five of them. */
export const roundValues = (max: number): readonly number[] => {
  if (!(max > 0)) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(max / 4));
  const step = size * ([1, 2, 2.5, 5, 10].find((factor) => (size * factor * 5) / max >= 1) as number);
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(12)));
};

/** A line through points. A missing point interrupts the line; a point without neighbours is a dot. */
export const line = (kind: string, points: readonly (readonly [number, number] | undefined)[]): Part => {
  let path = '';
  points.forEach((point, i) => {
    if (point === undefined) return;
    const isAlone = points[i - 1] === undefined && points[i + 1] === undefined;
    path += `${points[i - 1] === undefined ? 'M' : 'L'}${point[0]} ${point[1]}${isAlone ? 'h0' : ''}`;
  });
  return html`<path class="line ${kind}" d="${path}"/>`;
};

/** A vertical line with a label above the plot. */
export const mark = (x: number, label: string, toward: 'start' | 'middle' | 'end' = 'middle'): Part =>
  html`<path class="mark" d="M${x} ${TOP}V${BOTTOM}"/><text class="word" x="${x}" y="${TOP - 5}" text-anchor="${toward}">${label}</text>`;

/** A short line on the axis with a label beside it, toward the middle of the plot. Labels on two lines cannot overlap. */
export const footMark = (x: number, label: string, labelLine: 0 | 1): Part => {
  const isLeft = x < (LEFT + RIGHT) / 2;
  return html`<path class="foot" d="M${x} ${BOTTOM - 32}V${BOTTOM}"/><text class="word" x="${isLeft ? x + 6 : x - 6}" y="${BOTTOM - 22 + 16 * labelLine}" text-anchor="${isLeft ? 'start' : 'end'}">${label}</text>`;
};

/** A marked point. Shapes differ as well as colours, for colour-blind readers. */
export const dot = (kind: 'held' | 'blocked', x: number, y: number, tip: string): Part =>
  kind === 'held'
    ? html`<circle class="dot held" cx="${x}" cy="${y}" r="6.5"><title>${tip}</title></circle>`
    : html`<rect class="dot fraud" x="${rounded(x - 5.5)}" y="${rounded(y - 5.5)}" width="11" height="11"><title>${tip}</title></rect>`;

export interface Chart {
  readonly id: string;
  readonly title: string;
  /** One sentence on how to read the chart. */
  readonly caption: string;
  /** The content of the chart, for screen readers. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly key?: readonly (readonly [kind: string, label: string])[];
  readonly body: Part;
}

export const keyOf = (entries: Chart['key']): Part =>
  entries === undefined
    ? undefined
    : html`<p class="key" aria-hidden="true">${entries.map(([kind, label]) => html`<span><svg viewBox="0 0 12 12" width="12" height="12"><rect class="${kind}" width="12" height="12" rx="2"/></svg> ${label}</span>`)}</p>`;

export const chart = ({ id, title, caption, description, x, y, key, body }: Chart): Part => html`
<figure class="card"><figcaption><h3 id="${id}">${title}</h3><p>${caption}</p></figcaption>${keyOf(key)}
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${y.ticks.map(({ at, text }) => html`<path class="grid" d="M${LEFT} ${at}H${RIGHT}"/><text x="${LEFT - 7}" y="${at + 4}" text-anchor="end">${text}</text>`)}
<path class="axis" d="M${LEFT} ${BOTTOM}H${RIGHT}"/>
${x.ticks.map(({ at, text }) => html`<path class="axis" d="M${at} ${BOTTOM}v4"/><text x="${at}" y="${BOTTOM + 18}" text-anchor="middle">${text}</text>`)}
<text class="name" x="4" y="13">${y.label}</text><text class="name" x="${RIGHT}" y="${HEIGHT - 6}" text-anchor="end">${x.label}</text>
${body}
</svg></figure>`;
