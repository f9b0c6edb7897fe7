import {
  EventRequest,
  type EventSubject,
  type Knowledge as KnowledgeResource,
  networkOf,
  type SubjectQuery,
  type TagOf,
  TransactionRequest,
  type TransactionSubject,
} from '@portcullis/contract';
import {
  areFactsReadable,
  countryOf,
  DEVICE_STATES,
  type DeviceState,
  deviceId,
  type Knowledge,
  type KnowledgeName,
  knowledgeIn,
  knowledgeIndex,
  mailboxOf,
  makeKnowledge,
  unavailableOf,
  unpackFacts,
} from '@portcullis/engine';
import { shownRequest } from '../backend/erased-request.ts';
import type { StoredSubject } from '../backend/journal.ts';
import type { AnyCall } from '../http/route.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import { makeMasker } from '../validation/mask-card-numbers.ts';

type Request = TransactionRequest | EventRequest;

/** Release 0.1 masked only some fields, so stored requests are masked again when they are read. */
const MASKERS = { transaction: makeMasker(TransactionRequest), event: makeMasker(EventRequest) };

export const maskedRequest = ({ type, request }: Pick<StoredSubject, 'type' | 'request'>, tagOf: TagOf): Request => {
  const sent = shownRequest<Request>(request);
  MASKERS[type](sent, [], tagOf);
  return sent;
};

/** A looked-up number; null if it is unknown or unavailable. All but coordinates are at least 0. */
const numberIn = (knowledge: Knowledge, name: KnowledgeName): number | null => {
  const value = knowledge[knowledgeIndex[name]] as number;
  return value >= 0 ? value : null;
};
const flagIn = (knowledge: Knowledge, name: KnowledgeName): boolean | null => {
  const value = numberIn(knowledge, name);
  return value === null ? null : value > 0;
};
const countryIn = (knowledge: Knowledge, name: KnowledgeName): string | null => {
  const value = numberIn(knowledge, name);
  return value === null ? null : countryOf(value);
};

const placeIn = (knowledge: Knowledge): KnowledgeResource['place'] => {
  const lat = knowledge[knowledgeIndex.ip_latitude] as number;
  const lon = knowledge[knowledgeIndex.ip_longitude] as number;
  // Unknown and unavailable coordinates are out of range.
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return null;
  return { lat, lon, radius_km: numberIn(knowledge, 'ip_radius_km') };
};

const deviceStates = Object.keys(DEVICE_STATES) as DeviceState[];
const stateIn = (knowledge: Knowledge): DeviceState | null => {
  const state = numberIn(knowledge, 'device_state');
  return deviceStates.find((name) => DEVICE_STATES[name] === state) ?? null;
};

const knowledgeOf = ({ ip_address: ip, email, device_token: token }: Request, known: Knowledge): KnowledgeResource => ({
  network: ip === undefined ? null : networkOf(ip),
  country: countryIn(known, 'ip_country'),
  place: placeIn(known),
  asn: numberIn(known, 'asn'),
  hosting: flagIn(known, 'ip_hosting'),
  vpn: flagIn(known, 'ip_vpn'),
  proxy: flagIn(known, 'ip_proxy'),
  tor: flagIn(known, 'ip_tor'),
  reserved: flagIn(known, 'ip_reserved'),
  mailbox: email === undefined ? null : mailboxOf(email.toLowerCase()),
  email_disposable: flagIn(known, 'email_disposable'),
  email_free: flagIn(known, 'email_free'),
  device_id: token === undefined ? null : deviceId(token),
  device_state: stateIn(known),
  device_automation: flagIn(known, 'device_automation'),
  device_country: countryIn(known, 'device_zone_country'),
  unavailable: unavailableOf(known),
});

/** What the service knows now of an address or an e-mail address. */
export const knowledgeNow = (
  source: KnowledgeSource,
  request: { readonly ip_address?: string; readonly email?: string },
): KnowledgeResource => {
  const known = makeKnowledge();
  source.lookUp(request, known);
  return knowledgeOf(request as Request, known);
};

const withOutcome = (request: EventRequest): EventSubject => ({ ...request, outcome: request.outcome ?? 'succeeded' });

export interface SubjectFields<Subject> {
  subject: Subject;
  knowledge: KnowledgeResource | null;
}

/** The fields that `include=subject` adds to a response about the screening. */
const fieldsOf = (row: StoredSubject, tagOf: TagOf): SubjectFields<TransactionSubject | EventSubject> => {
  const request = maskedRequest(row, tagOf);
  return {
    subject: row.type === 'event' ? withOutcome(request as EventRequest) : (request as TransactionRequest),
    knowledge: areFactsReadable(row.facts_version) ? knowledgeOf(request, knowledgeIn(unpackFacts(row.facts))) : null,
  };
};

/** A call that may ask for the subject. `http` has checked its permission. */
export interface SubjectCall extends Pick<AnyCall, 'tagOf'> {
  readonly query: SubjectQuery;
}

/** The subject of a response, if the call asks for it: null where the screening is no longer stored. */
export const subjectFor = ({ query, tagOf }: SubjectCall, row: StoredSubject | undefined) => {
  if (query.include !== 'subject') return {};
  return row === undefined ? { subject: null, knowledge: null } : fieldsOf(row, tagOf);
};
