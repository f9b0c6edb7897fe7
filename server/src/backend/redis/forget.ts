import { randomBytes } from 'node:crypto';
import { isOfUsersAlone, kindIndex, makeArena } from '@portcullis/engine';
import { firstSeqAt } from '../../runtime/ids.ts';
import { type Backend, Unavailable } from '../backend.ts';
import type { EntityIdentity } from '../counters.ts';
import type { RestoreSubject } from '../journal.ts';
import { journalBetween } from '../journal-pages.ts';
import type { BacklogRegistry } from './backlog-registry.ts';
import type { RedisClient } from './client.ts';
import type { Identified, Keys } from './keys.ts';
import { DURABLE_MS, MAX_WORDS, recordSizeOf } from './rebuild.ts';
import { encodeSeq, type IsSettled, readHistory } from './record.ts';
import { makeStaging } from './staging.ts';

export interface Forgetter {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly restore: RestoreSubject;
  readonly journal: Pick<Backend, 'read'>;
  readonly backlogRegistry: BacklogRegistry;
  readonly isSettled: IsSettled;
  readonly clock: () => number;
}

const identified = ({ kind, key, check }: EntityIdentity): Identified => {
  const [hashes, checks]: [number[], number[]] = [[], []];
  hashes[kind] = key;
  checks[kind] = check;
  return { hashes, checks };
};

/** Whether the history under a key is to be deleted. */
const isAlone = async (
  { redis, isSettled }: Forgetter,
  liveKey: string,
  identity: EntityIdentity,
  users: readonly EntityIdentity[],
): Promise<boolean> => {
  if (identity.kind === kindIndex.user)
    return users.some(({ key, check }) => key === identity.key && check === identity.check);
  const value = await redis.send((client) => client.getBuffer(liveKey));
  if (value === null) return false;
  const arena = makeArena(2 ** 12);
  const group = readHistory(arena, identity.kind, value, isSettled, () => {});
  const keys = users.map(({ key }) => key);
  return group !== 0 && isOfUsersAlone(arena, group, 0, identity.kind, keys);
};

/** Puts what the entities did after a number under staging keys. */
const stageLater = async (
  forgetter: Forgetter,
  run: string,
  only: ReadonlySet<string>,
  after: number,
  upTo: number,
) => {
  const { redis, keys, restore, journal } = forgetter;
  const staging = makeStaging(redis, keys, restore, run, MAX_WORDS);
  for await (const page of journalBetween(journal, after, upTo)) await staging.fold(page, only);
  await staging.stage();
};

/** Replaces a history by what is staged for it; deletes it where nothing is. Records that are newer stay. */
const replace = async ({ redis, keys }: Forgetter, run: string, liveKey: string, upTo: number): Promise<void> => {
  const args = [encodeSeq(upTo), String(recordSizeOf(liveKey))];
  const staged = keys.staging(run, liveKey);
  const isStaged = (await redis.send((client) => client.exists(staged))) === 1;
  if (isStaged) await redis.runScript('restore', [liveKey, staged], [...args, '1']);
  else await redis.runScript('forget', [liveKey], args);
};

/**
 * See `Counters.forget`. A process that holds updates which Redis has not received would bring a deleted history back,
 * so it waits for them.
 */
export const forgetEntities = async (
  forgetter: Forgetter,
  tenant: number,
  entities: readonly EntityIdentity[],
  users: readonly EntityIdentity[],
  after: number,
): Promise<boolean[]> => {
  const { keys, clock, backlogRegistry } = forgetter;
  const holders = await backlogRegistry.findEnded(Number.MAX_SAFE_INTEGER);
  if (holders.length > 0) throw new Unavailable('Redis has not received all updates yet');
  const liveKeys = entities.map((identity) => keys.history(tenant, identity.kind, identified(identity)));
  const alone: boolean[] = [];
  for (const [i, identity] of entities.entries())
    alone.push(await isAlone(forgetter, liveKeys[i] as string, identity, users));
  const removed = entities.flatMap((identity, i) => {
    if (!alone[i]) return [];
    const isUser = identity.kind === kindIndex.user;
    return [liveKeys[i] as string, ...(isUser ? [keys.profile(tenant, identified(identity))] : [])];
  });
  if (removed.length === 0) return alone;
  const upTo = Math.max(after, firstSeqAt(clock() - DURABLE_MS));
  const run = `r${randomBytes(4).toString('hex')}`;
  await stageLater(forgetter, run, new Set(removed), after, upTo);
  for (const liveKey of removed) await replace(forgetter, run, liveKey, upTo);
  return alone;
};
