import type { DatabaseSync } from 'node:sqlite';
import { TWO_32 } from '@portcullis/engine';
import { shelfId } from './counters-file.ts';

const BITS = 2 ** 25;
const PROBES = 4;
const CHUNK = 1000;
const PAUSE_MS = 10;

/**
 * Tells most entities that were never seen without asking the disk (a Bloom filter of 4 MiB: at three million entities it is wrong for
 * one in sixty, which are then looked for). Attackers bring new addresses and devices by the thousand, so this is a common case. It is
 * filled in the background after a start and says nothing until it is complete.
 */
export const makeEntityFilter = (database: DatabaseSync) => {
  const words = new Uint32Array(BITS / 32);
  let complete = false;
  let timer: NodeJS.Timeout | undefined;

  const start = (tenant: number, key: number): number => Math.imul(tenant + 1, 0x9e3779b1) ^ key;
  const step = (key: number): number => Math.imul(Math.floor(key / TWO_32) + 1, 0x85ebca6b) | 1;

  const add = (tenant: number, key: number): void => {
    let bit = start(tenant, key);
    const by = step(key);
    for (let i = 0; i < PROBES; i++, bit += by) {
      const at = bit & (BITS - 1);
      words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
    }
  };

  const nextEntities = database.prepare(
    'SELECT tenant, key FROM entities WHERE (tenant, key) > (?, ?) ORDER BY tenant, key LIMIT ?',
  );
  const nextShelves = database.prepare('SELECT tenant, shelf FROM shelves WHERE shelf > ? ORDER BY shelf LIMIT ?');
  nextEntities.setReturnArrays(true);
  nextShelves.setReturnArrays(true);
  type Row = [tenant: number, key: number];
  const later = (work: () => void): void => {
    timer = setTimeout(work, PAUSE_MS);
    timer.unref();
  };
  const fillFromShelves = (after: number): void => {
    const rows = nextShelves.all(after, CHUNK) as unknown as Row[];
    for (const [tenant, shelf] of rows) add(tenant, shelfId(tenant, shelf));
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) complete = true;
    else later(() => fillFromShelves(last[1]));
  };
  const fillFromEntities = (afterTenant: number, afterKey: number): void => {
    const rows = nextEntities.all(afterTenant, afterKey, CHUNK) as unknown as Row[];
    for (const [tenant, key] of rows) add(tenant, key);
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) fillFromShelves(-1);
    else later(() => fillFromEntities(...last));
  };
  fillFromEntities(-1, -1);

  return {
    add,
    neverSeen: (tenant: number, key: number): boolean => {
      if (!complete) return false;
      let bit = start(tenant, key);
      const by = step(key);
      for (let i = 0; i < PROBES; i++, bit += by) {
        const at = bit & (BITS - 1);
        if (((words[at >>> 5] as number) & (1 << (at & 31))) === 0) return true;
      }
      return false;
    },
    close: (): void => clearTimeout(timer),
  };
};
