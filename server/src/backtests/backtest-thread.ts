import { parentPort, workerData } from 'node:worker_threads';
import type { BacktestOutcome, BacktestRequest } from '@portcullis/contract';
import {
  DEFAULT_POLICY,
  knowledgeIn,
  type OwnRule,
  type Policy,
  subjectOf,
  type Thresholds,
  type Treatment,
  unpackFacts,
  unpackVerdict,
} from '@portcullis/engine';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { firstSeqAt, idOf } from '../ids.ts';
import { readModel } from '../models/load.ts';
import { readRule, readRules } from '../rules/read.ts';
import { compile } from '../rules/rules.ts';
import { lowerThreadPriority } from '../thread-priority.ts';
import { makeComparison } from './compare.ts';
import { type PastRow, pastScreenings } from './store.ts';

export interface BacktestData {
  readonly connection: Connection;
  readonly tenant: number;
  readonly from: number;
  readonly until: number;
  readonly request: BacktestRequest;
  /** The model that decides, as its file says it. */
  readonly model: string;
  /** What is in force, as far as it can be handed to another thread. */
  readonly thresholds: Thresholds;
  readonly eventThresholds: Thresholds;
  readonly points: Readonly<Record<string, number>>;
  readonly treatments: readonly (readonly [string, Treatment])[];
}
export type FromBacktest =
  | { readonly progress: number }
  | { readonly outcome: BacktestOutcome }
  /** Deleted since it was asked for. */
  | { readonly gone: true };

const PAGE = 500;
/** Behind every id, as the newest rule would be. */
const CANDIDATE = 'candidate';
/** Rules are asked in the order they were made. That of points tells in the score, which is rounded after each. */
const byAge = (a: OwnRule, b: OwnRule): number => (a.id < b.id ? -1 : 1);

const data = workerData as BacktestData;
const { tenant, from, until, request } = data;
const say = (message: FromBacktest): void => parentPort?.postMessage(message);
try {
  lowerThreadPriority();
} catch {
  // Some containers forbid it. A backtest must not depend on it.
}
const backend = await openConnection(data.connection, () => {});

/** The rule to be tried, as if it were live. */
const candidateOf = async (): Promise<OwnRule | undefined> => {
  if (request.rule_id !== undefined) return readRule(backend, tenant, idOf('rule', request.rule_id) ?? '');
  if (request.rule === undefined) return undefined;
  const compiled = compile(request.rule.expression);
  if ('fault' in compiled) return undefined;
  const matches: OwnRule['matches'] = (input) => {
    try {
      return compiled.matches(input);
    } catch {
      // As when it serves: what fails does not match.
      return false;
    }
  };
  const action = request.rule.action as OwnRule['action'];
  return { id: CANDIDATE, version: 1, name: CANDIDATE, state: 'live', action, matches };
};

const compare = async (): Promise<BacktestOutcome | undefined> => {
  const inForce: Policy = {
    ...DEFAULT_POLICY,
    model: readModel(data.model),
    thresholds: data.thresholds,
    eventThresholds: data.eventThresholds,
    points: data.points,
    treatments: new Map(data.treatments),
    rules: await readRules(backend, tenant),
  };
  const rule = await candidateOf();
  if (request.policy === undefined && rule === undefined) return undefined;
  const others = (inForce.rules ?? []).filter(({ id }) => id !== rule?.id);
  const changed = request.policy?.thresholds;
  const other: Policy =
    rule !== undefined
      ? { ...inForce, rules: [...others, rule].sort(byAge) }
      : {
          ...inForce,
          thresholds: changed?.transaction ?? inForce.thresholds,
          eventThresholds: changed?.event ?? (inForce.eventThresholds as Thresholds),
          points:
            request.policy?.points === undefined
              ? inForce.points
              : { ...DEFAULT_POLICY.points, ...request.policy.points },
        };
  const comparison = makeComparison(inForce, other, rule?.id);
  const end = firstSeqAt(until);
  for (let after = firstSeqAt(from) - 1; ; ) {
    const rows = await pastScreenings(backend, tenant, after, end, PAGE);
    for (const row of rows) {
      const facts = unpackFacts(row.facts);
      const subject = subjectOf(row.type, JSON.parse(row.request), row.screened_at, knowledgeIn(facts));
      comparison.add({ id: row.id, subject, facts, lists: unpackVerdict(row.verdict).lists, label: row.label });
    }
    if (rows.length < PAGE) return comparison.outcome();
    const last = rows.at(-1) as PastRow;
    after = last.seq;
    say({ progress: (last.screened_at - from) / (until - from) });
  }
};

const outcome = await compare();
say(outcome === undefined ? { gone: true } : { outcome });
await backend.close();
parentPort?.close();
