import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import { setLastUsed } from './store.ts';

const WRITE_MS = 3_600_000;

/**
 * When each key was used last. It is kept in memory and written once an hour, so that a request costs no write; a process
 * that crashes loses the uses of up to an hour.
 */
export const makeKeyUses = ({
  backend,
  clock,
  log,
}: {
  readonly backend: Backend;
  readonly clock: () => number;
  readonly log: Log;
}) => {
  const uses = new Map<string, number>();
  const written = new Map<string, number>();
  const write = async (): Promise<void> => {
    const changed = [...uses].filter(([id, at]) => written.get(id) !== at);
    if (changed.length > 0) await backend.write(changed.map(([id, at]) => setLastUsed(id, at)));
    for (const [id, at] of changed) written.set(id, at);
  };
  const onError = (error: unknown): void => log.warn({ err: error }, 'the last uses of API keys could not be stored');
  const writes = repeat({ task: write, firstMs: WRITE_MS, restMs: WRITE_MS, onError });
  return {
    note: (id: string): void => void uses.set(id, clock()),
    /** The newer of the stored time and the one that this process knows. */
    lastOf: (id: string, stored: number | null): number | null => {
      const known = uses.get(id);
      return known === undefined ? stored : Math.max(known, stored ?? known);
    },
    write,
    start: writes.start,
    stop: async (): Promise<void> => {
      await writes.stop();
      await write().catch(onError);
    },
  };
};
export type KeyUses = ReturnType<typeof makeKeyUses>;
