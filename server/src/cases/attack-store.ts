import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

/** Cases of one user or device belong to one attack while each comes within this time of the one before. */
export const ATTACK_WINDOW_MS = 24 * 3_600_000;

/** Of two concurrent units, the second waits for the row of the first, and joins its attack. */
const JOIN = `INSERT INTO attack_links (tenant, link, attack, seen_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, link) DO UPDATE SET
    attack = CASE WHEN attack_links.seen_at > excluded.seen_at - ${ATTACK_WINDOW_MS} THEN attack_links.attack ELSE excluded.attack END,
    seen_at = CASE WHEN attack_links.seen_at > excluded.seen_at THEN attack_links.seen_at ELSE excluded.seen_at END`;

const SET_ATTACK = `UPDATE cases SET attack = (SELECT CASE WHEN u.attack <> ? THEN u.attack ELSE d.attack END
    FROM attack_links u JOIN attack_links d ON d.tenant = u.tenant WHERE u.tenant = ? AND u.link = ? AND d.link = ?)
  WHERE id = ? AND tenant = ?`;

/** The links that this case began take the attack that it joined. */
const FOLLOW = `UPDATE attack_links SET attack = (SELECT attack FROM cases WHERE id = ?)
  WHERE tenant = ? AND link IN (?, ?) AND attack = ?`;

/**
 * Lets a new case join the attack of its user, else that of its device, else begin one. It follows the insertion of the
 * case in one unit. `device` is 0 if the item has none.
 */
export const joinAttack = (tenant: number, id: string, user: number, device: number, at: number): Statement[] => {
  const links = device === 0 ? [user] : [user, device];
  const last = links.at(-1) as number;
  return [
    ...links.map((link) => ({ sql: JOIN, params: [tenant, link, id, at] })),
    { sql: SET_ATTACK, params: [id, tenant, user, last, id, tenant] },
    ...(device === 0 ? [] : [{ sql: FOLLOW, params: [id, tenant, user, device, id] }]),
  ];
};

/** Deletes links that no case can join any more, up to the limit. Returns how many. */
export const sweepAttackLinks = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const until = now - ATTACK_WINDOW_MS;
  const [old] = await backend.readLong<{ count: number }>(
    NO_TENANT,
    'SELECT COUNT(*) AS count FROM (SELECT 1 FROM attack_links WHERE seen_at <= ? LIMIT ?) AS old',
    until,
    limit,
  );
  const count = old?.count ?? 0;
  if (count > 0)
    await backend.write([
      {
        sql: `DELETE FROM attack_links WHERE (tenant, link) IN
          (SELECT tenant, link FROM attack_links WHERE seen_at <= ? ORDER BY seen_at LIMIT ?)`,
        params: [until, count],
      },
    ]);
  return count;
};
