import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync as Database, type DatabaseSync } from 'node:sqlite';
import { HISTORY_LAYOUT, type IdentitiesOf, kindIndex, makeArena } from '@portcullis/engine';
import { numbersChecksum } from '../checksum.ts';
import { makeRestoreSubject, newestScreeningSeq, newestSeq } from '../journal.ts';
import { convertFormer, type OnProgress } from './convert/convert-former.ts';
import { convertThird, convertThirdGroup, THIRD_LAYOUT, THIRD_SCHEMA } from './convert/convert-third.ts';
import { digestJournal, type JournalDigest, type SpelledEmail } from './convert/journal-digest.ts';
import { makeNewFile, type NewFile } from './convert/new-file.ts';
import { readAsIs, salvage } from './convert/salvage.ts';
import { COUNTERS_FILE, PAGE_BYTES, SCHEMA } from './counters-schema.ts';
import { makeGroupFinder } from './find-group.ts';
import { isMalformed, layoutOf, malformedError, openDatabase } from './open-database.ts';

export interface CountersFileOptions {
  readonly path: string;
  readonly records: DatabaseSync;
  readonly identities: IdentitiesOf;
  readonly onInfo: (message: string) => void;
  readonly onError: (message: string) => void;
}

/**
 * The last screening or label up to which every group in the file is complete. If the number is damaged, it is 0: every
 * group knows what it contains.
 */
export const completeThrough = (counters: DatabaseSync): number => {
  const statement = counters.prepare('SELECT seq, checksum FROM counters_through WHERE id = 1');
  // A damaged number may be too large for a number.
  statement.setReadBigInts(true);
  const { seq, checksum } = statement.get() ?? {};
  return Number(checksum) === numbersChecksum(Number(seq)) ? Number(seq) : 0;
};

/** Recognizes the key of the identities without revealing it. The last number is a checksum. */
const identityMark = (identities: IdentitiesOf): string => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identities(-1)(kindIndex.user, 'the key of this file', keys, checks);
  const [key, check] = [keys[kindIndex.user] as number, checks[kindIndex.user] as number];
  return [key, check, numbersChecksum(key, check)].join('.');
};
/** Whether the file is of another installation. A damaged mark proves nothing. */
const isOfOther = (counters: DatabaseSync, identities: IdentitiesOf): boolean => {
  const mark = String(counters.prepare('SELECT identity FROM counters_through').get()?.identity);
  const [key = 0, check = 0, checksum] = mark.split('.').map(Number);
  return numbersChecksum(key, check) === checksum && mark !== identityMark(identities);
};

const AHEAD =
  `${COUNTERS_FILE} contains screenings that the records do not, so the two are not from the same backup. Restore both from ` +
  `one backup, or move ${COUNTERS_FILE} away: it is then rebuilt from the remaining screenings.`;

const refuseIfAhead = (counters: DatabaseSync, { records }: CountersFileOptions): void => {
  // Without screenings the comparison proves nothing: they expire, and every label may be older than the newest one was.
  if (newestScreeningSeq(records) > 0 && completeThrough(counters) > newestSeq(records)) throw new Error(AHEAD);
};

