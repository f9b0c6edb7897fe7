import {
  MAX_RULE_VERSIONS,
  type RuleHitItem,
  type RuleHits,
  type RuleSeries,
  type RuleVersions,
} from '@portcullis/contract';
import { readTimestamp, writeTimestamp } from '@portcullis/contract/values';
import { unpackOutcome } from '@portcullis/engine';
import { labelsByNumber, screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, seqOf, withPrefix } from '../runtime/ids.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import { invalidRequest } from '../validation/errors.ts';
import { type HitRow, hitsByDay, hitsOf, RETENTION_MS } from './hit-store.ts';
import { type contentIn, findRuleOf, type RulesState } from './rule-state.ts';

const DEFAULT_LIMIT = 20;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Makes the function that finds the item of a hit; null where the screening is no longer stored. */
const itemsOf = async (
  { backend }: RulesState,
  { caller: { tenant }, tagOf }: Call<'listRuleHits'>,
  hits: readonly HitRow[],
): Promise<(hit: HitRow) => RuleHitItem | null> => {
  const numbers = hits.map(({ screening_id }) => seqOf(screening_id));
  const rows = await screeningsByNumber(backend, tenant, numbers);
  const labels = await labelsByNumber(backend, tenant, numbers);
  return ({ screening_id }) => {
    const row = rows.get(seqOf(screening_id));
    if (row === undefined) return null;
    const request = maskedRequest(row, tagOf);
    return {
      user_id: request.user_id,
      amount: 'amount' in request ? request.amount : null,
      currency: 'currency' in request ? request.currency : null,
      risk_score: unpackOutcome(row.verdict).score,
      label: labels.get(row.seq) ?? null,
    };
  };
};

export const listHits = async (state: RulesState, call: Call<'listRuleHits'>): Promise<Answer> => {
  const { id, tenant } = await findRuleOf(state, call);
  const { limit = DEFAULT_LIMIT, before, include } = call.query;
  const last = before === undefined ? undefined : idOf('decision', before);
  if (before !== undefined && last === undefined)
    throw invalidRequest([{ field: 'before', message: 'must be the `decision_id` of a hit' }]);
  const { rows, hasMore } = await hitsOf(state.backend, tenant, id, state.clock(), last, limit);
  const itemOf = include === undefined ? undefined : await itemsOf(state, call, rows);
  const list: RuleHits = {
    hits: rows.map((row) => ({
      decision_id: withPrefix('decision', row.screening_id),
      matched_at: writeTimestamp(row.at),
      state: row.state,
      version: row.version,
      decision: row.decision,
      ...(itemOf === undefined ? {} : { item: itemOf(row) }),
    })),
    has_more: hasMore,
  };
  return call.answer(list);
};

/** The whole days that a query asks for, within the retention of hits. */
const daysOf = ({ from, until }: Call<'getRuleSeries'>['query'], now: number): { first: number; end: number } => {
  const today = Math.floor(now / DAY_MS);
  const askedEnd = until === undefined ? today + 1 : Math.ceil((readTimestamp(until) as number) / DAY_MS);
  const oldest = Math.ceil((now - RETENTION_MS) / DAY_MS);
  const end = Math.max(oldest, Math.min(today + 1, askedEnd));
  const first = from === undefined ? end - DEFAULT_DAYS : Math.floor((readTimestamp(from) as number) / DAY_MS);
  if (from !== undefined && first > askedEnd)
    throw invalidRequest([{ field: 'from', message: 'must not be after `until`' }]);
  return { first: Math.min(end, Math.max(oldest, first)), end };
};

/** Matches by day, with the labels that apply now. */
export const getSeries = async (state: RulesState, call: Call<'getRuleSeries'>): Promise<Answer> => {
  const { id, tenant } = await findRuleOf(state, call);
  const { first, end } = daysOf(call.query, state.clock());
  const rows = await hitsByDay(state.backend, tenant, id, first * DAY_MS, end * DAY_MS);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const series: RuleSeries = {
    days: Array.from({ length: end - first }, (_, index) => {
      const { hits = 0, shadow = 0, fraud = 0, legitimate = 0 } = byDay.get(first + index) ?? {};
      return { at: writeTimestamp((first + index) * DAY_MS), hits, shadow, fraud, legitimate };
    }),
  };
  return call.answer(series);
};

/** The versions of a rule, from the audit log: nothing is stored twice. */
export const listVersions = async (state: RulesState, call: Call<'listRuleVersions'>): Promise<Answer> => {
  const { id, tenant } = await findRuleOf(state, call);
  const { rows, hasMore } = await state.audit.of(tenant, withPrefix('rule', id), MAX_RULE_VERSIONS);
  const names = await state.namesOf(
    call.caller.account,
    rows.map(({ key_id }) => key_id),
  );
  const versions: RuleVersions = {
    versions: rows.flatMap(({ at, key_id, after }) => {
      const content = JSON.parse(after) as ReturnType<typeof contentIn> | null;
      return content === null ? [] : [{ ...content, at: writeTimestamp(at), by: names.get(key_id) ?? key_id }];
    }),
    cut: hasMore,
  };
  return call.answer(versions);
};
