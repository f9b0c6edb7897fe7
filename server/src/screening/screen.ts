import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import {
  decideAll,
  eventSubject,
  FACTS_VERSION,
  type Facts,
  type Identify,
  type IdentitiesOf,
  type Knowledge,
  makeKnowledge,
  packFacts,
  packVerdict,
  type Subject,
  transactionSubject,
  type Undecided,
  type Verdict,
} from '@portcullis/engine';
import { type Backend, type PendingWrite, type Statement, Unavailable } from '../backend/backend.ts';
import type { CountedScreening, Counters, DecideGathered } from '../backend/counters.ts';
import type { FindScreening } from '../backend/journal.ts';
import { insertCase, openCase } from '../cases/cases.ts';
import { applyDevice, type Device, readDeviceOfRequest } from '../devices/devices.ts';
import type { Answer, AnyCall, BatchHandler, Call } from '../http/route.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import type { Lists } from '../lists/lists.ts';
import type { Policies } from '../policies/policies.ts';
import type { Rules } from '../rules/rules.ts';
import { gatherTurn } from '../runtime/gather-turn.ts';
import { type NewId, seqOf } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { normalizeEvent, normalizeTransaction } from '../validation/normalize.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { getScreening } from './get.ts';
import { resultOf } from './result.ts';
import { findScreening, insertScreening } from './store.ts';

export { insertScreening, RETENTION_MS, screeningRows, sweepScreenings } from './store.ts';

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

