import type { AnchorPlace } from '../backend/anchor-place.ts';
import { type Backend, Unavailable } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { type Heads, readAnchor, writeAnchor } from './anchor.ts';
import type { Position } from './chain.ts';
import { hasAnchored, insertAnchored } from './store.ts';

/**
 * The anchor outside the database: `new` before the first was written, `missing` if it is gone since, `forged` if the
 * service did not write it.
 */
export interface Outside {
  readonly state: 'genuine' | 'new' | 'missing' | 'forged';
  readonly heads: Heads;
}

const NO_HEADS: Heads = new Map();

interface AnchorsDeps {
  readonly backend: Backend;
  readonly place: AnchorPlace;
  readonly seal: Seal;
  readonly clock: () => number;
}

/**
 * The newest entry of each tenant, as this process knows it: those it wrote, and those in the anchor outside the
 * database. Knowledge only grows, so a database that goes back to an older state is noticed.
 */
export const makeAnchors = ({ backend, place, seal, clock }: AnchorsDeps) => {
  const known = new Map<number, Position>();
  let hasRead = false;

  const learn = (tenant: number, position: Position): void => {
    if (position.number > (known.get(tenant)?.number ?? 0)) known.set(tenant, position);
  };

  const readPlace = async (): Promise<Outside> => {
    let text: string | undefined;
    try {
      text = await place.read();
    } catch (error) {
      throw new Unavailable('the anchor of the audit log cannot be read', { cause: error });
    }
    if (text === undefined)
      return { state: (await hasAnchored(backend, place.name)) ? 'missing' : 'new', heads: NO_HEADS };
    const heads = readAnchor(seal, text);
    return heads === undefined ? { state: 'forged', heads: NO_HEADS } : { state: 'genuine', heads };
  };

  return {
    /** The newest entry of a tenant that this process knows of. */
    of: (tenant: number): Position | undefined => known.get(tenant),
    tenants: (): readonly number[] => [...known.keys()],
    learn,
    /** Whether this process has read the anchor before. It can then replace one that was lost. */
    hasRead: (): boolean => hasRead,
    read: async (): Promise<Outside> => {
      const outside = await readPlace();
      for (const [tenant, position] of outside.heads) learn(tenant, position);
      if (outside.state === 'genuine') hasRead = true;
      return outside;
    },
    write: async (heads: Heads): Promise<void> => {
      await place.write(writeAnchor(seal, clock(), heads));
      hasRead = true;
      if (!(await hasAnchored(backend, place.name))) await backend.write([insertAnchored(place.name, clock())]);
    },
  };
};
export type Anchors = ReturnType<typeof makeAnchors>;
