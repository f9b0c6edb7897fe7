import {
  type Arena,
  decodeProfile,
  type Facts,
  firstAt,
  historyAt,
  type IdentitiesOf,
  kindIndex,
  LAST_AT,
  measureEntity,
  newEntityGroup,
  newProfile,
  type Profile,
} from '@portcullis/engine';
import { Unavailable } from '../backend.ts';
import type { RedisClient } from './client.ts';
import { type Completeness, isPartial } from './completeness.ts';
import { RedisUnavailable } from './connection.ts';
import type { Keys } from './keys.ts';
import { readProfile } from './profile.ts';
import { type IsSettled, readHistory } from './record.ts';

/** A person waits for a profile, and can wait longer than a screening. */
const READ_MS = 1000;

export interface UserReader {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly completeness: Completeness;
  readonly identities: IdentitiesOf;
  /** Cleared by every read. */
  readonly arena: Arena;
  readonly isSettled: IsSettled;
  /** A value cannot be read. */
  readonly onDamaged: (key: string, value: Buffer) => void;
}

/** The profile of a user whose first screening is counted but not stored yet. */
const emptyProfile = (arena: Arena, first: number, last: number): Profile => {
  const profile = decodeProfile(arena, newProfile(arena, newEntityGroup(arena), first));
  return { ...profile, lastAt: last };
};

/** Reads a value, or reports it as damaged. */
const readOrReport = ({ onDamaged }: UserReader, key: string, value: Buffer, read: () => number): number => {
  try {
    return read();
  } catch {
    onDamaged(key, value);
    throw new Unavailable('a history of the user is damaged and is being rebuilt');
  }
};

/** A value and its key. */
type Stored<Value> = readonly [key: string, value: Value];

const parse = (
  reader: UserReader,
  [historyKey, history]: Stored<Buffer>,
  [profileKey, profile]: Stored<Buffer | null>,
  lostAt: number | undefined,
  now: number,
  facts: Facts,
): Profile => {
  const { arena, isSettled } = reader;
  arena.clear();
  const group = readOrReport(reader, historyKey, history, () =>
    readHistory(arena, kindIndex.user, history, isSettled, () => {}),
  );
  const at = historyAt(arena, group, 0);
  if (isPartial(lostAt, firstAt(arena, at))) throw new Unavailable(LOST);
  measureEntity(arena, group, 0, kindIndex.user, now, facts);
  if (profile === null) return emptyProfile(arena, firstAt(arena, at), arena.f64[at + LAST_AT] as number);
  const read = (): number => readProfile(arena, profile, isSettled, () => {});
  return decodeProfile(arena, readOrReport(reader, profileKey, profile, read));
};

const LOST = 'histories were lost and are not rebuilt yet';

/** Reads the profile of a user, and fills `facts` from their history. Undefined when the user was never seen. */
export const readUser = async (
  reader: UserReader,
  tenant: number,
  userId: string,
  now: number,
  facts: Facts,
): Promise<Profile | undefined> => {
  const { redis, keys, completeness, identities } = reader;
  const user = { hashes: [] as number[], checks: [] as number[] };
  identities(tenant)(kindIndex.user, userId, user.hashes, user.checks);
  const [historyKey, profileKey] = [keys.history(tenant, kindIndex.user, user), keys.profile(tenant, user)];
  try {
    if (!redis.canReach(historyKey)) throw new RedisUnavailable('Redis does not answer');
    const [[history, profile], lostAt] = await Promise.all([
      redis.send((client) => client.mgetBuffer([historyKey, profileKey]), READ_MS),
      completeness.readLossTime(historyKey),
    ]);
    if (history == null && lostAt !== undefined) throw new Unavailable(LOST);
    if (history == null) return undefined;
    return parse(reader, [historyKey, history], [profileKey, profile ?? null], lostAt, now, facts);
  } catch (error) {
    // The client has reported that Redis is unavailable.
    if (error instanceof RedisUnavailable) throw new Unavailable('the histories cannot be read now');
    throw error;
  }
};
