import type { WeeklyTable } from './029-week-bounds.ts';

export interface WeeklyIndexes {
  readonly primaryKey: string;
  /** The name and the rest of the definition of each further index. */
  readonly indexes: Readonly<Record<string, string>>;
}

export const SCREENING_INDEXES: WeeklyIndexes = {
  primaryKey: 'seq',
  indexes: { screenings_by_written: '(written, seq) WHERE written IS NOT NULL' },
};
export const DELIVERY_INDEXES: WeeklyIndexes = {
  primaryKey: 'webhook_id, message_id',
  indexes: {
    deliveries_owed: "(webhook_id, due_at, message_id) WHERE status = 'owed'",
    deliveries_by_status: '(webhook_id, status, message_id)',
  },
};

/** Makes an index whose counterpart the old table has, or which has no rows to index. */
const makeIndex = (table: string, name: string, definition: string): string => `
  IF old IS NULL OR EXISTS (SELECT 1 FROM pg_index
    WHERE indexrelid = to_regclass(old || '${name.slice(table.length)}') AND indisvalid) THEN
    CREATE INDEX ${name} ON ${table} ${definition};
  END IF;`;

/**
 * The other indexes would be made while every screening waits. They stay without the old table, and unusable, until
 * `postgres/follow-index.ts` has made its part.
 */
const makeUnusableIndex = (table: string, name: string, definition: string): string => `
  IF to_regclass('${name}') IS NULL THEN
    EXECUTE format('DROP INDEX IF EXISTS %I', old || '${name.slice(table.length)}');
    CREATE INDEX ${name} ON ONLY ${table} ${definition};
  END IF;`;

/**
 * Puts a partitioned table in the place of the present one, which becomes its first partition under the name of its
 * constraint. PostgreSQL trusts the constraint and reads no row. An empty table is dropped instead. The weeks are made
 * when the store opens (`postgres/weeks.ts`).
 */
export const inWeeks = ({ table, key, keyAt }: WeeklyTable, { primaryKey, indexes }: WeeklyIndexes): string => {
  const forEach = (make: typeof makeIndex): string =>
    Object.entries(indexes)
      .map(([name, definition]) => make(table, name, definition))
      .join('');
  return `
DO $$
DECLARE
  old text;
  index_name text;
  ms BIGINT;
  has_rows boolean;
BEGIN
  LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
  SELECT conname INTO STRICT old FROM pg_constraint
    WHERE conrelid = '${table}'::regclass AND conname LIKE '${table}@_before@_%' ESCAPE '@';
  ms := CAST(extract(epoch FROM to_date(right(old, 8), 'YYYYMMDD')) * 1000 AS BIGINT);
  SELECT EXISTS (SELECT 1 FROM ${table}) INTO has_rows;
  ALTER TABLE ${table} ALTER COLUMN ${key} DROP IDENTITY IF EXISTS;
  EXECUTE format('ALTER TABLE ${table} RENAME TO %I', old);
  EXECUTE format('CREATE TABLE ${table} (LIKE %I INCLUDING DEFAULTS) PARTITION BY RANGE (${key})', old);
  IF has_rows THEN
    FOR index_name IN SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = CAST(old AS regclass)
    LOOP
      EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name, old || substr(index_name, ${table.length + 1}));
    END LOOP;
  ELSE
    EXECUTE format('DROP TABLE %I', old);
    old := NULL;
  END IF;
  ALTER TABLE ${table} ADD PRIMARY KEY (${primaryKey});
  ${forEach(makeIndex)}
  IF old IS NOT NULL THEN
    EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', old, ${keyAt});
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', old, old);
  END IF;
  ${forEach(makeUnusableIndex)}
  CREATE TABLE ${table}_default PARTITION OF ${table} DEFAULT;
END $$;
`;
};
