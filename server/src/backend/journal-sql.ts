/**
 * SQL over the journal that several modules share, valid in SQLite and PostgreSQL. This file imports nothing: threads
 * that only need a connection must not load the engine.
 */

/** The columns that restore a screening. */
export const SCREENING_COLUMNS = 'seq, tenant, type, screened_at, request, verdict, facts_version, facts, imported';

/** Entries numbered above a bound, ready for further conditions and an order. */
export const LATER_SCREENINGS = `SELECT ${SCREENING_COLUMNS} FROM screenings WHERE seq > ?`;
export const LATER_LABELS = `SELECT l.seq, l.tenant, l.label, l.reason, l.labelled_at, l.counted_at, l.replaced_at,
    l.replaced_reason, l.repeats, l.actors, l.replaced_actors,
    s.type, s.screened_at, s.request, s.facts_version, s.facts, s.imported
  FROM labels l LEFT JOIN screenings s ON s.seq = l.screening_seq AND s.tenant = l.tenant WHERE l.seq > ?`;

/** The newest number in the journal; 0 when it is empty. */
export const NEWEST_SEQ = `SELECT COALESCE(MAX(seq), 0) AS seq
  FROM (SELECT MAX(seq) AS seq FROM screenings UNION ALL SELECT MAX(seq) AS seq FROM labels) AS newest`;
