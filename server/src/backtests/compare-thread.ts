import { parentPort, workerData } from 'node:worker_threads';
import type { BacktestOutcome, BacktestRequest } from '@portcullis/contract';
import {
  type AccountRule,
  type Budget,
  DEFAULT_POLICY,
  knowledgeIn,
  markPresent,
  type Policy,
  subjectOf,
  type Thresholds,
  type Treatment,
  unpackFacts,
  unpackVerdict,
} from '@portcullis/engine';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { labelledScreenings } from '../backend/journal-pages.ts';
import { readStoredModel } from '../models/stored-model.ts';
import type { ByType } from '../policies/proposal.ts';
import { withPoints } from '../policies/versions.ts';
import { compile } from '../rules/compile.ts';
import { readRule, readRules } from '../rules/compiled-rules.ts';
import { firstSeqAt, idOf } from '../runtime/ids.ts';
import { lowerThreadPriority } from '../runtime/thread-priority.ts';
import { makeComparison } from './compare.ts';

export interface ComparisonData {
  readonly connection: Connection;
  readonly tenant: number;
  readonly from: number;
  readonly until: number;
  readonly request: BacktestRequest;
  /** The model file in force. */
  readonly model: string;
  /** The policy in force, as far as it can be passed to a thread. Rules are read from the store. */
  readonly thresholds: Thresholds;
  readonly eventThresholds: Thresholds;
  readonly points: Policy['points'];
  readonly alwaysReviewed: Policy['alwaysReviewed'];
  readonly treatments: readonly (readonly [string, Treatment])[];
  readonly budget: ByType<Budget | null>;
}
export type ComparisonResult =
  | { readonly outcome: BacktestOutcome }
  /** The rule was deleted after the backtest was requested. */
  | { readonly ruleDeleted: true };
export type ComparisonMessage = { readonly progress: number } | ComparisonResult;

const COLUMNS = ['id', 'type', 'screened_at', 'request', 'verdict', 'facts'] as const;
/** Sorts after every rule id, as the newest rule does. */
const CANDIDATE_ID = 'candidate';
/** Rules are evaluated in the order they were made. The order matters, because the score is rounded after each rule. */
const byAge = (a: AccountRule, b: AccountRule): number => (a.id < b.id ? -1 : 1);

const data = workerData as ComparisonData;
const { tenant, from, until, request } = data;
const post = (message: ComparisonMessage): void => parentPort?.postMessage(message);
try {
  lowerThreadPriority();
} catch {
  // Some containers forbid it. The backtest works without it.
}
const backend = await openConnection(data.connection, () => {});

/** The rule under test, as if it were live. */
const ruleUnderTest = async (): Promise<AccountRule | undefined> => {
  if (request.rule_id !== undefined) return readRule(backend, tenant, idOf('rule', request.rule_id) ?? '');
  if (request.rule === undefined) return undefined;
  const compiled = compile(request.rule.expression);
  if ('error' in compiled) return undefined;
  const matches: AccountRule['matches'] = (input) => {
    try {
      return compiled.matches(input);
    } catch {
      // As in screening: a rule that fails does not match.
      return false;
    }
  };
  const action = request.rule.action as AccountRule['action'];
  return { id: CANDIDATE_ID, version: 1, name: CANDIDATE_ID, state: 'live', action, matches };
};

const compare = async (): Promise<BacktestOutcome | undefined> => {
  const inForce: Policy = {
    ...DEFAULT_POLICY,
    model: readStoredModel(data.model),
    thresholds: data.thresholds,
    eventThresholds: data.eventThresholds,
    points: data.points,
    alwaysReviewed: data.alwaysReviewed,
    treatments: new Map(data.treatments),
    rules: await readRules(backend, tenant),
  };
  const rule = await ruleUnderTest();
  if (request.policy === undefined && rule === undefined) return undefined;
  const others = (inForce.rules ?? []).filter(({ id }) => id !== rule?.id);
  const { thresholds, points, budget } = request.policy ?? {};
  const candidate: Policy =
    rule !== undefined
      ? { ...inForce, rules: [...others, rule].sort(byAge) }
      : {
          ...inForce,
          thresholds: thresholds?.transaction ?? inForce.thresholds,
          eventThresholds: thresholds?.event ?? (inForce.eventThresholds as Thresholds),
          ...(points === undefined ? {} : withPoints(DEFAULT_POLICY, points)),
        };
  const comparison = makeComparison(
    inForce,
    candidate,
    rule?.id,
    budget === undefined ? data.budget : { transaction: null, event: null, ...budget },
  );
  const range = {
    tenant,
    after: firstSeqAt(from) - 1,
    upTo: firstSeqAt(until) - 1,
    labelsThrough: Number.MAX_SAFE_INTEGER,
  };
  for await (const rows of labelledScreenings(backend, range, COLUMNS)) {
    let last = from;
    for (const row of rows) {
      const facts = unpackFacts(row.facts);
      const subject = subjectOf(markPresent, row.type, JSON.parse(row.request), row.screened_at, knowledgeIn(facts));
      comparison.add({ id: row.id, subject, facts, lists: unpackVerdict(row.verdict).lists, label: row.label });
      last = row.screened_at;
    }
    post({ progress: (last - from) / (until - from) });
  }
  return comparison.outcome();
};

const outcome = await compare();
post(outcome === undefined ? { ruleDeleted: true } : { outcome });
await backend.close();
parentPort?.close();
