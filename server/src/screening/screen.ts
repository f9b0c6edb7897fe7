import {
  type Event,
  type EventRequest,
  type Transaction,
  type TransactionRequest,
  writeTimestamp,
} from '@portcullis/contract';
import {
  decide,
  eventSubject,
  FACTS_VERSION,
  type Knowledge,
  makeKnowledge,
  packFacts,
  packVerdict,
  type Subject,
  subjectOf,
  transactionSubject,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import { type Backend, type Statement, Unavailable } from '../backend/backend.ts';
import type { Counters } from '../backend/counters.ts';
import { insertCase, openCase } from '../cases/cases.ts';
import { deviceAside, placeDevice } from '../devices/devices.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, seqOf, withPrefix } from '../ids.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import type { Lists } from '../lists/lists.ts';
import type { Metrics } from '../metrics.ts';
import type { Policies } from '../policies/policies.ts';
import type { Rules } from '../rules/rules.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { normalizeEvent, normalizeTransaction } from './normalize.ts';
import { findScreening, insertScreening, type ScreeningRow } from './store.ts';

export type { ScreeningRow } from './store.ts';
/** A screening of the tenant that is still retained. */
export type FindScreening = (tenant: number, id: string) => Promise<ScreeningRow | undefined>;

const transactionResult = (id: string, request: TransactionRequest, at: number, verdict: Verdict): Transaction => ({
  transaction_id: withPrefix('transaction', id),
  user_id: request.user_id,
  amount: request.amount,
  currency: request.currency,
  risk_score: verdict.score,
  decision: verdict.decision,
  signals: [...verdict.signals],
  screened_at: writeTimestamp(at),
  decision_id: withPrefix('decision', id),
  case_id: verdict.decision === 'review' ? withPrefix('case', id) : null,
});

const eventResult = (id: string, request: EventRequest, at: number, verdict: Verdict): Event => ({
  event_id: withPrefix('event', id),
  user_id: request.user_id,
  type: request.type,
  outcome: request.outcome ?? 'succeeded',
  risk_score: verdict.score,
  decision: verdict.decision,
  signals: [...verdict.signals],
  screened_at: writeTimestamp(at),
  decision_id: withPrefix('decision', id),
  case_id: verdict.decision === 'review' ? withPrefix('case', id) : null,
});

/** What is answered, at once and whenever it is asked for later. */
const resultOf = (id: string, subject: Subject, verdict: Verdict): Transaction | Event =>
  subject.type === 'transaction'
    ? transactionResult(id, subject.request, subject.at, verdict)
    : eventResult(id, subject.request, subject.at, verdict);

export const makeScreening = (deps: {
  backend: Backend;
  counters: Counters;
  knowledge: KnowledgeSource;
  hasRoom: () => boolean;
  policies: Policies;
  lists: Pick<Lists, 'listed'>;
  rules: Pick<Rules, 'hitStatements'>;
  webhooks: Webhooks;
  metrics: Metrics;
  newId: NewId;
  clock: () => number;
}) => {
  const { backend, counters, policies, webhooks, newId } = deps;

  const messages = (call: Call, subject: Subject, verdict: Verdict, id: string, result: string): Statement[] => {
    const statements = webhooks.owe(call.caller, `${subject.type}.screened`, result, subject.at);
    if (subject.type === 'transaction' && verdict.decision === 'block') {
      statements.push(...webhooks.owe(call.caller, 'transaction.decision.block', result, subject.at));
    }
    if (verdict.decision === 'review') {
      const opened = openCase(id, subject, verdict);
      statements.push(insertCase(call.caller.tenant, opened));
      statements.push(...webhooks.owe(call.caller, 'case.created', JSON.stringify(opened.resource), subject.at));
    }
    return statements;
  };

  /** Gather, decide, commit; then answer. Deciding has no await before the write: the order of counting is the order of storing. */
  const screen = async (call: Call, subject: Subject): Promise<Answer> => {
    if (!deps.hasRoom()) throw new Unavailable('too many screenings are waiting');
    const { tenant } = call.caller;
    const id = newId();
    const { verdict, answer, stored } = await counters.count(tenant, subject, seqOf(id), (facts) => {
      const policy = policies.of(tenant);
      const verdict = decide(policy, subject, facts, deps.lists.listed(tenant, subject));
      const result = JSON.stringify(resultOf(id, subject, verdict));
      const answer = call.answer(result);
      const stored = backend.write([
        insertScreening(tenant, {
          id,
          type: subject.type,
          screened_at: subject.at,
          request: JSON.stringify(subject.request),
          verdict: packVerdict(verdict),
          ruleset_version: policy.version,
          facts_version: FACTS_VERSION,
          facts: packFacts(facts),
        }),
        ...deps.rules.hitStatements(tenant, id, policy, subject, verdict),
        ...messages(call, subject, verdict, id, result),
        ...answer.statements,
      ]);
      return { verdict, answer, stored };
    });
    await stored;
    webhooks.send(call.caller);
    deps.metrics.screenings(subject.type, verdict.decision);
    return answer;
  };

  /** Looks up what is known of the request, and screens it. A token of the device SDK is checked first, aside; nobody else waits for that. */
  const take = <R extends TransactionRequest | EventRequest>(
    call: Call,
    request: R,
    subjectFor: (request: R, at: number, known: Knowledge) => Subject,
  ): Promise<Answer> => {
    const known = makeKnowledge();
    deps.knowledge.look(request, known);
    const { device_token: token } = request;
    const checking = token === undefined ? undefined : deviceAside(token);
    if (checking === undefined) return screen(call, subjectFor(request, deps.clock(), known));
    return checking.then((device) => {
      const at = deps.clock();
      placeDevice(device, request, known, at);
      return screen(call, subjectFor(request, at, known));
    });
  };

  const find: FindScreening = (tenant, id) => findScreening(backend, tenant, id, deps.clock());

  const get = async (call: Call, type: 'transaction' | 'event'): Promise<Answer> => {
    const id = idOf(type, call.params[`${type}_id`] as string);
    const row = id === undefined ? undefined : await find(call.caller.tenant, id);
    if (row === undefined || row.type !== type) throw notFound(type);
    const subject = subjectOf(type, JSON.parse(row.request), row.screened_at);
    return call.answer(resultOf(row.id, subject, unpackVerdict(row.verdict)));
  };

  return {
    find,
    screenTransaction: (call: Call) =>
      take(call, normalizeTransaction(call.body as TransactionRequest, call.warnings), transactionSubject),
    screenEvent: (call: Call) => take(call, normalizeEvent(call.body as EventRequest, call.warnings), eventSubject),
    getTransaction: (call: Call) => get(call, 'transaction'),
    getEvent: (call: Call) => get(call, 'event'),
  };
};
export type Screening = ReturnType<typeof makeScreening>;
