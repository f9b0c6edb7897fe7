import { type DecisionFigures, type DecisionStats, type DecisionValue, writeTimestamp } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import type { NamedSum } from '../search/sum-reader.ts';
import { type SumStatsDeps, stepsOf } from './range.ts';

/** In cents: fractions of dollars do not add up. */
type Cents = { -readonly [Name in keyof DecisionFigures]: DecisionFigures[Name] };

const noFigures = (): Cents => ({
  ...{ allow: 0, review: 0, block: 0 },
  ...{ amount_usd: 0, held_usd: 0, saved_usd: 0 },
  ...{ fraud: 0, legitimate: 0, fraud_usd: 0 },
});

const addTo = (figures: Cents, { name, items, cents, fraud, legitimate, fraud_cents }: NamedSum): void => {
  figures[name as DecisionValue] += items;
  figures.amount_usd += cents;
  figures.fraud += fraud;
  figures.legitimate += legitimate;
  figures.fraud_usd += fraud_cents;
  if (name === 'allow') return;
  figures.held_usd += cents;
  figures.saved_usd += fraud_cents;
};

const inDollars = (figures: Cents): DecisionFigures => ({
  ...figures,
  amount_usd: figures.amount_usd / 100,
  held_usd: figures.held_usd / 100,
  saved_usd: figures.saved_usd / 100,
  fraud_usd: figures.fraud_usd / 100,
});

export const getDecisions = async ({ sums, clock }: SumStatsDeps, call: Call<'getDecisionsStats'>): Promise<Answer> => {
  const { step = '1d', type } = call.query;
  const { tenant } = call.caller;
  const now = clock();
  const { from, until, stepMs } = stepsOf(call.query, step, now);
  const complete = await sums.completeAt(tenant, now);
  const rows = await sums.series({ tenant, kind: 'decision', type }, step === '1h' ? 1 : 24, { from, until });
  const totals = noFigures();
  const points = Array.from({ length: (until - from) / stepMs }, noFigures);
  for (const row of rows) {
    addTo(totals, row);
    addTo(points[(row.start - from) / stepMs] as Cents, row);
  }
  const stats: DecisionStats = {
    from: writeTimestamp(from),
    until: writeTimestamp(until),
    as_of: writeTimestamp(complete),
    step,
    totals: inDollars(totals),
    points: points.map((point, index) => ({ at: writeTimestamp(from + index * stepMs), ...inDollars(point) })),
  };
  return call.answer(stats);
};
