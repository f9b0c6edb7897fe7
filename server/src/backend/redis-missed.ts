import { randomBytes } from 'node:crypto';
import type { Backend } from './backend.ts';

/** Who remembers what Redis was not told: noted where it outlives them. */
export interface Missed {
  /** We do, and can be counted on until then. */
  note(aliveUntil: number): Promise<unknown>;
  /** We do no more. */
  clear(): Promise<unknown>;
  /** Those who did and have ended, until they are forgotten. */
  ended(now: number): Promise<readonly string[]>;
  forget(process: string): Promise<unknown>;
}

const NOTE = `INSERT INTO histories_missed (process, alive_until) VALUES (?, ?)
  ON CONFLICT (process) DO UPDATE SET alive_until = excluded.alive_until`;
const FORGET = 'DELETE FROM histories_missed WHERE process = ?';
const ENDED = 'SELECT process FROM histories_missed WHERE alive_until < ? ORDER BY process';

export const makeMissed = (backend: Pick<Backend, 'read' | 'write'>): Missed => {
  const self = randomBytes(9).toString('base64url');
  const forget = (process: string) => backend.write([{ sql: FORGET, params: [process] }]);
  return {
    note: (aliveUntil) => backend.write([{ sql: NOTE, params: [self, aliveUntil] }]),
    clear: () => forget(self),
    ended: async (now) => (await backend.read<{ process: string }>(ENDED, now)).map(({ process }) => process),
    forget,
  };
};
