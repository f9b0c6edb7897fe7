import {
  ENTITY_KINDS,
  type Entity,
  type EntityName,
  isIp,
  isNetwork,
  type ListCheckRequest,
  writeTimestamp,
} from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { knowledgeNow } from '../subjects/subjects.ts';
import { notFound } from '../validation/errors.ts';
import { roundSum } from './figures.ts';
import { entitiesIn } from './filter.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { type EntityTerm, entityTerm } from './terms.ts';
import { entityFigures } from './user-store.ts';

/** Items that the figures are about, at most: one short read. */
const COUNTED = 5000;

/** The filter that has the values of a kind. */
export const FILTERS = {
  user: 'user_id',
  device: 'device_token',
  ip_address: 'ip_address',
  email: 'email',
  payment_fingerprint: 'payment_fingerprint',
  counterparty: 'counterparty_id',
  network: 'network',
  email_domain: 'email_domain',
} as const satisfies Record<EntityName, string>;

const isEmail = (value: string): boolean => /^[^\s@]+@[^\s@]+$/.test(value);
/** Kinds whose values have a form. Any text can be a value of the others. */
export const FORMS: Readonly<Partial<Record<EntityName, (value: string) => boolean>>> = {
  ip_address: isIp,
  network: isNetwork,
  email: isEmail,
  email_domain: (value) => !/[\s@]/.test(value),
};

/** What lists compare with their entries. A domain is compared as that of an address without a name. */
const listedAs = (kind: EntityName, value: string): ListCheckRequest => {
  if (kind === 'network') return { ip_address: value };
  if (kind === 'email_domain') return { email: `@${value}` };
  return { [FILTERS[kind]]: value };
};

/** Looked-up facts that need only the value. */
const knowledgeFor = ({ knowledge }: SearchDeps, kind: EntityName, value: string): Entity['knowledge'] => {
  if (kind === 'ip_address') return knowledgeNow(knowledge, { ip_address: value });
  if (kind === 'network') return knowledgeNow(knowledge, { ip_address: value.split('/')[0] as string });
  if (kind === 'email') return knowledgeNow(knowledge, { email: value });
  if (kind === 'email_domain') return { ...knowledgeNow(knowledge, { email: `@${value}` }), mailbox: null };
  return null;
};

export const getEntity = async (deps: SearchDeps, call: Call<'getEntity'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const kind = ENTITY_KINDS.find((one) => one === call.params.kind);
  if (kind === undefined) throw notFound(`kind of entity: the kinds are ${ENTITY_KINDS.join(', ')}`);
  const sent = call.params.value;
  if (FORMS[kind]?.(sent) === false) throw notFound(`${kind.replace('_', ' ')}: the value does not have its form`);
  const [entity, value] = entitiesIn({ [FILTERS[kind]]: sent })[0] as [EntityTerm, string];
  const { range, as_of } = await prepareSearch(deps, call.caller, {});
  const term = entityTerm(deps.identities, tenant, entity, value);
  const [figures, lists] = await Promise.all([
    entityFigures(deps.search, { tenant, term, range, limit: COUNTED }),
    deps.lists.matches(tenant, listedAs(kind, value), call.tagOf),
  ]);
  if (figures.items === 0 && lists.length === 0) throw notFound(kind.replace('_', ' '));
  const { items, review, block } = figures;
  const found: Entity = {
    kind,
    value,
    items,
    first_seen_at: figures.first === null ? null : writeTimestamp(figures.first),
    last_seen_at: figures.last === null ? null : writeTimestamp(figures.last),
    users: figures.users,
    by_decision: { allow: items - review - block, review, block },
    amount_usd: roundSum(figures.usd),
    confirmed_fraud: figures.fraud,
    knowledge: knowledgeFor(deps, kind, value),
    lists,
    as_of,
  };
  return call.answer(found);
};
