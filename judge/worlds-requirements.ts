import { estimateMean } from '@portcullis/engine';
import { LABEL_PERCENTAGES, type LabelPercentage, type WorldResult } from './measure-world.ts';
import { asCount, asFraction, asRate, atLeast, atMost, type Requirement } from './report.ts';
import type { Figures } from './worlds-figures.ts';

const MIN_WORLDS = 30;
const MIN_KINDS = 8;
/** A smaller difference of average precision is rounding of floating-point numbers. */
const ROUNDING = 1e-9;
/** Average precision that one world may lose with labels. The labels change the order of a few items either way. */
const LABEL_NOISE = 0.01;

const meanServed = (results: readonly WorldResult[], labels: LabelPercentage, key: keyof Figures): number =>
  estimateMean(results.map(({ byLabels }) => byLabels[labels].served[key])).value;

/** Requires that no world is worse than its reference. Names the worst world. */
const noneWorse = (name: string, differences: readonly (readonly [string, number])[], noise: number): Requirement => {
  const worse = differences.filter(([, difference]) => difference < -noise).sort((a, b) => a[1] - b[1]);
  const [worst] = worse;
  const detail = worst === undefined ? '' : `, worst is ${worst[0]} with ${asFraction(worst[1])}`;
  const required = atMost(name, worse.length, 0, asCount);
  return { ...required, detail: `${required.detail} of ${differences.length} worlds${detail}` };
};

const labelRequirements = (results: readonly WorldResult[]): Requirement[] => [
  ...LABEL_PERCENTAGES.slice(1).map((percentage, i) => {
    const fewer = LABEL_PERCENTAGES[i] as LabelPercentage;
    const gain = meanServed(results, percentage, 'ap') - meanServed(results, fewer, 'ap');
    return atLeast(`change of mean served AP from ${fewer} % to ${percentage} % of labels`, gain, 0, asFraction);
  }),
  noneWorse(
    'worlds in which all labels lower the served AP compared with none',
    results.map(({ name, byLabels }) => [name, byLabels[100].served.ap - byLabels[0].served.ap]),
    LABEL_NOISE,
  ),
];

export const requirementsOfWorlds = (
  results: readonly WorldResult[],
  baseline: readonly WorldResult[] | undefined,
): Requirement[] => {
  const all = (key: keyof Figures): number => meanServed(results, 100, key);
  return [
    atLeast('number of worlds', results.length, MIN_WORLDS, asCount),
    atLeast('kinds of business', new Set(results.map(({ kind }) => kind)).size, MIN_KINDS, asCount),
    atLeast('served AP', all('ap'), 0.7, asFraction),
    atLeast('served recall at 1 % false positives', all('recallAt1'), 0.7, asFraction),
    atMost('legitimate items blocked per 10,000', all('blockedPer10k'), 5, asRate),
    atMost('legitimate items reviewed per 10,000', all('reviewedPer10k'), 100, asRate),
    noneWorse(
      'worlds in which the served score ranks worse than the points of the model alone',
      results.map(({ name, byLabels }) => [name, byLabels[100].served.ap - byLabels[100].modelPointsAp]),
      ROUNDING,
    ),
    ...(baseline === undefined
      ? []
      : [
          noneWorse(
            'worlds in which the served score ranks worse than before',
            baseline.flatMap(({ name, byLabels }) => {
              const now = results.find((world) => world.name === name);
              return now === undefined ? [] : [[name, now.byLabels[100].served.ap - byLabels[100].served.ap] as const];
            }),
            ROUNDING,
          ),
        ]),
    ...labelRequirements(results),
  ];
};
