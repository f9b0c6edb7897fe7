import type { Connection } from './backend.ts';
import type { Projection } from './projection.ts';

/** Opens the projection in another thread, or in a command. */
export const openProjection = async (
  connection: Connection,
  onError: (message: string) => void,
): Promise<Projection> => {
  if ('path' in connection) return (await import('./embedded/projection.ts')).openSqliteProjection(connection);
  return (await import('./postgres/projection.ts')).openPostgresProjection(connection.url, onError);
};
