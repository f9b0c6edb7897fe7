import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import { networkOf } from '@portcullis/contract/values';
import {
  formerDeviceId,
  hash53,
  isLongToken,
  type Knowledge,
  kindIndex,
  knowledgeIndex,
  RELATED_KINDS,
  type Subject,
} from '@portcullis/engine';

/** How release 0.1 found histories: by a hash of 53 bits that anyone could invert. Only the conversion needs it. */

const TWO_32 = 2 ** 32;
const hashOf = (value: string | undefined): number => (value === undefined ? 0 : hash53(value));
const numberOf = (number: number): number => (number > 0 ? number : 0);

/** The former hash of each of RELATED_KINDS, 0 where the subject has none. */
export const formerHashes = ({ request, knowledge, hashes }: Subject): number[] => {
  const { ip_address: ip, device_token: token, user_id } = request;
  const { payment_fingerprint, counterparty_id } = request as Partial<TransactionRequest & EventRequest>;
  const email = request.email?.toLowerCase();
  const known = (name: keyof typeof knowledgeIndex): number =>
    numberOf((knowledge as Knowledge)[knowledgeIndex[name]] as number);
  const former = RELATED_KINDS.map(() => 0);
  former[kindIndex.user] = hash53(user_id);
  former[kindIndex.ip] = hashOf(ip);
  former[kindIndex.network] = ip === undefined ? 0 : hash53(networkOf(ip));
  former[kindIndex.device] = hashOf(token !== undefined && isLongToken(token) ? formerDeviceId(token) : token);
  former[kindIndex.fingerprint] = hashOf(payment_fingerprint);
  former[kindIndex.email] = hashOf(email);
  former[kindIndex.counterparty] = hashOf(counterparty_id);
  former[kindIndex.asn] = known('asn');
  // A subject has a domain under the same conditions as before.
  former[kindIndex.domain] =
    email === undefined || hashes[kindIndex.domain] === 0 ? 0 : hash53(email.slice(email.lastIndexOf('@') + 1));
  former[kindIndex.likeness] = known('device_likeness');
  former[kindIndex.country] = hashes[kindIndex.country] as number;
  former[kindIndex.place] = hashes[kindIndex.place] as number;
  former[kindIndex.token] = known('device_token_id');
  return former;
};

/** The former key of an entity: the hash of its name, salted with its kind. */
export const formerKey = (kind: number, hash: number): number =>
  Math.floor(hash / TWO_32) * TWO_32 + ((hash ^ Math.imul(kind + 1, 0x9e3779b1)) >>> 0);
