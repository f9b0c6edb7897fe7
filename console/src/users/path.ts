import { explorerPath } from '../explorer/path.ts';

/** The address of a user. A path cannot hold `.` or `..`, and people whose data was erased have no name. */
export const userPath = (userId: string, query = ''): string =>
  /^\.{0,2}$/.test(userId)
    ? explorerPath({ terms: userId === '' ? [] : [`user_id:${userId}`], range: '90d' })
    : `/users/${encodeURIComponent(userId)}${query}`;
