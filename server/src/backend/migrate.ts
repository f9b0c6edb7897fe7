import type { DatabaseSync } from 'node:sqlite';
import { initial } from './migrations/001-initial.ts';
import { deliveries } from './migrations/002-deliveries.ts';
import { lists } from './migrations/003-lists.ts';
import { rules } from './migrations/004-rules.ts';
import { policies } from './migrations/005-policies.ts';
import { labels } from './migrations/006-labels.ts';
import { models } from './migrations/007-models.ts';
import { backtests } from './migrations/008-backtests.ts';
import { changes } from './migrations/009-changes.ts';
import { baseModels } from './migrations/010-base-models.ts';
import { leftToWorkers } from './migrations/011-left-to-workers.ts';
import { historiesMissed } from './migrations/012-histories-missed.ts';
import { installationKeys } from './migrations/013-installation-keys.ts';
import { apiKeys } from './migrations/014-api-keys.ts';
import { retentionThrough } from './migrations/015-retention-through.ts';
import { auditAnchors } from './migrations/016-audit-anchors.ts';
import { serving } from './migrations/017-serving.ts';
import { auditStreamed } from './migrations/018-audit-streamed.ts';
import { labelReasons } from './migrations/019-label-reasons.ts';
import { labelActors } from './migrations/020-label-actors.ts';
import { caseSummaries } from './migrations/021-case-summaries.ts';
import { policyBudgets } from './migrations/022-policy-budgets.ts';
import { search } from './migrations/023-search.ts';
import { caseWork } from './migrations/024-case-work.ts';
import { casesByResolution, searchFeed, searchSums } from './migrations/025-search-sums.ts';
import { imports } from './migrations/026-imports.ts';
import { erasures } from './migrations/027-erasures.ts';
import { attacks } from './migrations/028-attacks.ts';
import { WEEKLY_DELIVERIES, WEEKLY_SCREENINGS, weekBound } from './migrations/029-week-bounds.ts';
import { weekBoundChecked } from './migrations/030-week-bounds-checked.ts';
import { DELIVERY_INDEXES, inWeeks, SCREENING_INDEXES } from './migrations/031-weeks.ts';
import { people } from './migrations/032-people.ts';
import { totp } from './migrations/033-totp.ts';
import { caseChanges, caseChangesWritten } from './migrations/034-case-changes.ts';
import { caseColumns } from './migrations/035-case-columns.ts';
import { views } from './migrations/036-views.ts';
import { accountSettings } from './migrations/037-account-settings.ts';
import { keyUses } from './migrations/037-key-uses.ts';
import { openLists } from './migrations/037-open-lists.ts';
import { identities } from './migrations/038-identities.ts';
import { searchUsers } from './migrations/039-search-users.ts';

export interface Migration {
  readonly name: string;
  /** Runs on both stores. */
  readonly sql?: string;
  /** Runs only on PostgreSQL. */
  readonly postgres?: string;
}

/** In the order of application. A released migration is never edited; a change of the schema is a new migration. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '001-initial', sql: initial },
  { name: '002-deliveries', sql: deliveries },
  { name: '003-lists', sql: lists },
  { name: '004-rules', sql: rules },
  { name: '005-policies', sql: policies },
  { name: '006-labels', sql: labels },
  { name: '007-models', sql: models },
  { name: '008-backtests', sql: backtests },
  { name: '009-changes', sql: changes },
  { name: '010-base-models', sql: baseModels },
  { name: '011-left-to-workers', sql: leftToWorkers },
  { name: '012-histories-missed', sql: historiesMissed },
  { name: '013-installation-keys', sql: installationKeys },
  { name: '014-api-keys', sql: apiKeys },
  { name: '015-retention-through', sql: retentionThrough },
  { name: '016-audit-anchors', sql: auditAnchors },
  { name: '017-serving', sql: serving },
  { name: '018-audit-streamed', sql: auditStreamed },
  { name: '019-label-reasons', sql: labelReasons },
  { name: '020-label-actors', sql: labelActors },
  { name: '021-case-summaries', sql: caseSummaries },
  { name: '022-policy-budgets', sql: policyBudgets },
  { name: '023-search', postgres: search },
  { name: '024-case-work', sql: caseWork },
  { name: '025-search-sums', sql: casesByResolution, postgres: searchSums },
  { name: '025-search-feed', postgres: searchFeed },
  { name: '026-imports', sql: imports },
  { name: '027-erasures', sql: erasures },
  { name: '028-attacks', sql: attacks },
  { name: '029-screenings-bound', postgres: weekBound(WEEKLY_SCREENINGS) },
  { name: '029-deliveries-bound', postgres: weekBound(WEEKLY_DELIVERIES) },
  { name: '030-screenings-bound-checked', postgres: weekBoundChecked(WEEKLY_SCREENINGS) },
  { name: '030-deliveries-bound-checked', postgres: weekBoundChecked(WEEKLY_DELIVERIES) },
  { name: '031-screenings-in-weeks', postgres: inWeeks(WEEKLY_SCREENINGS, SCREENING_INDEXES) },
  { name: '031-deliveries-in-weeks', postgres: inWeeks(WEEKLY_DELIVERIES, DELIVERY_INDEXES) },
  { name: '032-people', sql: people },
  { name: '033-totp', sql: totp },
  { name: '034-case-changes', sql: caseChanges, postgres: caseChangesWritten },
  { name: '035-case-columns', sql: caseColumns },
  { name: '036-views', sql: views },
  // Applied in this order. The three 037 files were written in parallel; their names are stored and cannot change.
  { name: '037-key-uses', sql: keyUses },
  { name: '037-open-lists', sql: openLists },
  { name: '037-account-settings', sql: accountSettings },
  { name: '038-identities', sql: identities },
  { name: '039-search-users', postgres: searchUsers },
];

/** Brings the schema up to date. Returns the names of the migrations it applied. */
export const migrate = (database: DatabaseSync): string[] => {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)');
  const applied: string[] = [];
  // When two processes start at once, the write lock makes the second wait until the first has migrated.
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = new Set(
      database
        .prepare('SELECT name FROM migrations')
        .all()
        .map((row) => row.name),
    );
    for (const { name, sql = '' } of MIGRATIONS) {
      if (done.has(name)) continue;
      database.exec(sql);
      database.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(name, Date.now());
      applied.push(name);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
  return applied;
};
