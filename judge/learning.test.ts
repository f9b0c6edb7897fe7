import { expect, test } from 'vitest';
import type { TrainingItem } from '../server/src/models/training-items.ts';
import { pastItemsAt } from './learning.ts';
import { LABEL_DELAY_MS } from './measure-world.ts';

const item = (at: number): TrainingItem => ({
  at,
  score: 0,
  decision: 'allow',
  probability: 0,
  label: 'fraud',
  isExpired: false,
  subject: undefined as unknown as TrainingItem['subject'],
  facts: undefined as unknown as TrainingItem['facts'],
});

test('a training sees the label of an item only a week after the item', async () => {
  const now = 10 * LABEL_DELAY_MS;
  const items = [item(now - LABEL_DELAY_MS), item(now - LABEL_DELAY_MS + 1)];
  const labels: TrainingItem['label'][] = [];
  for await (const { label } of pastItemsAt(items, now).items(() => undefined)) labels.push(label);
  expect(labels).toEqual(['fraud', undefined]);
});
