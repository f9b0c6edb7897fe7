import { migrateStore } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { print } from '../runtime/terminal.ts';

export const migrate = async (config: Config): Promise<void> => {
  const applied = await migrateStore(config);
  print(applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`);
};
