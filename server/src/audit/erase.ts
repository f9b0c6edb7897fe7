import type { Backend } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { continues, erasureOf, NO_ENTRY } from './chain.ts';
import { type AuditRow, entriesAfter, replaceValues } from './store.ts';

const PAGE_ROWS = 100;
const ERASED = '[erased]';

/** Replaces every text that names the person. */
const withoutPerson = (value: unknown, names: (text: string) => boolean): unknown => {
  if (typeof value === 'string') return names(value) ? ERASED : value;
  if (Array.isArray(value)) return value.map((one) => withoutPerson(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutPerson(one, names)]));
};

/**
 * Takes a person out of the values of a log. Each changed entry is signed as erased, after it was verified: the log stays
 * intact. An entry that was tampered with stays as it is, so that the check still finds it. Returns how many changed.
 */
export const eraseFromLog = async (
  { backend, seal }: { readonly backend: Backend; readonly seal: Seal },
  tenant: number,
  names: (text: string) => boolean,
): Promise<number> => {
  let count = 0;
  let previous = NO_ENTRY;
  for (let last = 0; ; ) {
    const { rows, hasMore } = await entriesAfter(backend, tenant, last, PAGE_ROWS);
    for (const row of rows) {
      const erase = (text: string): string => JSON.stringify(withoutPerson(JSON.parse(text), names));
      const changed = { ...row, before: erase(row.before), after: erase(row.after) };
      const isNamed = changed.before !== row.before || changed.after !== row.after;
      if (isNamed && continues(seal, tenant, previous, row)) {
        await backend.write([
          replaceValues(tenant, { ...changed, erased: erasureOf(seal, tenant, previous, changed) }),
        ]);
        count++;
      }
      previous = row.hash;
    }
    if (!hasMore) return count;
    last = (rows.at(-1) as AuditRow).number;
  }
};
