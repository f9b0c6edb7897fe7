import { ENTITY_KINDS, type History, newProfile, type Profile } from '@portcullis/engine';

/** One entity on a shelf: a user, an address, a device… with its history. */
export interface Entry {
  readonly kind: number;
  readonly value: string;
  history: History;
  readonly shelf: Shelf;
}

/**
 * The histories of entities that were first seen together, kept in one row: a screening of a known user then reads and writes
 * one row where seven would each cost a page of the log. The first entry of a user's shelf is that user.
 */
export interface Shelf {
  readonly id: number;
  readonly tenant: number;
  readonly entries: Entry[];
  /** JSON of kinds and values of `entries`, made when first needed after an entry was added. */
  names: string | undefined;
  /** Of the user, if the shelf has one: as JSON while nobody needs it, because the objects take four times the room. */
  profile: Profile | string | undefined;
  /** The last screening that is in the row on disk. */
  through: number;
  /** How many of `entries` the index on disk knows. */
  indexed: number;
  /** The first screening that is not in the row on disk; 0 when all are. */
  dirtySince: number;
  /** Whether a write of it is under way. */
  flying: boolean;
  bytes: number;
  newer: Shelf | undefined;
  older: Shelf | undefined;
}

/** A shelf with more would make every write of its hot entity carry the cold ones along. */
export const SHELF_MAX_ENTRIES = 8;

export const newShelf = (id: number, tenant: number): Shelf => ({
  id,
  tenant,
  entries: [],
  names: undefined,
  profile: undefined,
  through: 0,
  indexed: 0,
  dirtySince: 0,
  flying: false,
  bytes: 0,
  newer: undefined,
  older: undefined,
});

const ENTRY_BYTES = 250;
const PROFILE_BYTES = 2000;
/** A close enough guess of what it takes in memory, from heap sizes measured with tens of thousands of shelves. */
export const shelfBytes = (shelf: Shelf): number => {
  const { profile } = shelf;
  let bytes = profile === undefined ? 300 : typeof profile === 'string' ? 400 + profile.length : PROFILE_BYTES;
  for (const { history } of shelf.entries) bytes += ENTRY_BYTES + 8 * history.length;
  return bytes;
};

/** The profile of the shelf's user, to be read and changed. Made at `at` when there is none. */
export const profileOf = (shelf: Shelf, at: number): Profile => {
  if (typeof shelf.profile === 'string') shelf.profile = JSON.parse(shelf.profile) as Profile;
  shelf.profile ??= newProfile(at);
  return shelf.profile;
};

/** As the index and the shelf's row name an entity. */
export const entityName = (kind: number, value: string): string => `${ENTITY_KINDS[kind]}:${value}`;

/** A row of the table, in the order it is selected. */
export type ShelfRow = readonly [
  shelf: number,
  tenant: number,
  through: number,
  entities: string,
  histories: Uint8Array,
  profile: string | null,
];
export const SHELF = 0;

/** Each history after its length, as doubles. */
const writeHistories = (entries: readonly Entry[]): Uint8Array => {
  let size = entries.length;
  for (const { history } of entries) size += history.length;
  const numbers = new Float64Array(size);
  let at = 0;
  for (const { history } of entries) {
    numbers[at++] = history.length;
    for (let i = 0; i < history.length; i++) numbers[at++] = history[i] as number;
  }
  return new Uint8Array(numbers.buffer);
};

// A list that grew by `push` holds room for half as many again; one cut from another holds what it needs.
const scratch: number[] = [];
const readHistory = (numbers: Float64Array, at: number, length: number): History => {
  while (scratch.length < length) scratch.push(0.5);
  for (let i = 0; i < length; i++) scratch[i] = numbers[at + i] as number;
  return scratch.slice(0, length);
};

/** The shelf as it is stored. What memory holds of it shrinks to what it needs: most are not touched again for long. */
export const writeShelf = (shelf: Shelf): { entities: string; histories: Uint8Array; profile: string | null } => {
  shelf.names ??= JSON.stringify(shelf.entries.map(({ kind, value }) => [kind, value]));
  if (typeof shelf.profile === 'object') shelf.profile = JSON.stringify(shelf.profile);
  const histories = writeHistories(shelf.entries);
  for (const entry of shelf.entries) entry.history = entry.history.slice();
  return { entities: shelf.names, histories, profile: shelf.profile ?? null };
};

export const readShelf = (row: ShelfRow): Shelf => {
  const [id, tenant, through, entities, histories, profile] = row;
  const shelf = newShelf(id, tenant);
  const { buffer, byteOffset, byteLength } = histories;
  // Doubles must lie at a multiple of eight; the driver promises no such thing.
  const aligned = byteOffset % 8 === 0 ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  const numbers = new Float64Array(aligned, byteOffset % 8 === 0 ? byteOffset : 0, byteLength / 8);
  let at = 0;
  for (const [kind, value] of JSON.parse(entities) as [number, string][]) {
    const length = numbers[at++] as number;
    shelf.entries.push({ kind, value, history: readHistory(numbers, at, length), shelf });
    at += length;
  }
  shelf.names = entities;
  shelf.through = through;
  shelf.indexed = shelf.entries.length;
  shelf.profile = profile ?? undefined;
  shelf.bytes = shelfBytes(shelf);
  return shelf;
};
