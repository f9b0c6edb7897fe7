import type { Screening, TimelineEntry } from '@portcullis/client';
import { expect, test } from 'vitest';
import { momentsOf } from './moments.ts';

const of = (kind: TimelineEntry['kind'], more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  kind,
  at: '2026-11-14T09:30:00.000Z',
  subject_id: 'txn_1',
  screening: null,
  label: null,
  decision: null,
  ...more,
});
const item = of('transaction', { screening: {} as Screening });

test('labels and reviews between two items take one line, which counts them', () => {
  const entries = [
    of('label', { label: 'fraud' }),
    of('label', { label: 'fraud' }),
    of('review', { decision: 'block' }),
    item,
    of('label', { label: 'legitimate' }),
    item,
  ];
  const shown = momentsOf(entries).map(({ marks }) => marks?.map(({ text, count }) => `${count} ${text}`) ?? 'item');
  expect(shown).toEqual([['2 labelled fraud', '1 rejected'], 'item', ['1 labelled legitimate'], 'item']);
});
