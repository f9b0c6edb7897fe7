import {
  type CountryStats,
  MAX_STAT_GROUPS,
  type RuleStats,
  type ScoreFigures,
  type ScoreStats,
  type SignalStats,
  type StatsQuery,
  writeTimestamp,
} from '@portcullis/contract';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import { withPrefix } from '../runtime/ids.ts';
import type { NamedSum, SumFilter } from '../search/sum-reader.ts';
import { HOUR_MS, rangeOf, type SumStatsDeps } from './range.ts';

type Figures = Omit<ScoreFigures, 'score'>;
const toFigures = ({ items, cents, fraud, legitimate, fraud_cents }: NamedSum): Figures => ({
  items,
  amount_usd: cents / 100,
  fraud,
  legitimate,
  fraud_usd: fraud_cents / 100,
});
const NO_FIGURES: Figures = { items: 0, amount_usd: 0, fraud: 0, legitimate: 0, fraud_usd: 0 };

/** The sums of one kind, with the time they are of. One row more than the limit says that there are more. */
const readSums = async (
  { sums, clock }: SumStatsDeps,
  { caller: { tenant }, query }: AnyCall & { readonly query: StatsQuery },
  kind: SumFilter['kind'],
) => {
  const now = clock();
  const span = rangeOf(query, HOUR_MS, now);
  const complete = await sums.completeAt(tenant, now);
  const rows = await sums.totals({ tenant, kind, type: query.type }, span, MAX_STAT_GROUPS + 1);
  const range = {
    from: writeTimestamp(span.from),
    until: writeTimestamp(span.until),
    as_of: writeTimestamp(complete),
  };
  return { range, rows: rows.slice(0, MAX_STAT_GROUPS), cut: rows.length > MAX_STAT_GROUPS };
};

export const getScores = async (deps: SumStatsDeps, call: Call<'getScoresStats'>): Promise<Answer> => {
  const { range, rows } = await readSums(deps, call, 'score');
  const byScore = new Map(rows.map((row) => [Number(row.name), toFigures(row)]));
  const scores = Array.from({ length: 101 }, (_, score) => ({ score, ...(byScore.get(score) ?? NO_FIGURES) }));
  return call.answer({ ...range, scores } satisfies ScoreStats);
};

export const getSignals = async (deps: SumStatsDeps, call: Call<'getSignalsStats'>): Promise<Answer> => {
  const { range, rows, cut } = await readSums(deps, call, 'signal');
  const signals = rows.map((row) => ({ signal: row.name, ...toFigures(row) }));
  return call.answer({ ...range, signals, cut } satisfies SignalStats);
};

export const getRules = async (deps: SumStatsDeps, call: Call<'getRulesStats'>): Promise<Answer> => {
  const { range, rows, cut } = await readSums(deps, call, 'rule');
  const rules = rows.map((row) => ({ rule_id: withPrefix('rule', row.name), ...toFigures(row) }));
  return call.answer({ ...range, rules, cut } satisfies RuleStats);
};

export const getCountries = async (deps: SumStatsDeps, call: Call<'getCountriesStats'>): Promise<Answer> => {
  const { range, rows, cut } = await readSums(deps, call, 'country');
  const countries = rows.map((row) => ({ country: row.name === '' ? null : row.name, ...toFigures(row) }));
  return call.answer({ ...range, countries, cut } satisfies CountryStats);
};
