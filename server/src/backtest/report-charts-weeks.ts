import { html, type Part } from '../http/docs-html.ts';
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

/** What is commonly read from the index: below the first all is well, above the second the model should be looked at. */
const SOME_DRIFT = 0.1;
const MUCH_DRIFT = 0.25;
const MOST_DATES = 6;

const weekAxis = (weeks: Weeks): Axis => {
  const step = Math.ceil(weeks.length / MOST_DATES);
  const axis = linearAxis('Week that begins on', [-0.5, weeks.length - 0.5], ACROSS, [], String);
  const ticks = weeks.flatMap((week, i) => (i % step === 0 ? [{ at: axis.at(i), text: dayOf(week.week_start) }] : []));
  return { ...axis, ticks };
};

const qualityChart = (weeks: Weeks): Part => {
  const x = weekAxis(weeks);
  const y = linearAxis('1 is perfect', [0, 1], UP, [0, 0.2, 0.4, 0.6, 0.8, 1], (value) => decimals(value, 1));
  const through = (member: 'auc_roc' | 'average_precision') =>
    line(
      member === 'auc_roc' ? 'main' : 'missed',
      weeks.map((week, i) => {
        const value = week[member];
        return value === null ? undefined : [x.at(i), y.at(value)];
      }),
    );
  return chart({
    id: 'quality-weeks',
    title: 'Quality by week',
    reading:
      'Level lines are good news; a lasting fall means that fraud has changed and the model should be trained anew.',
    says: weeks
      .map(
        (week) =>
          `${week.week_start}: area ${decimals(week.auc_roc, 3)}, average precision ${decimals(week.average_precision, 3)}.`,
      )
      .join(' '),
    x,
    y,
    key: [
      ['honest', 'Area under ROC'],
      ['fraud', 'Average precision'],
    ],
    body: html`${through('auc_roc')}${through('average_precision')}`,
  });
};

/** For a history without labels of both kinds. */
const flaggedChart = (weeks: Weeks): Part => {
  const values = roundValues(Math.max(...weeks.map((week) => week.flagged_share)));
  const x = weekAxis(weeks);
  const y = linearAxis('Share of items held or blocked', [0, values.at(-1) as number], UP, values, percent);
  return chart({
    id: 'flagged-weeks',
    title: 'Held or blocked by week',
    reading: 'A level line is what to expect; a jump is an attack, or a change in how customers behave.',
    says: weeks.map((week) => `${week.week_start}: ${percent(week.flagged_share)}.`).join(' '),
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
    reading: `How far the scores have moved from those of the first week: below ${SOME_DRIFT} little, above ${MUCH_DRIFT} so much that one should ask why.`,
    says: weeks.map((week) => `${week.week_start}: ${decimals(week.population_stability_index, 3)}.`).join(' '),
    x,
    y,
    body: html`${weeks.map((week, i) => {
      const top = y.at(week.population_stability_index);
      return html`<rect class="honest" x="${rounded(x.at(i) - width / 2)}" y="${top}" width="${rounded(width)}" height="${rounded(BOTTOM - top)}"><title>${week.week_start}: ${decimals(week.population_stability_index, 3)}</title></rect>`;
    })}${[SOME_DRIFT, MUCH_DRIFT].map((at) => html`<path class="mark" d="M${LEFT} ${y.at(at)}H${RIGHT}"/><text class="word" x="${LEFT + 3}" y="${rounded(y.at(at) - 4)}">${at}</text>`)}`,
  });
};

export const weekCharts = (weeks: Weeks): Part => [
  weeks.some((week) => week.auc_roc !== null) ? qualityChart(weeks) : flaggedChart(weeks),
  driftChart(weeks),
];
