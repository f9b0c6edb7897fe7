import type { ErasureCounts } from '@portcullis/contract';
import type { MetadataValue } from '../models/erase.ts';
import type { PersonName } from '../search/person.ts';
import type { Seal } from '../secrets/seal.ts';
import type { ErasureRow } from './store.ts';

/** What an erasure has to remember until it is done. It names the person, so it is stored encrypted. */
export interface ErasureState extends PersonName {
  /** Items up to this number are erased. */
  readonly after: number;
  /** Whether everything is erased, and only former content is left in files. */
  readonly isErased?: boolean;
  /** Metadata of the erased items that models know. */
  readonly metadata: readonly MetadataValue[];
  /** User ids of the erased items. */
  readonly users: readonly string[];
  /** Values that belong only to the person, to be found in texts. */
  readonly values: readonly string[];
}

const contextOf = (id: string): string => `erasure ${id}`;

export const sealState = (seal: Seal, id: string, state: ErasureState): Uint8Array =>
  seal.seal(JSON.stringify(state), contextOf(id));
export const openState = (seal: Seal, { id, sealed }: ErasureRow): ErasureState =>
  JSON.parse(seal.open(sealed as Uint8Array, contextOf(id))) as ErasureState;

export const NO_COUNTS: ErasureCounts = {
  screenings: 0,
  cases: 0,
  reviews: 0,
  labels: 0,
  histories: 0,
  deliveries: 0,
  list_entries: 0,
  responses: 0,
  audit_entries: 0,
};

export const addCounts = (counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts => {
  const added = { ...counts };
  for (const [name, count] of Object.entries(more) as [keyof ErasureCounts, number][]) added[name] += count;
  return added;
};
