import { randomBytes } from 'node:crypto';
import type { Backend } from '../backend.ts';

/** The processes that hold updates which Redis has not taken, stored where the entry outlives the process. */
export interface BacklogRegistry {
  /** Registers this process, which counts as alive until the given time. */
  register(aliveUntil: number): Promise<unknown>;
  unregister(): Promise<unknown>;
  /** Processes that ended while registered: their updates are lost. */
  findEnded(now: number): Promise<readonly string[]>;
  remove(process: string): Promise<unknown>;
}

const REGISTER = `INSERT INTO histories_missed (process, alive_until) VALUES (?, ?)
  ON CONFLICT (process) DO UPDATE SET alive_until = excluded.alive_until`;
const REMOVE = 'DELETE FROM histories_missed WHERE process = ?';
const ENDED = 'SELECT process FROM histories_missed WHERE alive_until < ? ORDER BY process';

export const makeBacklogRegistry = (backend: Pick<Backend, 'read' | 'write'>): BacklogRegistry => {
  const self = randomBytes(9).toString('base64url');
  const remove = (process: string) => backend.write([{ sql: REMOVE, params: [process] }]);
  return {
    register: (aliveUntil) => backend.write([{ sql: REGISTER, params: [self, aliveUntil] }]),
    unregister: () => remove(self),
    findEnded: async (now) => (await backend.read<{ process: string }>(ENDED, now)).map(({ process }) => process),
    remove,
  };
};
