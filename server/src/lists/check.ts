import type { ListCheck, ListCheckRequest, ListKind } from '@portcullis/contract';
import { normalizeIp, type TagOf } from '@portcullis/contract/values';
import { formerDeviceId, isLongToken } from '@portcullis/engine';
import { deviceListValue } from '../devices/devices.ts';
import type { Answer, Call } from '../http/route.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { shownTo, toEntry } from './entry-resource.ts';
import type { ListState } from './list-state.ts';
import { networkOfValue, networkText, parseValue } from './parse-value.ts';
import { entriesWith } from './store.ts';

type Candidate = readonly [ListKind, string];

/** Entries that were added by release 0.1 have another identifier of a long token. */
const formerDevices = (token: string | undefined): Candidate[] => {
  const name = token === undefined ? undefined : deviceListValue(token);
  return name === undefined || !isLongToken(name) ? [] : [['device', formerDeviceId(name)]];
};

/** The domain of an e-mail address and all its parent domains. */
const domainsOf = (email: string): string[] => {
  const labels = domainOf(email).split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

/** The address and every network around it whose prefix length occurs on a list. */
const networksOf = ({ matcher }: ListState, tenant: number, ip: string): Candidate[] => {
  const network = networkOfValue(normalizeIp(ip));
  const wider = matcher.prefixLengths(tenant, network.family).filter((prefix) => prefix < network.prefix);
  return [...wider, network.prefix].map((prefix): Candidate => ['ip_address', networkText({ ...network, prefix })]);
};

const candidatesOf = (state: ListState, tenant: number, request: ListCheckRequest, tagOf: TagOf): Candidate[] => {
  const { ip_address: ip, email } = request;
  const plain: (readonly [ListKind, string | undefined])[] = [
    ['user', request.user_id],
    ['device', request.device_token],
    ['email', email],
    ['payment_fingerprint', request.payment_fingerprint],
    ['counterparty', request.counterparty_id],
    ['country', request.country],
  ];
  return [
    ...plain.flatMap(([kind, text]): Candidate[] => {
      const parsed = text === undefined ? undefined : parseValue(kind, text, tagOf);
      return parsed === undefined || 'error' in parsed ? [] : [[kind, parsed.value]];
    }),
    ...formerDevices(request.device_token),
    ...(ip === undefined ? [] : networksOf(state, tenant, ip)),
    ...(email === undefined ? [] : domainsOf(email).map((domain): Candidate => ['email_domain', domain])),
  ];
};

/** The entries that match, with their reasons. Screening uses memory instead, which holds no reasons. */
export const findMatching = async (
  state: ListState,
  tenant: number,
  request: ListCheckRequest,
  tagOf: TagOf,
): Promise<ListCheck['matches']> => {
  const { backend, matcher, clock } = state;
  const now = clock();
  const candidates = candidatesOf(state, tenant, request, tagOf);
  const found = await Promise.all(candidates.map(([kind, value]) => entriesWith(backend, tenant, kind, value, now)));
  return matcher.lists(tenant).flatMap((list) =>
    found
      .flat()
      .filter((entry) => entry.list === list.id)
      .map((entry) => ({ list_id: list.name, treatment: list.treatment, ...toEntry(entry) })),
  );
};

/** Shows which entries match. */
export const checkLists = async (state: ListState, call: Call<'checkLists'>): Promise<Answer> => {
  const matches = await findMatching(state, call.caller.tenant, call.body, call.tagOf);
  const check: ListCheck = { matches: matches.map((entry) => shownTo(call.caller, entry)) };
  return call.answer(check);
};
