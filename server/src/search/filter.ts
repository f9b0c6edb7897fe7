import {
  networkOf,
  normalizeIp,
  normalizeNetwork,
  type Permission,
  readTimestamp,
  type ScreeningFilter,
} from '@portcullis/contract';
import { deviceId, type IdentitiesOf, mailboxOf } from '@portcullis/engine';
import { deviceListValue } from '../devices/devices.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { idOf } from '../runtime/ids.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import type { ItemFilter } from './query-store.ts';
import { type EntityTerm, entityTerm, nameTerm } from './terms.ts';

/** The network that screening counts an address in. A wider or narrower one is not counted. */
const countedNetwork = (value: string): string => {
  const [address = ''] = value.split('/');
  const counted = networkOf(normalizeIp(address));
  if (value.includes('/') && normalizeNetwork(value) !== normalizeNetwork(counted))
    throw invalidRequest([{ field: 'network', message: `must be ${counted}, or an address in it` }]);
  return counted;
};

/** The entities that a query names, the rarest first, in the spelling in which screening counts them. */
export const entitiesIn = (query: ScreeningFilter): [EntityTerm, string][] => {
  const { user_id, payment_fingerprint, device_token, email, ip_address, counterparty_id, network, email_domain } =
    query;
  const device = device_token === undefined ? undefined : (deviceListValue(device_token) ?? device_token);
  const named: [EntityTerm, string | undefined][] = [
    ['user', user_id],
    ['fingerprint', payment_fingerprint],
    ['device', device === undefined ? undefined : deviceId(device)],
    ['email', email === undefined ? undefined : mailboxOf(email.toLowerCase())],
    ['ip', ip_address === undefined ? undefined : normalizeIp(ip_address)],
    ['counterparty', counterparty_id],
    ['network', network === undefined ? undefined : countedNetwork(network)],
    ['domain', email_domain === undefined ? undefined : domainOf(`@${email_domain}`)],
  ];
  return named.filter((entity): entity is [EntityTerm, string] => entity[1] !== undefined);
};

const termsIn = (identities: IdentitiesOf, tenant: number, query: ScreeningFilter): number[] => {
  const { rule, signal, country } = query;
  return [
    ...entitiesIn(query).map(([kind, name]) => entityTerm(identities, tenant, kind, name)),
    ...(rule === undefined ? [] : [nameTerm('rule', idOf('rule', rule) as string)]),
    ...(signal === undefined ? [] : [nameTerm('signal', signal)]),
    ...(country === undefined ? [] : [nameTerm('country', country.toUpperCase())]),
  ];
};

/** Filters that would tell whether somebody uses an address, a device, an e-mail address or a card. */
export const PERSONAL_FILTERS = [
  'ip_address',
  'network',
  'device_token',
  'email',
  'email_domain',
  'payment_fingerprint',
  'text',
] as const;

export const refusePersonal = (
  query: ScreeningFilter & { readonly text?: string },
  permissions: readonly Permission[],
): void => {
  const personal = PERSONAL_FILTERS.filter((name) => query[name] !== undefined);
  if (personal.length > 0) requirePersonal(`To filter by ${personal.join(' and ')}`, permissions);
};

export const requirePersonal = (purpose: string, permissions: readonly Permission[]): void => {
  if (permissions.includes('read_personal')) return;
  const message = `${purpose}, the permission read_personal is needed. This key does not have it.`;
  throw new ApiError('insufficient_scope', message);
};

/** A range that holds nothing is a mistake: an empty list would hide it. */
const refuseEmptyRanges = (query: ScreeningFilter, from: number | undefined, until: number | undefined): void => {
  const ranges = [
    ['until', 'from', until, from],
    ['score_max', 'score_min', query.score_max, query.score_min],
    ['usd_max', 'usd_min', query.usd_max, query.usd_min],
  ] as const;
  const errors = ranges
    .filter(([, , high, low]) => high !== undefined && low !== undefined && high < low)
    .map(([field, other]) => ({ field, message: `must not be less than \`${other}\`` }));
  if (errors.length > 0) throw invalidRequest(errors);
};

/** The filter of a query. Nothing screened before `oldest` is found. */
export const filterOf = (
  identities: IdentitiesOf,
  tenant: number,
  query: ScreeningFilter,
  oldest: number,
): ItemFilter => {
  const from = query.from === undefined ? undefined : (readTimestamp(query.from) as number);
  const until = query.until === undefined ? undefined : (readTimestamp(query.until) as number);
  refuseEmptyRanges(query, from, until);
  return {
    type: query.type,
    eventType: query.event_type,
    outcome: query.outcome,
    currency: query.currency?.toUpperCase(),
    model: query.model_version === undefined ? undefined : nameTerm('model', query.model_version),
    decision: query.decision,
    label: query.label,
    scoreMin: query.score_min,
    scoreMax: query.score_max,
    usdMin: query.usd_min,
    usdMax: query.usd_max,
    from: Math.max(oldest, from ?? oldest),
    until,
    terms: termsIn(identities, tenant, query),
  };
};
