import type { AnchorPlace } from '../backend/anchor-place.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Position } from './chain.ts';

/** The newest entry of each tenant. */
export type Heads = ReadonlyMap<number, Position>;

type Row = readonly [tenant: number, number: number, hash: string];
interface Anchor {
  readonly at: number;
  readonly heads: readonly Row[];
  readonly seal: string;
}

const partsOf = (at: number, heads: readonly Row[]): (string | number)[] => ['anchor', at, JSON.stringify(heads)];

/** The anchor as text. The seal covers all tenants together: none of them can be left out or replaced alone. */
export const writeAnchor = (seal: Seal, at: number, heads: Heads): string => {
  const rows = [...heads].map(([tenant, { number, hash }]): Row => [tenant, number, hash]).sort(([a], [b]) => a - b);
  return `${JSON.stringify({ at, heads: rows, seal: seal.chain(partsOf(at, rows)) } satisfies Anchor)}\n`;
};

/** Undefined for a text that the service did not write, or signed with a key that is retired now. */
export const readAnchor = (seal: Seal, text: string): Heads | undefined => {
  try {
    const { at, heads, seal: found } = JSON.parse(text) as Anchor;
    if (!seal.isLiveChain(partsOf(at, heads), found)) return undefined;
    return new Map(heads.map(([tenant, number, hash]) => [tenant, { number, hash }]));
  } catch {
    return undefined;
  }
};

/** Signs the anchor with the current version of the data key. A forged one stays as it is. */
export const resignAnchor = async (place: AnchorPlace, seal: Seal, now: number): Promise<void> => {
  const text = await place.read();
  const heads = text === undefined ? undefined : readAnchor(seal, text);
  if (heads !== undefined) await place.write(writeAnchor(seal, now, heads));
};
