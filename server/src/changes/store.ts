import type { Backend, Statement } from '../backend/backend.ts';

/** The parts of the store that processes keep in memory. */
export type Part = 'policy' | 'rules' | 'lists' | 'model' | 'webhooks' | 'secrets' | 'keys' | 'people';

export interface ChangeRow {
  readonly number: number;
  readonly tenant: number;
  readonly part: Part;
  /** JSON: which piece of the part changed; its format is up to the part. */
  readonly detail: string;
  /** The process that made the change, which need not load it. */
  readonly made_by: string;
  readonly at: number;
}

const INCREMENT: Statement = { sql: 'UPDATE changes_through SET number = number + 1 WHERE id = 1', params: [] };

export const insertChange = ({ tenant, part, detail, made_by, at }: Omit<ChangeRow, 'number'>): Statement[] => [
  INCREMENT,
  {
    sql: `INSERT INTO changes (number, tenant, part, detail, made_by, at)
      SELECT number, ?, ?, ?, ?, ? FROM changes_through WHERE id = 1`,
    params: [tenant, part, detail, made_by, at],
  },
];

export const newestChange = async (backend: Backend): Promise<number> =>
  (await backend.read<{ number: number }>('SELECT number FROM changes_through WHERE id = 1'))[0]?.number ?? 0;

/** In the order of their commits. */
export const changesAfter = (backend: Backend, number: number, limit: number): Promise<ChangeRow[]> =>
  backend.read<ChangeRow>(
    'SELECT number, tenant, part, detail, made_by, at FROM changes WHERE number > ? ORDER BY number LIMIT ?',
    number,
    limit,
  );

/** Deletes up to `limit` changes made before `before`, the oldest first. Returns how many. */
export const sweepChanges = async (backend: Backend, before: number, limit: number): Promise<number> => {
  const oldest = await changesAfter(backend, 0, limit);
  const old = oldest.filter(({ at }) => at < before);
  const last = old.at(-1);
  if (last !== undefined)
    await backend.write([{ sql: 'DELETE FROM changes WHERE number <= ?', params: [last.number] }]);
  return old.length;
};

/** Changes of a tenant after a number, in order. */
const changesOf = (backend: Backend, tenant: number, number: number, limit: number): Promise<ChangeRow[]> =>
  backend.readLong<ChangeRow>(
    tenant,
    'SELECT number, tenant, part, detail, made_by, at FROM changes WHERE tenant = ? AND number > ? ORDER BY number LIMIT ?',
    ...[tenant, number, limit],
  );

const PAGE = 500;

/** Takes a person out of the changes made up to a time. Returns false if a later one names the person. */
export const eraseChanges = async (
  backend: Backend,
  tenant: number,
  until: number,
  names: (text: string) => boolean,
): Promise<boolean> => {
  for (let after = 0; ; ) {
    const rows = await changesOf(backend, tenant, after, PAGE);
    const named = rows.filter(({ detail }) => names(detail));
    if (named.some(({ at }) => at > until)) return false;
    if (named.length > 0)
      await backend.write(
        named.map(({ number }) => ({ sql: "UPDATE changes SET detail = 'null' WHERE number = ?", params: [number] })),
      );
    if (rows.length < PAGE) return true;
    after = (rows.at(-1) as ChangeRow).number;
  }
};