/** A request and how to answer it. */
interface PendingRequest<R> {
  readonly call: AnyCall;
  readonly request: R;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
/** A request whose device is known, if it names one. */
interface VerifiedRequest<R> {
  readonly pending: PendingRequest<R>;
  readonly device: Device | undefined;
}

/** A screening on its way through the stages. */
interface StagedScreening extends CountedScreening {
  readonly pending: PendingRequest<unknown>;
  readonly id: string;
}

/** Reports the end of the write to the counters, once: a second report could undo the first. */
const endWrite = (screening: StagedScreening, error: unknown): void => {
  const { onEnd } = screening;
  screening.onEnd = undefined;
  onEnd?.(error);
};

/** Ends a screening that was not stored. */
const refuse = (screening: StagedScreening, error: unknown): void => {
  endWrite(screening, error);
  screening.pending.reject(error);
};

/** The messages about a screening, and its case when the decision is `review`. */
const followUps = (
  { webhooks }: ScreeningDeps,
  { pending, subject, id }: StagedScreening,
  verdict: Verdict,
  facts: Facts,
  result: string,
): Statement[] => {
  const { caller } = pending.call;
  const statements = webhooks.enqueue(caller, `${subject.type}.screened`, result, subject.at);
  if (subject.type === 'transaction' && verdict.decision === 'block') {
    statements.push(...webhooks.enqueue(caller, 'transaction.decision.block', result, subject.at));
  }
  if (verdict.decision === 'review') {
    const opened = openCase(id, subject, verdict, facts);
    statements.push(...insertCase(caller.tenant, opened, subject));
    if (webhooks.isSubscribed(caller, 'case.created'))
      statements.push(...webhooks.enqueue(caller, 'case.created', JSON.stringify(opened.resource), subject.at));
  }
  return statements;
};

/** Everything that is stored about a decided screening, and the answer once that is durable. */
const pack = (deps: ScreeningDeps, screening: StagedScreening, verdict: Verdict, facts: Facts): PendingWrite => {
  const { tenant, subject, id, pending } = screening;
  const policy = deps.policies.of(tenant);
  const result = JSON.stringify(resultOf(id, subject, verdict));
  const answer = pending.call.answer(result);
  const unit = [
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
    ...followUps(deps, screening, verdict, facts, result),
    ...answer.statements,
  ];
  return {
    unit,
    resolve: ({ written }) => {
      if (!written) return refuse(screening, new Unavailable('the store refused the screening'));
      endWrite(screening, undefined);
      deps.webhooks.send(pending.call.caller);
      deps.metrics.screenings(subject.type, verdict.decision);
      pending.resolve(answer);
    },
    reject: (error) => refuse(screening, error),
  };
};

/** A screening whose facts are gathered. */
interface GatheredScreening extends Undecided {
  readonly screening: StagedScreening;
}

const decideTogether = (gathered: readonly GatheredScreening[]): void => {
  try {
    for (const [i, verdict] of decideAll(gathered).entries())
      (gathered[i] as GatheredScreening).screening.verdict = verdict;
  } catch (error) {
    // No data can cause this. If it happens, it must end only one screening.
    for (const one of gathered)
      if (gathered.length === 1) refuse(one.screening, error);
      else decideTogether([one]);
  }
};

/** Decides all, packs all and writes all. It awaits nothing: the order of counting must be the order of storing. */
const decideAndWrite = (deps: ScreeningDeps, screenings: readonly StagedScreening[], facts: readonly Facts[]): void => {
  const gathered: GatheredScreening[] = [];
  for (const [i, screening] of screenings.entries()) {
    const { tenant, subject } = screening;
    try {
      const lists = deps.lists.matching(tenant, subject);
      gathered.push({ screening, policy: deps.policies.of(tenant), subject, facts: facts[i] as Facts, lists });
    } catch (error) {
      refuse(screening, error);
    }
  }
  decideTogether(gathered);
  const writes: PendingWrite[] = [];
  for (const [i, screening] of screenings.entries()) {
    if (screening.verdict === undefined) continue;
    try {
      writes.push(pack(deps, screening, screening.verdict, facts[i] as Facts));
    } catch (error) {
      screening.verdict = undefined;
      refuse(screening, error);
    }
  }
  deps.backend.writeAll(writes);
};

/** Gathers facts, decides, commits, and then answers: all screenings together, stage by stage. */
const makeScreenAll = (deps: ScreeningDeps) => {
  const decideGathered: DecideGathered<StagedScreening> = (gathered, facts) => decideAndWrite(deps, gathered, facts);
  return (screenings: readonly StagedScreening[]): void => {
    if (deps.hasRoom()) deps.counters.count(screenings, decideGathered, refuse);
    else for (const screening of screenings) refuse(screening, new Unavailable('too many screenings are waiting'));
  };
};

/** How requests of one type are screened. */
interface RequestType<R> {
  readonly normalize: (body: R) => R;
  readonly subjectOf: (identify: Identify, request: R, at: number, known: Knowledge) => Subject;
}
const TRANSACTION: RequestType<TransactionRequest> = { normalize: normalizeTransaction, subjectOf: transactionSubject };
const EVENT: RequestType<EventRequest> = { normalize: normalizeEvent, subjectOf: eventSubject };

/** Looks up requests in the reference data and screens them. A device token is verified in another thread first. */
const makeScreen = <R extends TransactionRequest | EventRequest>(
  deps: ScreeningDeps,
  screenAll: (screenings: readonly StagedScreening[]) => void,
  { normalize, subjectOf }: RequestType<R>,
) => {
  const toScreening = (pending: PendingRequest<R>, device: Device | undefined): StagedScreening => {
    const { call, request } = pending;
    const { tenant } = call.caller;
    const known = makeKnowledge();
    deps.knowledge.lookUp(request, known);
    const at = deps.clock();
    if (device !== undefined) applyDevice(device, request, known, at);
    const id = deps.newId();
    const subject = subjectOf(deps.identities(tenant), request, at, known);
    return { pending, id, tenant, subject, seq: seqOf(id), verdict: undefined, onEnd: undefined };
  };
  const start = (ready: readonly VerifiedRequest<R>[]): void => {
    const screenings: StagedScreening[] = [];
    for (const { pending, device } of ready) {
      try {
        screenings.push(toScreening(pending, device));
      } catch (error) {
        pending.reject(error);
      }
    }
    try {
      screenAll(screenings);
    } catch (error) {
      // Thrown on, it would end the process. A later answer to one that is being written is ignored.
      for (const { pending } of screenings) pending.reject(error);
    }
  };
  const startVerified = gatherTurn(start);
  return (
    calls: readonly {
      call: AnyCall & { body: R };
      resolve: PendingRequest<R>['resolve'];
      reject: PendingRequest<R>['reject'];
    }[],
  ) => {
    const ready: VerifiedRequest<R>[] = [];
    for (const { call, resolve, reject } of calls) {
      try {
        const pending = { call, request: normalize(call.body), resolve, reject };
        const token = pending.request.device_token;
        const verification = token === undefined ? undefined : readDeviceOfRequest(token);
        if (verification === undefined) ready.push({ pending, device: undefined });
        else verification.then((device) => startVerified({ pending, device }), reject);
      } catch (error) {
        reject(error);
      }
    }
    start(ready);
  };
};

export const makeScreening = (deps: ScreeningDeps) => {
  const find: FindScreening = (tenant, id) => findScreening(deps.backend, tenant, id, deps.clock());
  const screenAll = makeScreenAll(deps);
  return {
    find,
    screenTransactions: makeScreen(deps, screenAll, TRANSACTION) satisfies BatchHandler<'screenTransaction'>,
    screenEvents: makeScreen(deps, screenAll, EVENT) satisfies BatchHandler<'screenEvent'>,
    getTransaction: (call: Call<'getTransaction'>) =>
      getScreening(deps, call, 'transaction', call.params.transaction_id),
    getEvent: (call: Call<'getEvent'>) => getScreening(deps, call, 'event', call.params.event_id),
  };
};
export type Screening = ReturnType<typeof makeScreening>;
