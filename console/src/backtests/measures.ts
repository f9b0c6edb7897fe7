import type { ScoreQuality } from '@portcullis/client';
import { formatShare, formatTenth } from '../parts/format.ts';

export interface Measure {
  readonly name: string;
  readonly of: (quality: ScoreQuality) => number | null;
  readonly format: (value: number) => string;
}
const thousandth = (value: number): string => value.toFixed(3);

/** The figures of a score: how much of the fraud it holds, and how many others. */
export const MEASURES: readonly Measure[] = [
  { name: 'Fraud held', of: (one) => one.fraud_held, format: formatShare },
  { name: 'Not fraud, held (per 10,000)', of: (one) => one.reviewed_per_10k, format: formatTenth },
  { name: 'Not fraud, blocked (per 10,000)', of: (one) => one.blocked_per_10k, format: formatTenth },
  { name: 'Average precision', of: (one) => one.average_precision, format: thousandth },
  { name: 'Recall at 1 % false positives', of: (one) => one.recall_at_1_percent_fp, format: formatShare },
];
