import type { Links } from '@portcullis/contract';
import type { SearchDeps } from './prepare-search.ts';
import type { ItemRange } from './query-store.ts';
import { ENTITY_TERMS, type EntityTerm, NO_ENTITY, unpackTerms } from './terms.ts';
import { type EntityItem, readItems } from './user-store.ts';

/** Items of a node that are read: enough for its figures, and one short read. */
const LOOKED_AT = 300;
/** An entity of more users than this is a hub. */
const HUB_USERS = 20;
const BUDGET_MS = 250;
/** The first node is worth a longer wait: without it, there is nothing to show. */
const FIRST_MS = 2000;

/** What a user is linked through. A network is shared by strangers. */
const LINKED: readonly EntityTerm[] = ['device', 'fingerprint', 'email', 'ip', 'counterparty'];
const USERS: readonly EntityTerm[] = ['user'];

interface Place {
  readonly entity: EntityTerm;
  readonly term: number;
}
export interface Node extends Place {
  readonly hops: number;
  readonly items: number;
  readonly users: number;
  readonly fraud: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest item that has it. */
  readonly newest: number;
  readonly isHub: boolean;
}
export interface Edge {
  readonly user: Node;
  readonly entity: Node;
  readonly items: number;
  readonly lastAt: number;
}
export interface Drawn {
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly cut: Links['cut'];
}

/** A neighbour that is known from the items of a node. */
interface Neighbour extends Place {
  items: number;
  lastAt: number;
}
const keyOf = ({ entity, term }: Place): string => `${entity} ${term}`;

/** The neighbours in a node's items, the most frequent first. Items come newest first. */
const neighboursIn = (items: readonly EntityItem[], kinds: readonly EntityTerm[]): Neighbour[] => {
  const found = new Map<string, Neighbour>();
  for (const { at, terms } of items) {
    const places = unpackTerms(terms);
    for (const entity of kinds) {
      const term = places[ENTITY_TERMS.indexOf(entity)] as number;
      if (term === NO_ENTITY) continue;
      const known = found.get(keyOf({ entity, term }));
      if (known === undefined) found.set(keyOf({ entity, term }), { entity, term, items: 1, lastAt: at });
      else {
        known.items++;
        known.lastAt = Math.max(known.lastAt, at);
      }
    }
  }
  return [...found.values()].sort((a, b) => b.items - a.items || b.lastAt - a.lastAt);
};

const inspect = (place: Place, hops: number, items: readonly EntityItem[], users: number): Node => {
  const times = items.map(({ at }) => at);
  return {
    ...place,
    hops,
    items: items.length,
    users,
    fraud: items.filter(({ label }) => label === 'fraud').length,
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
    newest: (items[0] as EntityItem).seq,
    isHub: users > HUB_USERS,
  };
};

/** What was read, or undefined if it is not there in time. The store ends a read that takes too long by itself. */
const inTime = async <Rows>(reading: Promise<Rows>, ms: number): Promise<Rows | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  // It may fail after its time.
  reading.catch(() => {});
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
};

/**
 * Draws what is linked to the start, the nearest first, until it has `limit` nodes or its time is over. Every node is
 * inspected, so that its figures and whether it is a hub are known. Users of a hub are not followed, except from the
 * start itself.
 */
export const draw = async (
  { search, monotonic }: Pick<SearchDeps, 'search' | 'monotonic'>,
  tenant: number,
  range: ItemRange,
  start: Place,
  hops: number,
  limit: number,
): Promise<Drawn> => {
  const end = monotonic() + BUDGET_MS;
  const cut = new Set<Links['cut'][number]>();
  const nodes = new Map<string, Node>();
  const links: { from: Node; to: Neighbour }[] = [];
  const queued = new Set([keyOf(start)]);
  const queue: { place: Place; hops: number }[] = [{ place: start, hops: 0 }];
  for (const { place, hops: distance } of queue) {
    if (nodes.size === limit) cut.add('nodes');
    if (nodes.size > 0 && monotonic() >= end) cut.add('time');
    if (cut.has('nodes') || cut.has('time')) break;
    const reading = readItems(search, { tenant, term: place.term, range, limit: LOOKED_AT });
    const items = await inTime(reading, nodes.size === 0 ? FIRST_MS : Math.max(0, end - monotonic()));
    if (items === undefined) {
      cut.add('time');
      break;
    }
    if (items.length === 0) continue;
    if (items.length === LOOKED_AT) cut.add('items');
    const neighbours = neighboursIn(items, place.entity === 'user' ? LINKED : USERS);
    const node = inspect(place, distance, items, place.entity === 'user' ? 1 : neighbours.length);
    nodes.set(keyOf(place), node);
    for (const to of neighbours) links.push({ from: node, to });
    if (distance === hops) continue;
    if (node.isHub && distance > 0) {
      cut.add('hubs');
      continue;
    }
    for (const to of neighbours.filter((one) => !queued.has(keyOf(one)))) {
      queued.add(keyOf(to));
      queue.push({ place: { entity: to.entity, term: to.term }, hops: distance + 1 });
    }
  }
  return { nodes: [...nodes.values()], edges: edgesOf(nodes, links), cut: [...cut].sort() };
};

/** The links whose two ends are nodes, once each. Both ends may know a link; the one with more items knows it better. */
const edgesOf = (
  nodes: ReadonlyMap<string, Node>,
  links: readonly { readonly from: Node; readonly to: Neighbour }[],
): Edge[] => {
  const edges = new Map<string, Edge>();
  for (const { from, to } of links) {
    const other = nodes.get(keyOf(to));
    if (other === undefined) continue;
    const [user, entity] = from.entity === 'user' ? [from, other] : [other, from];
    const key = `${keyOf(user)} ${keyOf(entity)}`;
    const known = edges.get(key);
    if (known === undefined || known.items < to.items)
      edges.set(key, { user, entity, items: to.items, lastAt: to.lastAt });
  }
  return [...edges.values()];
};
