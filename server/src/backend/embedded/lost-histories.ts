import { setImmediate } from 'node:timers/promises';
import {
  type Arena,
  activityOf,
  addHistory,
  addToProfile,
  entityGroupWords,
  kindIndex,
  type LabelEffect,
  makeArena,
  newEntityGroup,
  newProfile,
  observe,
  observeLabel,
  profileAt,
  type Subject,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import type { Backend } from '../backend.ts';
import { isErased } from '../erased-request.ts';
import { labelEffectOf, type RestoreSubject } from '../journal.ts';
import { isLabel, type JournalEntry, journalBetween } from '../journal-pages.ts';

/**
 * Entities whose history on disk is damaged. Until their histories are rebuilt from the journal, they are unavailable to
 * every decision: never empty, and never new. Screenings and labels that arrive during a rebuild are kept and applied at the end.
 */
export interface LostEntity {
  readonly tenant: number;
  readonly kind: number;
  readonly key: number;
  readonly check: number;
  /** Entries up to this one are not counted: they were erased. */
  readonly after: number;
  /** Entries since it was found lost, in order. */
  readonly missed: Entry[];
}
type ProfiledVerdict = Pick<Verdict, 'score' | 'decision' | 'signals'>;
type Entry = { readonly seq: number; readonly subject: Subject } & (
  | { readonly activity: number; readonly verdict: ProfiledVerdict }
  | { readonly effect: LabelEffect }
);

export interface LostHistoriesOptions {
  readonly reader: Pick<Backend, 'read'>;
  readonly newestSeq: () => number;
  readonly restore: RestoreSubject;
  /** Takes over a rebuilt group. It contains every entry counted so far. Undefined if no entry of the entity is left. */
  readonly onRebuilt: (entity: LostEntity, bytes: Uint8Array | undefined) => void;
  readonly onError: (error: unknown) => void;
}

const idOf = (tenant: number, key: number, check: number): string => `${tenant}:${key}:${check}`;

const addVerdict = (arena: Arena, before: number, subject: Subject, verdict: ProfiledVerdict): number => {
  const { score, decision, signals } = verdict;
  const group = profileAt(arena, before) === before ? newProfile(arena, before, subject.at) : before;
  return addToProfile(arena, group, subject, score, decision, signals);
};

/** Folds an entry into the group of a lost entity, 0 for none. Returns the new position of the group. */
const foldEntry = (arena: Arena, before: number, { kind, key, check }: LostEntity, entry: Entry): number => {
  const { subject } = entry;
  if ('effect' in entry) return before === 0 ? 0 : observeLabel(arena, before, 0, kind, subject.hashes, entry.effect);
  const group = before === 0 ? addHistory(arena, newEntityGroup(arena), kind, key, check, subject.at) : before;
  const counted = observe(arena, group, 0, kind, subject, entry.activity);
  return kind === kindIndex.user ? addVerdict(arena, counted, subject, entry.verdict) : counted;
};

const bytesOf = (arena: Arena, group: number): Uint8Array =>
  arena.bytes.slice(group * 8, (group + entityGroupWords(arena, group)) * 8);

export const makeLostHistories = ({ reader, newestSeq, restore, onRebuilt, onError }: LostHistoriesOptions) => {
  const lost = new Map<string, LostEntity>();
  /** Lost entities without any entry in the journal. They are new. */
  const gone = new Set<string>();
  let running: Promise<void> | undefined;
  /** Changes when everything is read again: a run that began before must end. */
  let generation = 0;

  const entryOf = (row: JournalEntry): Entry | undefined => {
    if (row.type === null || isErased(row)) return undefined;
    if (isLabel(row)) {
      const restored = restore(row.tenant, row);
      const effect = labelEffectOf(row, restored);
      return effect === undefined ? undefined : { seq: row.seq, subject: restored.subject, effect };
    }
    const { subject, facts } = restore(row.tenant, row);
    return { seq: row.seq, subject, activity: activityOf(subject, facts), verdict: unpackVerdict(row.verdict) };
  };

  /** Rebuilds every entity that is lost now. Those that are found lost during it are left to the next run. */
  const rebuildAll = async (): Promise<void> => {
    const began = generation;
    const targets = new Map(lost);
    const tenants = new Set([...targets.values()].map(({ tenant }) => tenant));
    const arena = makeArena(2 ** 12);
    const groups = new Map<LostEntity, number>();
    // Every later entry of these entities is in `missed`: they were found lost before this number was read.
    const upTo = newestSeq();
    const after = Math.min(...Array.from(targets.values(), (entity) => entity.after));
    for await (const page of journalBetween(reader, after, upTo)) {
      if (generation !== began) return;
      for (const row of page) {
        const entry = tenants.has(row.tenant) ? entryOf(row) : undefined;
        if (entry === undefined) continue;
        const { hashes, checks } = entry.subject;
        for (let kind = 0; kind < hashes.length; kind++) {
          const entity = targets.get(idOf(row.tenant, hashes[kind] as number, checks[kind] as number));
          if (entity?.kind !== kind || row.seq <= entity.after) continue;
          groups.set(entity, foldEntry(arena, groups.get(entity) ?? 0, entity, entry));
        }
      }
      await setImmediate();
    }
    if (generation !== began) return;
    for (const [id, entity] of targets) {
      let group = groups.get(entity) ?? 0;
      for (const entry of entity.missed) if (entry.seq > upTo) group = foldEntry(arena, group, entity, entry);
      lost.delete(id);
      if (group === 0) gone.add(id);
      onRebuilt(entity, group === 0 ? undefined : bytesOf(arena, group));
    }
  };

  const rebuild = async (): Promise<void> => {
    try {
      // First lets the current subject find all of its lost entities: they share one pass over the journal.
      await setImmediate();
      while (lost.size > 0) await rebuildAll();
    } catch (error) {
      onError(error);
    } finally {
      running = undefined;
    }
  };
  const run = (): void => {
    running ??= rebuild();
  };

  return {
    count: (): number => lost.size,
    has: (tenant: number, key: number, check: number): boolean => lost.size > 0 && lost.has(idOf(tenant, key, check)),
    isGone: (tenant: number, key: number, check: number): boolean =>
      gone.size > 0 && gone.has(idOf(tenant, key, check)),
    add: (tenant: number, kind: number, key: number, check: number, after = 0): void => {
      lost.set(idOf(tenant, key, check), { tenant, kind, key, check, after, missed: [] });
      run();
    },
    /** An entry was counted in the histories of its subject, except the lost ones. */
    miss: (tenant: number, entry: Entry): void => {
      const { hashes, checks } = entry.subject;
      for (let kind = 0; kind < hashes.length; kind++)
        lost.get(idOf(tenant, hashes[kind] as number, checks[kind] as number))?.missed.push(entry);
    },
    /** Resolves when the rebuild in progress has ended. */
    whenRebuilt: (): Promise<void> => running ?? Promise.resolve(),
    /** Tries again after an error. */
    retry: (): void => {
      if (lost.size > 0) run();
    },
    /** Forgets everything: the file is read again, or has been replaced. */
    clear: (): void => {
      generation++;
      lost.clear();
      gone.clear();
    },
  };
};
export type LostHistories = ReturnType<typeof makeLostHistories>;
