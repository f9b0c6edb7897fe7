import type { Backend, Statement } from '../backend/backend.ts';
import { PERSON_COLUMNS, type PersonRow } from './store.ts';

/** An account at an OpenID provider. A provider never gives a subject to another account, unlike an e-mail address. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export const personByIdentity = async (
  backend: Backend,
  { issuer, subject }: Identity,
): Promise<PersonRow | undefined> => {
  const sql = `SELECT ${PERSON_COLUMNS} FROM people p WHERE p.sso_issuer = ? AND p.sso_subject = ?`;
  return (await backend.read<PersonRow>(sql, issuer, subject))[0];
};

/** Refused for a person with an identity of this issuer, and for an identity that another person has. */
export const linkIdentity = (person: string, { issuer, subject }: Identity): Statement => ({
  sql: `UPDATE people SET sso_issuer = ?, sso_subject = ? WHERE id = ? AND sso_issuer IS DISTINCT FROM ?
    AND NOT EXISTS (SELECT 1 FROM people WHERE sso_issuer = ? AND sso_subject = ?)`,
  params: [issuer, subject, person, issuer, issuer, subject],
  expect: 1,
});

export const unlinkIdentity = (person: string): Statement => ({
  sql: 'UPDATE people SET sso_issuer = NULL, sso_subject = NULL WHERE id = ?',
  params: [person],
});
