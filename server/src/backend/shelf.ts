import { ENTITY_KINDS, type History, historySize, type Profile, readHistory, writeHistory } from '@portcullis/engine';

/** One entity on a shelf: a user, an address, a device… with its history. */
export interface Entry {
  readonly kind: number;
  readonly value: string;
  readonly history: History;
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
  profile: Profile | undefined;
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
const PROFILE_BYTES = 1500;
/** A close enough guess of what it takes in memory. */
export const shelfBytes = (shelf: Shelf): number => {
  let bytes = shelf.profile === undefined ? 100 : PROFILE_BYTES;
  for (const { history } of shelf.entries) bytes += ENTRY_BYTES + 8 * historySize(history);
  return bytes;
};

/** As the index and the shelf's row name an entity. */
export const entityName = (kind: number, value: string): string => `${ENTITY_KINDS[kind]}:${value}`;

export interface ShelfRow {
  readonly shelf: number;
  readonly tenant: number;
  readonly through: number;
  readonly entities: string;
  readonly histories: Uint8Array;
  readonly profile: string | null;
}

export const writeShelf = (shelf: Shelf): { entities: string; histories: Uint8Array; profile: string | null } => {
  let size = 0;
  for (const { history } of shelf.entries) size += historySize(history);
  const numbers = new Float64Array(size);
  let at = 0;
  for (const { history } of shelf.entries) at = writeHistory(history, numbers, at);
  return {
    entities: JSON.stringify(shelf.entries.map(({ kind, value }) => [kind, value])),
    histories: new Uint8Array(numbers.buffer),
    profile: shelf.profile === undefined ? null : JSON.stringify(shelf.profile),
  };
};

export const readShelf = (row: ShelfRow): Shelf => {
  const shelf = newShelf(row.shelf, row.tenant);
  const numbers = new Float64Array(row.histories.slice().buffer);
  let at = 0;
  for (const [kind, value] of JSON.parse(row.entities) as [number, string][]) {
    const history = readHistory(numbers, at);
    at += historySize(history);
    shelf.entries.push({ kind, value, history, shelf });
  }
  shelf.through = row.through;
  shelf.indexed = shelf.entries.length;
  shelf.profile = row.profile === null ? undefined : (JSON.parse(row.profile) as Profile);
  shelf.bytes = shelfBytes(shelf);
  return shelf;
};
