import { bringUpToDate } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { say } from '../say.ts';

export const migrateStore = async (config: Config): Promise<void> => {
  const applied = await bringUpToDate(config);
  say(applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`);
};
