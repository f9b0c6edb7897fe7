import type { DatabaseSync } from 'node:sqlite';
import { type EntityKind, hash48, kindIndex } from '@portcullis/engine';

const BITS = 2 ** 25;
const PROBES = 4;
const CHUNK = 500;
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

  const start = (tenant: number, kind: number, hash: number): number =>
    Math.imul(tenant * 8 + kind + 1, 0x9e3779b1) ^ hash;
  const step = (hash: number): number => Math.imul(Math.floor(hash / 0x1_0000_0000) + 1, 0x85ebca6b) | 1;

  const add = (tenant: number, kind: number, hash: number): void => {
    let bit = start(tenant, kind, hash);
    const by = step(hash);
    for (let i = 0; i < PROBES; i++, bit += by) {
      const at = bit & (BITS - 1);
      words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
    }
  };

  const next = database.prepare(
    'SELECT tenant, entity FROM entities WHERE (tenant, entity) > (?, ?) ORDER BY tenant, entity LIMIT ?',
  );
  const fill = (afterTenant: number, afterEntity: string): void => {
    const rows = next.all(afterTenant, afterEntity, CHUNK) as unknown as { tenant: number; entity: string }[];
    for (const { tenant, entity } of rows) {
      const colon = entity.indexOf(':');
      add(tenant, kindIndex[entity.slice(0, colon) as EntityKind], hash48(entity.slice(colon + 1)));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) complete = true;
    else {
      timer = setTimeout(fill, PAUSE_MS, last.tenant, last.entity);
      timer.unref();
    }
  };
  fill(-1, '');

  return {
    add,
    neverSeen: (tenant: number, kind: number, hash: number): boolean => {
      if (!complete) return false;
      let bit = start(tenant, kind, hash);
      const by = step(hash);
      for (let i = 0; i < PROBES; i++, bit += by) {
        const at = bit & (BITS - 1);
        if (((words[at >>> 5] as number) & (1 << (at & 31))) === 0) return true;
      }
      return false;
    },
    close: (): void => clearTimeout(timer),
  };
};
