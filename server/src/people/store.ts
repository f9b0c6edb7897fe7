import type { Environment, PersonRole } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface PersonRow {
  readonly id: string;
  readonly account: string;
  /** In lower case. Unique in the installation: people sign in without naming their account. */
  readonly email: string;
  readonly name: string;
  /** Hash with its parameters; null until the person has used a link. */
  readonly password: string | null;
  readonly sandbox_role: PersonRole | null;
  readonly production_role: PersonRole | null;
  readonly created_at: number;
  readonly signed_in_at: number | null;
  /** Null without a second factor. */
  readonly totp_confirmed_at: number | null;
  /** The issuer of the identity that the person signs in with; null before the first single sign-on. */
  readonly sso_issuer: string | null;
}

export const PERSON_COLUMNS =
  'p.id, p.account, p.email, p.name, p.password, p.sandbox_role, p.production_role, p.created_at, p.signed_in_at, p.totp_confirmed_at, p.sso_issuer';
const SELECT = `SELECT ${PERSON_COLUMNS} FROM people p`;

/** The column with the role in an environment. */
const ROLE_COLUMNS: Readonly<Record<Environment, string>> = {
  sandbox: 'sandbox_role',
  production: 'production_role',
};

export const personByEmail = async (backend: Backend, email: string): Promise<PersonRow | undefined> =>
  (await backend.read<PersonRow>(`${SELECT} WHERE p.email = ?`, email))[0];

export const personById = async (backend: Backend, account: string, id: string): Promise<PersonRow | undefined> =>
  (await backend.read<PersonRow>(`${SELECT} WHERE p.account = ? AND p.id = ?`, account, id))[0];

/** The people with a role in an environment of the account. */
export const peopleIn = (
  backend: Backend,
  tenant: number,
  account: string,
  environment: Environment,
): Promise<PersonRow[]> => {
  const sql = `${SELECT} WHERE p.account = ? AND p.${ROLE_COLUMNS[environment]} IS NOT NULL ORDER BY p.email`;
  return backend.readLong<PersonRow>(tenant, sql, account);
};

/** The people of all accounts. */
export const allPeople = (backend: Backend): Promise<PersonRow[]> =>
  backend.readLong<PersonRow>(NO_TENANT, `${SELECT} ORDER BY p.account, p.email`);

export const hasPeople = async (backend: Backend): Promise<boolean> =>
  (await backend.read('SELECT 1 FROM people LIMIT 1')).length > 0;

/** Refused for an e-mail address that exists. */
export const insertPerson = (row: PersonRow): Statement => ({
  sql: `INSERT INTO people (id, account, email, name, password, sandbox_role, production_role, created_at, signed_in_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING`,
  params: [
    row.id,
    row.account,
    row.email,
    row.name,
    row.password,
    row.sandbox_role,
    row.production_role,
    row.created_at,
    row.signed_in_at,
  ],
  expect: 1,
});

/** Refused for a person who was removed, or whose roles or password changed, since the row was read. */
export const updatePerson = (before: PersonRow, after: PersonRow): Statement => ({
  sql: `UPDATE people SET name = ?, password = ?, sandbox_role = ?, production_role = ?, signed_in_at = ?
    WHERE id = ? AND password IS NOT DISTINCT FROM ? AND sandbox_role IS NOT DISTINCT FROM ?
      AND production_role IS NOT DISTINCT FROM ?`,
  params: [
    after.name,
    after.password,
    after.sandbox_role,
    after.production_role,
    after.signed_in_at,
    before.id,
    before.password,
    before.sandbox_role,
    before.production_role,
  ],
  expect: 1,
});

/** Refused for a person who was removed, or whose roles changed, since the row was read. */
export const deletePerson = (row: PersonRow): Statement => ({
  sql: `DELETE FROM people
    WHERE id = ? AND sandbox_role IS NOT DISTINCT FROM ? AND production_role IS NOT DISTINCT FROM ?`,
  params: [row.id, row.sandbox_role, row.production_role],
  expect: 1,
});
