import type { PersonLink } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Statement } from '../backend/backend.ts';
import { withPrefix } from '../runtime/ids.ts';
import { deleteFirstLinks, deleteLinksOf, insertLink } from './link-store.ts';
import { hashToken, newToken } from './token.ts';

export const LINK_MS = 24 * 3_600_000;

/** In the fragment of a URL: browsers send it to no server, so it is in no log, proxy or referrer. */
const pathOf = (page: 'start' | 'invite', token: string): string => `/console/${page}#${token}`;

/** Makes a link for a person, and the statements that store it instead of earlier ones. */
export const draftLink = (
  { id, account }: { readonly id: string; readonly account: string },
  now: number,
): { link: PersonLink; statements: Statement[] } => {
  const token = newToken();
  const expires_at = now + LINK_MS;
  return {
    link: {
      person_id: withPrefix('person', id),
      path: pathOf('invite', token),
      token,
      expires_at: writeTimestamp(expires_at),
    },
    statements: [deleteLinksOf(id), insertLink({ hash: hashToken('link', token), account, person: id, expires_at })],
  };
};

/** Makes the link of a first start, whose user becomes the first administrator of the account. */
export const draftFirstLink = (account: string, now: number): { path: string; statements: Statement[] } => {
  const token = newToken();
  return {
    path: pathOf('start', token),
    statements: [
      deleteFirstLinks(account),
      insertLink({ hash: hashToken('link', token), account, person: null, expires_at: now + LINK_MS }),
    ],
  };
};
