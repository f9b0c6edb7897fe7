import type { Backend, Connection } from './backend.ts';

/**
 * Opens the store of this process in another of its threads. Imports are dynamic: each thread loads its own copy of its
 * modules.
 */
export const openConnection = async (connection: Connection, onError: (message: string) => void): Promise<Backend> => {
  if ('path' in connection) return (await import('./embedded/store.ts')).openSqliteConnection(connection, onError);
  return (await import('./postgres/store.ts')).openPostgresRecords({ url: connection.url, onError });
};
