import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { migrate } from '../server/src/backend/migrate.ts';
import { sourceFiles, stringsOf } from './source-code.ts';

/** The tables of each folder of server/src. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'account-settings': ['account_settings'],
  access: ['api_keys', 'tenants'],
  audit: ['audit', 'audit_anchors', 'audit_heads', 'audit_streamed'],
  backend: ['counters_through', 'entities', 'histories_missed', 'migrations', 'serving', 'shelves', 'write_probe'],
  backtests: ['backtests'],
  cases: ['attack_links', 'case_changes', 'case_notes', 'cases'],
  changes: ['changes', 'changes_through'],
  http: ['idempotency'],
  imports: ['imported_items', 'imports'],
  labels: ['labels'],
  lists: ['list_entries', 'lists'],
  models: ['base_models', 'models', 'trainings'],
  people: ['people', 'recovery_codes', 'sessions', 'sign_in_failures', 'sign_in_links'],
  policies: ['policies'],
  privacy: ['erasures'],
  retention: ['retention_through'],
  reviews: ['reviews'],
  rules: ['rule_counts', 'rule_hits', 'rules'],
  screening: ['screenings'],
  search: [
    ...['search_feed', 'search_items', 'search_sums', 'search_terms', 'search_terms_new', 'search_terms_settled'],
    ...['search_through', 'search_users'],
  ],
  secrets: ['installation_keys'],
  views: ['views'],
  webhooks: ['deliveries', 'webhooks'],
};
const ownerOf = new Map(Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/** The files of an owner that may hold SQL. */
const isStore = (path: string): boolean =>
  /(^|[/-])store\.ts$/.test(path) || path.startsWith('backend/') || path === 'http/idempotency.ts';
/** The journal reads screenings, labels and changes of cases in sequence, for every capability. */
const isJournalRead = (path: string, verb: string, table: string): boolean =>
  /^backend\/journal(-[\w-]+)?\.ts$/.test(path) &&
  ['FROM', 'JOIN'].includes(verb) &&
  ['case_changes', 'labels', 'screenings'].includes(table);

const SQL_ON_TABLE = /\b(DELETE FROM|FROM|JOIN|INTO|UPDATE|TABLE)\s+"?(\w+)/g;

/** SQL in one file on a table that the file does not own. */
const foreignTables = (path: string, strings: readonly string[]): string[] =>
  strings.flatMap((text) =>
    [...text.matchAll(SQL_ON_TABLE)].flatMap(([, verb = '', table = '']) => {
      const owner = ownerOf.get(table);
      if (owner === undefined || isJournalRead(path, verb, table)) return [];
      return path.startsWith(`${owner}/`) && isStore(path) ? [] : [`${path}: ${verb} ${table}`];
    }),
  );

describe('SQL on a table', () => {
  test('is in the store of the capability that owns the table, or in the journal', () => {
    const foreign = sourceFiles('server/src/**/*.ts')
      .map((path) => [path.replace('server/src/', ''), stringsOf(path)] as const)
      .filter(([path]) => !path.startsWith('backend/migrations/'))
      .flatMap(([path, strings]) => foreignTables(path, strings));
    expect(foreign).toEqual([]);
  });

  test('is refused in the store of another capability, and outside a store', () => {
    expect(foreignTables('cases/store.ts', ['SELECT 1 FROM cases c JOIN tenants t ON t.tenant = c.tenant'])).toEqual([
      'cases/store.ts: JOIN tenants',
    ]);
    expect(foreignTables('cases/cases.ts', ['UPDATE cases SET notes = ?'])).toEqual(['cases/cases.ts: UPDATE cases']);
    expect(foreignTables('backend/journal.ts', ['DELETE FROM labels'])).toEqual([
      'backend/journal.ts: DELETE FROM labels',
    ]);
  });
});

test('each table of the schema has one owner', () => {
  const records = new DatabaseSync(':memory:');
  migrate(records);
  const tables = records.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const unowned = tables.map(({ name }) => String(name)).filter((name) => !ownerOf.has(name));
  expect(unowned).toEqual([]);
  expect(Object.values(TABLES).flat()).toHaveLength(ownerOf.size);
});
