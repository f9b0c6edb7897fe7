import {
  decodeProfile,
  type Facts,
  type IdentitiesOf,
  kindIndex,
  measureEntity,
  type Profile,
} from '@portcullis/engine';
import { Unavailable } from '../backend.ts';
import { findEntity, type Histories, LOST } from './find-entity.ts';
import { evict, indexOf, slotOf } from './history-cache.ts';

/** Returns the profile of a user and fills `facts` with the facts of the user; undefined for an unknown user. */
export const readUser = (
  histories: Histories,
  identities: IdentitiesOf,
  tenant: number,
  userId: string,
  now: number,
  facts: Facts,
): Profile | undefined => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identities(tenant)(kindIndex.user, userId, keys, checks);
  const { cache } = histories;
  const entity = findEntity(histories, tenant, kindIndex.user, keys[kindIndex.user] as number, checks[0] as number);
  if (entity === LOST) throw new Unavailable('the history of the user is damaged and is being rebuilt');
  if (entity === 0) return undefined;
  const { arena, columns } = cache;
  const block = columns.block[slotOf(entity)] as number;
  measureEntity(arena, block, indexOf(entity), kindIndex.user, now, facts);
  const profile = decodeProfile(arena, block);
  evict(cache);
  return profile;
};
