import { ENTITY_KINDS } from '@portcullis/engine';
import type { Entry, Shelf } from './shelf.ts';

/** Shelves in memory, found by any entity on them; the least recently used leave when `maxBytes` is exceeded. */
export const makeShelfCache = (maxBytes: number) => {
  const tenants = new Map<number, Map<string, Entry>[]>();
  let newest: Shelf | undefined;
  let oldest: Shelf | undefined;
  let bytes = 0;
  let count = 0;

  const entriesOf = (tenant: number): Map<string, Entry>[] => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    const maps = ENTITY_KINDS.map(() => new Map<string, Entry>());
    tenants.set(tenant, maps);
    return maps;
  };
  const unlink = (shelf: Shelf): void => {
    if (shelf.newer === undefined) newest = shelf.older;
    else shelf.newer.older = shelf.older;
    if (shelf.older === undefined) oldest = shelf.newer;
    else shelf.older.newer = shelf.newer;
    shelf.newer = undefined;
    shelf.older = undefined;
  };
  const linkNewest = (shelf: Shelf): void => {
    shelf.older = newest;
    if (newest !== undefined) newest.newer = shelf;
    newest = shelf;
    oldest ??= shelf;
  };
  const touch = (shelf: Shelf): void => {
    if (shelf === newest) return;
    unlink(shelf);
    linkNewest(shelf);
  };

  return {
    get: (tenant: number, kind: number, value: string): Entry | undefined => {
      const entry = entriesOf(tenant)[kind]?.get(value);
      if (entry !== undefined) touch(entry.shelf);
      return entry;
    },
    addEntry: (entry: Entry): void => {
      entriesOf(entry.shelf.tenant)[entry.kind]?.set(entry.value, entry);
    },
    addShelf: (shelf: Shelf): void => {
      for (const entry of shelf.entries) entriesOf(shelf.tenant)[entry.kind]?.set(entry.value, entry);
      linkNewest(shelf);
      bytes += shelf.bytes;
      count++;
    },
    resize: (shelf: Shelf, size: number): void => {
      bytes += size - shelf.bytes;
      shelf.bytes = size;
    },
    /** What is not on disk yet, or only on its way there, must stay: reading it back would lose counts. */
    evict: (): void => {
      for (let tries = 64; bytes > maxBytes && oldest !== undefined && tries > 0; tries--) {
        const shelf = oldest;
        if (shelf.dirtySince > 0 || shelf.flying) {
          touch(shelf);
          continue;
        }
        unlink(shelf);
        bytes -= shelf.bytes;
        count--;
        const maps = entriesOf(shelf.tenant);
        for (const { kind, value } of shelf.entries) maps[kind]?.delete(value);
      }
    },
    clear: (): void => {
      tenants.clear();
      newest = undefined;
      oldest = undefined;
      bytes = 0;
      count = 0;
    },
    size: () => ({ bytes, count }),
  };
};
export type ShelfCache = ReturnType<typeof makeShelfCache>;