const FORMER_LAYOUT = 2;
/** A file that is being written, and a malformed file whose histories are being saved. */
const newPath = (path: string): string => `${path}.new`;
const salvagePath = (path: string): string => `${path}.salvage`;
const damagedPath = (path: string): string => `${path}.damaged`;
const withLogs = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`, `${path}-journal`];

/** Moves a database with its log, which belongs to no other file. */
const move = (from: string, to: string): void => {
  for (const path of withLogs(to)) rmSync(path, { force: true });
  const [file, ...logs] = withLogs(from);
  for (const log of logs) if (existsSync(log)) renameSync(log, log.replace(from, to));
  renameSync(file as string, to);
};

const PROGRESS_MS = 5000;
/** Reports the progress of long work every few seconds. */
const makeProgressLog = (onInfo: (message: string) => void): OnProgress => {
  let reportedAt = performance.now();
  return (what, done) => {
    if (done % 256 !== 0 || performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    onInfo(`${COUNTERS_FILE}: ${done} ${what}`);
  };
};

/** Writes a new file beside the old one and puts it in its place. A process that dies before leaves the old one. */
const replaceBy = ({ path, identities }: CountersFileOptions, fill: (target: NewFile) => void): void => {
  for (const left of withLogs(newPath(path))) rmSync(left, { force: true });
  const target = makeNewFile(newPath(path));
  try {
    fill(target);
    // Every stored screening is folded in again: into the histories that are new, and those that lack it.
    target.database.prepare('UPDATE counters_through SET identity = ?').run(identityMark(identities));
    target.finish();
  } finally {
    target.discard();
  }
  renameSync(newPath(path), path);
};

/** The key of an e-mail address by its spelling, as before mailboxes were identified. */
const spelledEmail =
  (identities: IdentitiesOf): SpelledEmail =>
  (tenant, email) => {
    const keys: number[] = [];
    identities(tenant)(kindIndex.email, email, keys, []);
    return keys[kindIndex.email] as number;
  };

/** Runs a conversion with what the journal up to number `through` says about facts that the former file lacks. */
const withDigest = <T>(
  { records, identities, onInfo }: CountersFileOptions,
  through: number,
  task: (digest: JournalDigest, onProgress: OnProgress) => T,
): T => {
  const onProgress = makeProgressLog(onInfo);
  const restore = makeRestoreSubject(identities);
  const digest = digestJournal(records, restore, spelledEmail(identities), through, (done) =>
    onProgress('screenings read', done),
  );
  try {
    return task(digest, onProgress);
  } finally {
    digest.close();
  }
};

/** Closes a former file so that no log of it is left when the new one takes its place. */
const closeFormer = (former: DatabaseSync): void => {
  former.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  former.close();
};

const convert = (options: CountersFileOptions, former: DatabaseSync): void => {
  const { records, identities, onInfo } = options;
  onInfo(
    `${COUNTERS_FILE} is of release 0.1: its histories are converted, which may take minutes. The service starts afterwards`,
  );
  const restore = makeRestoreSubject(identities);
  replaceBy(options, (target) => {
    const { kept, unnamed, forged, damaged } = withDigest(options, newestSeq(records), (digest, onProgress) =>
      convertFormer(former, target, records, restore, digest, onProgress),
    );
    closeFormer(former);
    onInfo(
      `${COUNTERS_FILE} is converted: ${kept} histories kept; ${unnamed} left out, because no screening of the last 90 days ` +
        `names their entity; ${forged + damaged} mixed or damaged ones are rebuilt from the stored screenings`,
    );
  });
};

const convertFromThird = (options: CountersFileOptions, former: DatabaseSync): void => {
  const { onInfo } = options;
  refuseIfAhead(former, options);
  onInfo(`${COUNTERS_FILE} is of an earlier release: its histories are converted. The service starts afterwards`);
  replaceBy(options, (target) => {
    const { kept, damaged } = withDigest(options, completeThrough(former), (digest, onProgress) =>
      convertThird(former, target, digest, onProgress),
    );
    closeFormer(former);
    onInfo(
      `${COUNTERS_FILE} is converted: ${kept} groups of histories kept; ${damaged} damaged ones are rebuilt from the ` +
        'stored screenings',
    );
  });
};

/** Copies the readable groups of a malformed file. Returns how many there are. */
const salvageGroups = (options: CountersFileOptions, malformed: DatabaseSync, target: NewFile): number => {
  const layout = layoutOf(malformed);
  if (layout === HISTORY_LAYOUT) return salvage(malformed, target, readAsIs);
  if (layout !== THIRD_LAYOUT) return 0;
  const scratch = makeArena(2 ** 16);
  return withDigest(options, newestSeq(options.records), (digest) =>
    salvage(malformed, target, (arena, tenant, bytes) => convertThirdGroup(scratch, arena, digest, tenant, bytes)),
  );
};

/** Saves what can be read of a malformed file. The rest is rebuilt from the stored screenings. */
const salvageFile = (options: CountersFileOptions): void => {
  const { path, onError } = options;
  let saved = 0;
  replaceBy(options, (target) => {
    let malformed: DatabaseSync | undefined;
    try {
      malformed = openDatabase(salvagePath(path), { cacheKib: 4096 });
      saved = salvageGroups(options, malformed, target);
    } catch (error) {
      if (!isMalformed(error)) throw error;
    } finally {
      malformed?.close();
    }
  });
  move(salvagePath(path), damagedPath(path));
  onError(
    `${path} was malformed: ${saved} groups of histories could be read; all others are rebuilt from the stored screenings. ` +
      `The malformed file is now ${damagedPath(path)}; delete it when you do not need it`,
  );
};

/** The statements that created the tables. Empty for a new file. */
const schemaOf = (counters: DatabaseSync): string =>
  counters
    .prepare('SELECT name, sql FROM sqlite_schema ORDER BY name')
    .all()
    .map(({ name, sql }) => `${name}: ${sql}`)
    .join('\n');
const schemaBy = (statements: string): string => {
  const empty = new Database(':memory:');
  empty.exec(statements);
  const schema = schemaOf(empty);
  empty.close();
  return schema;
};
const currentSchema = (): string => schemaBy(SCHEMA);

/** Moves a malformed file away and replaces it. */
export const replaceMalformedFile = (options: CountersFileOptions): void => {
  move(options.path, salvagePath(options.path));
  salvageFile(options);
};

/** Opens the file, created if missing. Converts a former one, and moves one of any other layout or key away. */
const openCurrent = (options: CountersFileOptions): DatabaseSync => {
  const { path, identities, onError } = options;
  const counters = openDatabase(path, { cacheKib: 512, newPageBytes: PAGE_BYTES });
  const layout = layoutOf(counters);
  const schema = schemaOf(counters);
  // First: in a file with these tables, another layout is a damaged number.
  if (schema === currentSchema() ? !isOfOther(counters, identities) : schema === '') {
    counters.exec(SCHEMA);
    counters.prepare('UPDATE counters_through SET identity = ?').run(identityMark(identities));
    return counters;
  }
  const isThird = schema === schemaBy(THIRD_SCHEMA);
  if (isThird ? !isOfOther(counters, identities) : layout === FORMER_LAYOUT) {
    (isThird ? convertFromThird : convert)(options, counters);
    return openDatabase(path, { cacheKib: 512 });
  }
  counters.close();
  const isDamaged = layout === HISTORY_LAYOUT ? schema !== currentSchema() : layout === THIRD_LAYOUT && !isThird;
  if (isDamaged) throw malformedError('the schema is damaged');
  move(path, damagedPath(path));
  onError(
    `${path} is of another release or installation: all histories are rebuilt from the stored screenings. The file is ` +
      `now ${damagedPath(path)}; delete it when you do not need it`,
  );
  return openCurrent(options);
};

/** Opens the file and reads what every start reads: a file that cannot be read is replaced before anything uses it. */
const openReadable = (options: CountersFileOptions): DatabaseSync => {
  const counters = openCurrent(options);
  try {
    makeGroupFinder(counters);
    completeThrough(counters);
  } catch (error) {
    counters.close();
    throw error;
  }
  return counters;
};

/**
 * Creates the file if it is missing, and brings one of an earlier release up to date. Refuses a file that is ahead of
 * the records: it counts screenings that were never stored. Returns a connection, to be closed once there is another
 * one: the last connection copies the whole log into the file when it closes, which would delay the start.
 */
export const provideCountersFile = (options: CountersFileOptions): DatabaseSync => {
  const { path } = options;
  // A process died while it saved the histories of a malformed file.
  if (existsSync(salvagePath(path))) salvageFile(options);
  let counters: DatabaseSync;
  try {
    counters = openReadable(options);
  } catch (error) {
    if (!isMalformed(error)) throw error;
    replaceMalformedFile(options);
    counters = openCurrent(options);
  }
  try {
    refuseIfAhead(counters, options);
    return counters;
  } catch (error) {
    counters.close();
    throw error;
  }
};
