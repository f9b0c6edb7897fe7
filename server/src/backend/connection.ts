import type { Backend, Connection } from './backend.ts';

/** The store of this process, from another of its threads. Only what it needs is loaded: a thread has its own copy of all that it loads. */
export const openConnection = async (connection: Connection, onFault: (message: string) => void): Promise<Backend> => {
  if ('path' in connection) return (await import('./sqlite.ts')).openSqliteConnection(connection, onFault);
  return (await import('./postgres.ts')).openPostgresBeside({ url: connection.url, onFault });
};
