import {
  isIp,
  LINK_KINDS,
  type LinkEdge,
  type LinkKind,
  type LinkNode,
  type Links,
  writeTimestamp,
} from '@portcullis/contract';
import { screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { invalidRequest } from '../validation/errors.ts';
import { FILTERS } from './entity.ts';
import { entitiesIn } from './filter.ts';
import { type Drawn, draw, type Edge, type Node } from './links-graph.ts';
import { nameIn } from './names.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { type EntityTerm, entityTerm } from './terms.ts';

const DEFAULT_LIMIT = 50;

const ENTITIES: Readonly<Record<LinkKind, EntityTerm>> = {
  user: 'user',
  device: 'device',
  ip_address: 'ip',
  email: 'email',
  payment_fingerprint: 'fingerprint',
  counterparty: 'counterparty',
};
const KINDS = new Map(LINK_KINDS.map((kind) => [ENTITIES[kind], kind]));
const kindOf = (entity: EntityTerm): LinkKind => KINDS.get(entity) as LinkKind;

/** The entity that a query begins with, in the spelling in which screening counts it. */
const readStart = (of: string): [EntityTerm, string] => {
  const colon = of.indexOf(':');
  const kind = LINK_KINDS.find((one) => one === of.slice(0, colon));
  const value = of.slice(colon + 1);
  const refuse = (message: string): Error => invalidRequest([{ field: 'of', message }]);
  if (kind === undefined || value === '')
    throw refuse(`must be a kind, a colon and a value, such as user:user_1842. Kinds: ${LINK_KINDS.join(', ')}`);
  if (kind === 'ip_address' && !isIp(value)) throw refuse('must have an IPv4 or IPv6 address after the colon');
  if (kind === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) throw refuse('must have an e-mail address after the colon');
  return entitiesIn({ [FILTERS[kind]]: value })[0] as [EntityTerm, string];
};

const toNode = (node: Node, id: string, value: string): LinkNode => ({
  id,
  kind: kindOf(node.entity),
  value,
  hops: node.hops,
  items: node.items,
  users: node.users,
  confirmed_fraud: node.fraud,
  first_seen_at: writeTimestamp(node.firstAt),
  last_seen_at: writeTimestamp(node.lastAt),
  hub: node.isHub,
});

/** The graph with names, which are read from a screening of each node. A node whose screening is deleted is left out. */
const named = async (
  { backend }: SearchDeps,
  { caller: { tenant }, tagOf }: Call<'getLinks'>,
  { nodes, edges }: Drawn,
): Promise<Pick<Links, 'nodes' | 'edges'>> => {
  const rows = await screeningsByNumber(backend, tenant, [...new Set(nodes.map(({ newest }) => newest))]);
  const shown = new Map<Node, LinkNode>();
  for (const node of nodes) {
    const row = rows.get(node.newest);
    const value = row === undefined ? undefined : nameIn(row, node.entity, tagOf);
    if (value !== undefined) shown.set(node, toNode(node, `${kindOf(node.entity)}:${value}`, value));
  }
  const toEdge = ({ user, entity, items, lastAt }: Edge): LinkEdge[] => {
    const [from, to] = [shown.get(user)?.id, shown.get(entity)?.id];
    return from === undefined || to === undefined ? [] : [{ from, to, items, last_seen_at: writeTimestamp(lastAt) }];
  };
  return { nodes: [...shown.values()], edges: edges.flatMap(toEdge) };
};

export const getLinks = async (deps: SearchDeps, call: Call<'getLinks'>): Promise<Answer> => {
  const { of, hops = 1, limit = DEFAULT_LIMIT } = call.query;
  const { tenant } = call.caller;
  const [entity, name] = readStart(of);
  const { range, as_of } = await prepareSearch(deps, call.caller, {});
  const start = { entity, term: entityTerm(deps.identities, tenant, entity, name) };
  const drawn = await draw(deps, tenant, range, start, hops, limit);
  const links: Links = { ...(await named(deps, call, drawn)), cut: drawn.cut, as_of };
  return call.answer(links);
};
