/**
 * PostgreSQL only, in three migrations for each table: `screenings` and `deliveries` become partitioned by week. The
 * present table becomes the partition of everything before a Monday at least four weeks ahead. This first migration
 * refuses rows beyond that Monday. The name of the constraint carries the date, and becomes the name of the partition.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const EPOCH = Date.UTC(2020, 0, 1);

export interface WeeklyTable {
  readonly table: string;
  /** The column that orders rows by time. */
  readonly key: string;
  /** SQL: the time of the key `latest`, in milliseconds. */
  readonly timeOfLatest: string;
  /** SQL: the first key of the time `ms`, as a literal. */
  readonly keyAt: string;
}

export const WEEKLY_SCREENINGS: WeeklyTable = {
  table: 'screenings',
  key: 'seq',
  timeOfLatest: `${EPOCH} + CAST(latest AS BIGINT) / 4096`,
  keyAt: `CAST((ms - ${EPOCH}) * 4096 AS text)`,
};
export const WEEKLY_DELIVERIES: WeeklyTable = {
  table: 'deliveries',
  key: 'message_id',
  timeOfLatest: `(SELECT CAST(SUM(CAST(position(substr(latest, i, 1) IN '${ALPHABET}') - 1 AS BIGINT) << (5 * (10 - i))) AS BIGINT)
      FROM generate_series(1, 10) AS i)`,
  keyAt: `(SELECT quote_literal(string_agg(substr('${ALPHABET}', CAST((ms >> (5 * i)) & 31 AS int) + 1, 1), '' ORDER BY i DESC))
      FROM generate_series(0, 9) AS i)`,
};

/** A clock that was wrong may have written rows of the future: the bound is beyond these too. */
export const weekBound = ({ table, key, timeOfLatest, keyAt }: WeeklyTable): string => `
DO $$
DECLARE
  latest text;
  ms BIGINT := CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);
  monday timestamp;
BEGIN
  SELECT CAST(MAX(${key}) AS text) INTO latest FROM ${table};
  IF latest IS NOT NULL THEN ms := GREATEST(ms, ${timeOfLatest}); END IF;
  monday := date_trunc('week', to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC') + interval '5 weeks';
  ms := CAST(extract(epoch FROM monday) * 1000 AS BIGINT);
  EXECUTE format('ALTER TABLE ${table} ADD CONSTRAINT %I CHECK (${key} < %s) NOT VALID',
    '${table}_before_' || to_char(monday, 'YYYYMMDD'), ${keyAt});
END $$;
`;
