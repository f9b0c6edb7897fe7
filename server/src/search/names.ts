import { type EventRequest, networkOf, type TagOf, type TransactionRequest } from '@portcullis/contract';
import { deviceId, mailboxOf } from '@portcullis/engine';
import type { ShownScreening } from '../backend/journal-by-number.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import type { EntityTerm } from './terms.ts';

type Request = TransactionRequest | EventRequest;
type Name = string | undefined;

/** The names of a request's entities, in the spelling in which they are counted. */
const NAMES: Readonly<Record<EntityTerm, (request: Request) => Name>> = {
  user: ({ user_id }) => user_id,
  fingerprint: (request) => ('amount' in request ? request.payment_fingerprint : undefined),
  device: ({ device_token }) => (device_token === undefined ? undefined : deviceId(device_token)),
  email: ({ email }) => (email === undefined ? undefined : mailboxOf(email.toLowerCase())),
  ip: ({ ip_address }) => ip_address,
  counterparty: (request) => ('amount' in request ? request.counterparty_id : undefined),
  network: ({ ip_address }) => (ip_address === undefined ? undefined : networkOf(ip_address)),
  domain: ({ email }) => (email === undefined ? undefined : domainOf(email)),
};

/** The name of a screening's entity. The projection knows entities only by numbers. */
export const nameIn = (row: ShownScreening, kind: EntityTerm, tagOf: TagOf): Name =>
  NAMES[kind](maskedRequest(row, tagOf));
