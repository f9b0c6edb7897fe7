import type { GroupsToForget } from './history-rows.ts';

/** Groups that were removed from memory, with the groups that hold what is left of them. */
interface Forgetting extends GroupsToForget {
  readonly replacements: readonly number[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const nameOf = (tenant: number, key: number, check: number): string => `${tenant}:${key}:${check}`;

/**
 * Histories that are deleted with the next save. Until then their rows are on disk, and must not be read. One save deletes
 * a row and adds the groups that replace it: a crash in between would lose histories.
 */
export const makeForgotten = () => {
  let waiting: Forgetting[] = [];
  let saving: Forgetting[] = [];
  const names = new Set<string>();
  const forgetNames = (done: readonly Forgetting[]): void => {
    for (const { entities } of done) for (const entity of entities) names.delete(nameOf(...entity));
  };
  return {
    /** Deletes rows with the next save. Resolves when they are deleted. `replacements` are slots of the cache. */
    add: (groups: GroupsToForget, replacements: readonly number[]): Promise<void> =>
      new Promise((resolve, reject) => {
        for (const entity of groups.entities) names.add(nameOf(...entity));
        waiting.push({ ...groups, replacements, resolve, reject });
      }),
    has: (tenant: number, key: number, check: number): boolean =>
      names.size > 0 && names.has(nameOf(tenant, key, check)),
    isWaiting: (): boolean => waiting.length > 0,
    /** What the save that begins now deletes; undefined if nothing. */
    begin: (): (GroupsToForget & { readonly replacements: readonly number[] }) | undefined => {
      if (waiting.length === 0) return undefined;
      saving = waiting;
      waiting = [];
      return {
        ids: saving.flatMap(({ ids }) => ids),
        entities: saving.flatMap(({ entities }) => entities),
        replacements: saving.flatMap(({ replacements }) => replacements),
      };
    },
    saved: (): void => {
      const done = saving;
      saving = [];
      forgetNames(done);
      for (const { resolve } of done) resolve();
    },
    /** The save failed, and is repeated. */
    failed: (): void => {
      waiting = [...saving, ...waiting];
      saving = [];
    },
    /** Memory is read again from disk, with everything that was to be deleted. */
    reset: (): void => {
      const lost = [...saving, ...waiting];
      [saving, waiting] = [[], []];
      names.clear();
      for (const { reject } of lost) reject(new Error('histories were read again before they were deleted'));
    },
  };
};
export type Forgotten = ReturnType<typeof makeForgotten>;
