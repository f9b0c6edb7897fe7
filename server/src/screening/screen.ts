import type { Event, EventRequest, Transaction, TransactionRequest } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  decide,
  eventSubject,
  FACTS_VERSION,
  type Facts,
  type Identify,
  type IdentitiesOf,
  type Knowledge,
  makeKnowledge,
  markPresent,
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
import { presentRequest } from '../backend/erased-request.ts';
import type { FindScreening } from '../backend/journal.ts';
import { insertCase, openCase } from '../cases/cases.ts';
import { applyDevice, readDeviceOfRequest } from '../devices/devices.ts';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import type { Lists } from '../lists/lists.ts';
import type { Policies } from '../policies/policies.ts';
import type { Rules } from '../rules/rules.ts';
import { idOf, type NewId, seqOf, withPrefix } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { type SubjectCall, subjectFor } from '../subjects/subjects.ts';
import { notFound } from '../validation/errors.ts';
import { normalizeEvent, normalizeTransaction } from '../validation/normalize.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { findScreening, insertScreening } from './store.ts';

export { insertScreening, RETENTION_MS, screeningRows, sweepScreenings } from './store.ts';

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

/** The response to a screening, also when it is read later. */
const resultOf = (id: string, subject: Subject, verdict: Verdict): Transaction | Event =>
  subject.type === 'transaction'
    ? transactionResult(id, subject.request, subject.at, verdict)
    : eventResult(id, subject.request, subject.at, verdict);

interface ScreeningDeps {
  readonly backend: Backend;
  readonly counters: Counters;
  readonly identities: IdentitiesOf;
  readonly knowledge: KnowledgeSource;
  readonly hasRoom: () => boolean;
  readonly policies: Policies;
  readonly lists: Pick<Lists, 'matching'>;
  readonly rules: Pick<Rules, 'hitStatements'>;
  readonly webhooks: Webhooks;
  readonly metrics: Metrics;
  readonly newId: NewId;
  readonly clock: () => number;
}

/** The messages about a screening, and its case when the decision is `review`. */
const followUps = (
  { webhooks }: ScreeningDeps,
  { caller }: AnyCall,
  subject: Subject,
  verdict: Verdict,
  facts: Facts,
  id: string,
  result: string,
): Statement[] => {
  const statements = webhooks.enqueue(caller, `${subject.type}.screened`, result, subject.at);
  if (subject.type === 'transaction' && verdict.decision === 'block') {
    statements.push(...webhooks.enqueue(caller, 'transaction.decision.block', result, subject.at));
  }
  if (verdict.decision === 'review') {
    const opened = openCase(id, subject, verdict, facts);
    statements.push(...insertCase(caller.tenant, opened, subject));
    statements.push(...webhooks.enqueue(caller, 'case.created', JSON.stringify(opened.resource), subject.at));
  }
  return statements;
};

/** Decides, and starts the write with no await before it: the order of counting must be the order of storing. */
const decideAndWrite = (deps: ScreeningDeps, call: AnyCall, subject: Subject, id: string, facts: Facts) => {
  const { tenant } = call.caller;
  const policy = deps.policies.of(tenant);
  const verdict = decide(policy, subject, facts, deps.lists.matching(tenant, subject));
  const result = JSON.stringify(resultOf(id, subject, verdict));
  const answer = call.answer(result);
  const stored = deps.backend.write([
    insertScreening(tenant, {
      id,
      type: subject.type,
      screened_at: subject.at,
      request: JSON.stringify(subject.request),
      verdict: packVerdict(verdict),
      ruleset_version: policy.version,
      facts_version: FACTS_VERSION,
      facts: packFacts(facts),
      imported: 0,
    }),
    ...deps.rules.hitStatements(tenant, id, policy, subject, verdict),
    ...followUps(deps, call, subject, verdict, facts, id, result),
    ...answer.statements,
  ]);
  return { verdict, answer, stored };
};

/** Gathers facts, decides, commits, and then answers. */
const screen = async (deps: ScreeningDeps, call: AnyCall, subject: Subject): Promise<Answer> => {
  if (!deps.hasRoom()) throw new Unavailable('too many screenings are waiting');
  const id = deps.newId();
  const { verdict, answer, stored } = await deps.counters.count(call.caller.tenant, subject, seqOf(id), (facts) =>
    decideAndWrite(deps, call, subject, id, facts),
  );
  await stored;
  deps.webhooks.send(call.caller);
  deps.metrics.screenings(subject.type, verdict.decision);
  return answer;
};

/** Looks up the request in the reference data and screens it. A device token is verified in another thread first. */
const screenRequest = <R extends TransactionRequest | EventRequest>(
  deps: ScreeningDeps,
  call: AnyCall,
  request: R,
  subjectFor: (identify: Identify, request: R, at: number, known: Knowledge) => Subject,
): Promise<Answer> => {
  const known = makeKnowledge();
  deps.knowledge.lookUp(request, known);
  const identify = deps.identities(call.caller.tenant);
  const { device_token: token } = request;
  const verification = token === undefined ? undefined : readDeviceOfRequest(token);
  if (verification === undefined) return screen(deps, call, subjectFor(identify, request, deps.clock(), known));
  return verification.then((device) => {
    const at = deps.clock();
    applyDevice(device, request, known, at);
    return screen(deps, call, subjectFor(identify, request, at, known));
  });
};

const getScreening = async (
  { backend, clock }: ScreeningDeps,
  call: AnyCall & SubjectCall,
  type: 'transaction' | 'event',
  publicId: string,
): Promise<Answer> => {
  const id = idOf(type, publicId);
  const row = id === undefined ? undefined : await findScreening(backend, call.caller.tenant, id, clock());
  if (row === undefined || row.type !== type) throw notFound(type);
  const subject = subjectOf(markPresent, type, presentRequest(row.request), row.screened_at);
  const result = resultOf(row.id, subject, unpackVerdict(row.verdict));
  const shown = row.imported === 1 ? { ...result, case_id: null, imported: true } : result;
  return call.answer({ ...shown, ...subjectFor(call, row) });
};

export const makeScreening = (deps: ScreeningDeps) => {
  const find: FindScreening = (tenant, id) => findScreening(deps.backend, tenant, id, deps.clock());
  return {
    find,
    screenTransaction: (call: Call<'screenTransaction'>) =>
      screenRequest(deps, call, normalizeTransaction(call.body), transactionSubject),
    screenEvent: (call: Call<'screenEvent'>) => screenRequest(deps, call, normalizeEvent(call.body), eventSubject),
    getTransaction: (call: Call<'getTransaction'>) =>
      getScreening(deps, call, 'transaction', call.params.transaction_id),
    getEvent: (call: Call<'getEvent'>) => getScreening(deps, call, 'event', call.params.event_id),
  };
};
export type Screening = ReturnType<typeof makeScreening>;
