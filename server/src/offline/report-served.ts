import type { ScoreQuality } from '@portcullis/contract';
import type { Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import { reportTable } from './report-tables.ts';
import { decimals, percent } from './report-words.ts';

const ROWS: readonly (readonly [string, (of: ScoreQuality) => string])[] = [
  ['AUC ROC', (of) => decimals(of.auc_roc, 4)],
  ['Average precision', (of) => decimals(of.average_precision, 4)],
  ['Recall at 0.1 % FPR', (of) => percent(of.recall_at_0_1_percent_fp)],
  ['Recall at 1 % FPR', (of) => percent(of.recall_at_1_percent_fp)],
  ['Fraud held', (of) => percent(of.fraud_held)],
  ['Legitimate held per 10,000', (of) => decimals(of.reviewed_per_10k, 1)],
  ['Legitimate blocked per 10,000', (of) => decimals(of.blocked_per_10k, 1)],
];

/** The served score beside the model alone. */
export const servedTable = ({ served, model_alone: model }: BacktestResult): Part =>
  reportTable(
    'The served score and the model alone',
    [{ head: 'Metric' }, { head: 'Served score', figures: true }, { head: 'Model alone', figures: true }],
    ROWS.map(([head, write]) => ({ head, cells: [write(served), write(model)] })),
  );

const amount = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
const COLUMNS: readonly (readonly [string, keyof ScoreQuality['money'][number]])[] = [
  ['Fraud held', 'fraud_held'],
  ['Fraud missed', 'fraud_missed'],
  ['Legitimate held', 'legitimate_held'],
];

/** Amounts as they were paid: unlike dollars, they include currencies without a reference rate. */
export const moneyTable = ({ served: { money } }: BacktestResult): Part =>
  money.length === 0
    ? undefined
    : reportTable(
        'Amounts by currency',
        [{ head: 'Currency' }, ...COLUMNS.map(([head]) => ({ head, figures: true }))],
        money.map((of) => ({ head: of.currency, cells: COLUMNS.map(([, name]) => amount(of[name] as number)) })),
      );
