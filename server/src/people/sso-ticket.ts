import type { Seal } from '../secrets/seal.ts';
import type { Checks } from './provider.ts';
import { newToken } from './token.ts';

export const SSO_MS = 10 * 60_000;
const CONTEXT = 'single sign-on';

/** A single sign-on that has begun. It is sealed in a cookie, so nothing of it is stored. */
export interface SsoTicket extends Checks {
  readonly returnTo: string;
  readonly until: number;
}

export const newSsoTicket = (redirectUri: string, returnTo: string, now: number): SsoTicket => ({
  state: newToken(),
  nonce: newToken(),
  verifier: newToken(),
  redirectUri,
  returnTo,
  until: now + SSO_MS,
});

export const sealSsoTicket = (seal: Seal, ticket: SsoTicket): string =>
  Buffer.from(seal.seal(JSON.stringify(ticket), CONTEXT)).toString('base64url');

/** Undefined for a ticket that is not ours, or has expired. */
export const openSsoTicket = (seal: Seal, text: string, now: number): SsoTicket | undefined => {
  try {
    const ticket = JSON.parse(seal.open(Buffer.from(text, 'base64url'), CONTEXT)) as SsoTicket;
    return ticket.until > now ? ticket : undefined;
  } catch {
    return undefined;
  }
};
