import { readFileSync } from 'node:fs';
import { SIGNALS } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { BASE_MODEL } from './model-file.ts';

const { features, forest } = JSON.parse(readFileSync(BASE_MODEL, 'utf8'));
/** What a signal adds in log-odds, alone: the sum of its trees with one split. */
const weightOf = (signal: string): number => {
  const at = features.indexOf(`signal.${signal}`);
  const stumps = forest.trees.filter(({ feature }: { feature: number[] }) => feature.length === 3 && feature[0] === at);
  return stumps.reduce((sum: number, { value }: { value: number[] }) => sum + (value[2] as number), 0);
};

describe('the shipped model', () => {
  test.each(SIGNALS.filter(({ assumedWeight }) => assumedWeight !== undefined))(
    'gives $name its assumed weight, which no simulated history corrects by much',
    ({ name, assumedWeight }) => {
      expect(weightOf(name)).toBeGreaterThan((assumedWeight as number) / 2);
    },
  );
});
