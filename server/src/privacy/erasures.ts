import type { Erasure, ErasureCounts, ErrorDetail } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { Unavailable } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import { notFound } from '../validation/errors.ts';
import { runErasure } from './erase.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import { NO_COUNTS, sealState } from './erasure-state.ts';
import { hashOfPerson } from './person.ts';
import { type ErasureRow, findErasure, insertErasure, runningErasures } from './store.ts';

const EVERY_MS = 250;
/** Erasures that are looked at in a round. One that must wait does not hold up the others. */
const AT_ONCE = 20;

interface ErasuresDeps extends ErasureDeps {
  readonly newId: NewId;
  readonly log: Log;
}

const toErasure = (row: ErasureRow): Erasure => ({
  erasure_id: withPrefix('erasure', row.id),
  status: row.status,
  progress: row.progress,
  person: row.person,
  counts: JSON.parse(row.counts) as ErasureCounts,
  requested_at: writeTimestamp(row.requested_at),
  completed_at: row.completed_at === null ? null : writeTimestamp(row.completed_at),
});

const create = async (deps: ErasuresDeps, call: Call<'createErasure'>): Promise<Answer> => {
  const { seal, clock, newId, audit } = deps;
  const { tenant } = call.caller;
  const { user_id, email } = call.body;
  const person = hashOfPerson(seal, tenant, call.body);
  const id = newId();
  const row: ErasureRow = {
    id,
    tenant,
    person,
    status: 'running',
    progress: 0,
    counts: JSON.stringify(NO_COUNTS),
    requested_at: clock(),
    completed_at: null,
    sealed: sealState(seal, id, {
      ...(user_id === undefined ? {} : { user_id }),
      ...(email === undefined ? {} : { email }),
      after: 0,
      users: user_id === undefined ? [] : [user_id],
      values: [],
      metadata: [],
    }),
  };
  const answer = call.answer(toErasure(row));
  const by = ['user_id', 'email'].filter((name) => name in call.body);
  const change = {
    action: 'person.erasure_requested',
    target: withPrefix('erasure', id),
    before: null,
    after: { person, by },
  };
  await audit.write(call.caller, change, [insertErasure(row), ...answer.statements]);
  return answer;
};

const get = async ({ backend }: ErasuresDeps, call: Call<'getErasure'>): Promise<Answer> => {
  const id = idOf('erasure', call.params.erasure_id);
  const row = id === undefined ? undefined : await findErasure(backend, call.caller.tenant, id);
  if (row === undefined) throw notFound('erasure');
  return call.answer(toErasure(row));
};

/** Errors that the schema cannot express. */
export const personErrors = ({ user_id, email }: Readonly<Record<string, unknown>>): ErrorDetail[] =>
  (user_id ?? email ?? null) === null ? [{ field: 'user_id', message: 'send `user_id`, `email`, or both' }] : [];

/** Erasures of persons: requested by API, done in the background by one process, also through restarts. */
export const makeErasures = (deps: ErasuresDeps) => {
  const { backend, log } = deps;
  const runAll = async (): Promise<void> => {
    for (const row of await runningErasures(backend, AT_ONCE)) {
      if (schedule.isStopped()) return;
      try {
        await runErasure(deps, row, schedule.isStopped);
      } catch (error) {
        // Not the error itself: it may quote the person.
        const reason = error instanceof Unavailable ? error.message : (error as Error).name;
        log.warn({ reason, erasure: withPrefix('erasure', row.id) }, 'an erasure failed; retrying');
      }
    }
  };
  const schedule = repeat({
    task: () => backend.tryWithLock('erasures', runAll),
    firstMs: EVERY_MS,
    restMs: EVERY_MS,
    onError: (error) => log.warn({ err: error }, 'looking for erasures failed; retrying'),
  });
  return {
    create: (call: Call<'createErasure'>): Promise<Answer> => create(deps, call),
    get: (call: Call<'getErasure'>): Promise<Answer> => get(deps, call),
    start: schedule.start,
    stop: schedule.stop,
  };
};
export type Erasures = ReturnType<typeof makeErasures>;
