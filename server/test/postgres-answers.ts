import { connect, SERVER } from './postgres.ts';

/** Asked once per file: where no PostgreSQL answers, what needs one is skipped. */
export const hasPostgres = await connect(SERVER).then(
  async (client) => {
    await client.end();
    return true;
  },
  () => {
    process.stderr.write('PostgreSQL does not answer at 127.0.0.1:5432: its tests are skipped.\n');
    return false;
  },
);
