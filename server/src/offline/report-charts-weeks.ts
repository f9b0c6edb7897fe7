import { html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import {
  ACROSS,
  type Axis,
  BOTTOM,
  chart,
  LEFT,
  line,
  linearAxis,
  RIGHT,
  rounded,
  roundValues,
  UP,
} from './report-plot.ts';
import { dayOf, decimals, percent } from './report-words.ts';

type Weeks = BacktestResult['weeks'];

/**
 * Usual limits of the population stability index: below the first there is little drift, above the second the model
 * needs a review.
 */
const SOME_DRIFT = 0.1;
const MUCH_DRIFT = 0.25;
const MAX_DATES = 6;

const weekAxis = (weeks: Weeks): Axis => {
  const step = Math.ceil(weeks.length / MAX_DATES);
  const axis = linearAxis('Week from Monday', [-0.5, weeks.length - 0.5], ACROSS, [], String);
  const ticks = weeks.flatMap((week, i) => (i % step === 0 ? [{ at: axis.at(i), text: dayOf(week.week_start) }] : []));
  return { ...axis, ticks };
};

const qualityChart = (weeks: Weeks): Part => {
  const x = weekAxis(weeks);
  const y = linearAxis('1 is perfect', [0, 1], UP, [0, 0.2, 0.4, 0.6, 0.8, 1], (value) => decimals(value, 1));
  const through = (metric: 'auc_roc' | 'average_precision') =>
    line(
      metric === 'auc_roc' ? 'main' : 'missed',
      weeks.map((week, i) => {
        const value = week[metric];
        return value === null ? undefined : [x.at(i), y.at(value)];
      }),
    );
  return chart({
    id: 'quality-weeks',
    title: 'Quality by week',
    caption: 'Level lines are good. A lasting fall means that fraud has changed and the model needs training.',
    description: weeks
      .map(
        (week) =>
          `${week.week_start}: AUC ROC ${decimals(week.auc_roc, 3)}, average precision ${decimals(week.average_precision, 3)}.`,
      )
      .join(' '),
    x,
    y,
    key: [
      ['legitimate', 'AUC ROC'],
      ['fraud', 'Average precision'],
    ],
    body: html`${through('auc_roc')}${through('average_precision')}`,
  });
};

/** For a history without both labels. */
const flaggedChart = (weeks: Weeks): Part => {
  const values = roundValues(Math.max(...weeks.map((week) => week.flagged_share)));
  const x = weekAxis(weeks);
  const y = linearAxis('Share of items held or blocked', [0, values.at(-1) as number], UP, values, percent);
  return chart({
    id: 'flagged-weeks',
    title: 'Held or blocked by week',
    caption: 'A level line is normal. A jump is an attack, or a change in the behaviour of customers.',
    description: weeks.map((week) => `${week.week_start}: ${percent(week.flagged_share)}.`).join(' '),
    x,
    y,
    body: line(
      'main',
      weeks.map((week, i) => [x.at(i), y.at(week.flagged_share)]),
    ),
  });
};

const driftChart = (weeks: Weeks): Part => {
  const values = roundValues(Math.max(0.3, ...weeks.map((week) => week.population_stability_index)));
  const x = weekAxis(weeks);
  const y = linearAxis('Population stability index', [0, values.at(-1) as number], UP, values, (value) =>
    String(value),
  );
  const width = Math.max(1, Math.min(28, ((RIGHT - LEFT) / weeks.length) * 0.7));
  return chart({
    id: 'drift-weeks',
    title: 'Drift of the scores',
    caption: `Change of the scores since the first week: small below ${SOME_DRIFT}, large above ${MUCH_DRIFT}. A large change needs an explanation.`,
    description: weeks.map((week) => `${week.week_start}: ${decimals(week.population_stability_index, 3)}.`).join(' '),
    x,
    y,
    body: html`${weeks.map((week, i) => {
      const top = y.at(week.population_stability_index);
      return html`<rect class="legitimate" x="${rounded(x.at(i) - width / 2)}" y="${top}" width="${rounded(width)}" height="${rounded(BOTTOM - top)}"><title>${week.week_start}: ${decimals(week.population_stability_index, 3)}</title></rect>`;
    })}${[SOME_DRIFT, MUCH_DRIFT].map((at) => html`<path class="mark" d="M${LEFT} ${y.at(at)}H${RIGHT}"/><text class="word" x="${LEFT + 3}" y="${rounded(y.at(at) - 4)}">${at}</text>`)}`,
  });
};

export const weekCharts = (weeks: Weeks): Part => [
  weeks.some((week) => week.auc_roc !== null) ? qualityChart(weeks) : flaggedChart(weeks),
  driftChart(weeks),
];
