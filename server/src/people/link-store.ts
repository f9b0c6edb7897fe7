import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface LinkRow {
  readonly hash: string;
  readonly account: string;
  /** Null for the link of the first start, whose person does not exist yet. */
  readonly person: string | null;
  readonly expires_at: number;
}

export const findLink = async (backend: Backend, hash: string): Promise<LinkRow | undefined> =>
  (await backend.read<LinkRow>('SELECT hash, account, person, expires_at FROM sign_in_links WHERE hash = ?', hash))[0];

export const insertLink = (row: LinkRow): Statement => ({
  sql: 'INSERT INTO sign_in_links (hash, account, person, expires_at) VALUES (?, ?, ?, ?)',
  params: [row.hash, row.account, row.person, row.expires_at],
});

/** Refused for a link that was used since it was read. */
export const spendLink = (hash: string): Statement => ({
  sql: 'DELETE FROM sign_in_links WHERE hash = ?',
  params: [hash],
  expect: 1,
});

export const deleteLinksOf = (person: string): Statement => ({
  sql: 'DELETE FROM sign_in_links WHERE person = ?',
  params: [person],
});

/** The links of a first start that nobody has used. */
export const deleteFirstLinks = (account: string): Statement => ({
  sql: 'DELETE FROM sign_in_links WHERE person IS NULL AND account = ?',
  params: [account],
});

/** Deletes up to `limit` links that ended before `before`. Returns how many. */
export const sweepLinks = async (backend: Backend, before: number, limit: number): Promise<number> => {
  const sql = 'SELECT hash FROM sign_in_links WHERE expires_at < ? ORDER BY expires_at LIMIT ?';
  const old = await backend.readLong<{ hash: string }>(NO_TENANT, sql, before, limit);
  if (old.length > 0)
    await backend.write(old.map(({ hash }) => ({ sql: 'DELETE FROM sign_in_links WHERE hash = ?', params: [hash] })));
  return old.length;
};
