import type { Family, Words } from './address.ts';
import { findV4, findV6, type Ranges } from './ranges.ts';
import { readTable } from './table-file.ts';

export interface Networks {
  readonly built: string;
  /** The network of an address, its number and kind packed into one integer; 0 if unknown. */
  networkAt(family: Family, words: Words): number;
}

/** `scripts/knowledge-ranges.ts` packs the kind above 22 bits of network number. */
const NUMBER_BITS = 22;
export const asnOf = (network: number): number => network & ((1 << NUMBER_BITS) - 1);
export const isHosting = (network: number): boolean => ((network >>> NUMBER_BITS) & 1) === 1;
export const isVpn = (network: number): boolean => ((network >>> NUMBER_BITS) & 2) === 2;

export const readNetworks = (path: URL): Networks => {
  const { built, columns } = readTable(path);
  const table = columns as unknown as Ranges & {
    v4Low: Uint16Array;
    v4High: Uint8Array;
    v6Low: Uint16Array;
    v6High: Uint8Array;
  };
  const { v4Low, v4High, v6Low, v6High } = table;
  return {
    built,
    networkAt(family, words) {
      const first = words[0] as number;
      if (family === 4) {
        const at = findV4(table, first);
        return (v4High[at] as number) * 65_536 + (v4Low[at] as number);
      }
      const at = findV6(table, first, words[1] as number);
      return (v6High[at] as number) * 65_536 + (v6Low[at] as number);
    },
  };
};
