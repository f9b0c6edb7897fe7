const hooks: (() => Promise<void>)[] = [];

/**
 * Test files share a process and with it the modules they import: a hook of Vitest set up while a module is loaded would run after the first of them alone.
 * What is set up here runs after each; last in, first out, so that services end before their databases are dropped.
 */
export const afterEachFile = (hook: () => Promise<void>): void => void hooks.unshift(hook);

/** Takes all that was gathered: what one file made is no longer there for the next. */
export const takeAll = <T>(gathered: Set<T>): T[] => {
  const taken = [...gathered];
  gathered.clear();
  return taken;
};

/** One that fails keeps no other from its turn. */
export const endFile = async (): Promise<void> => {
  const errors: unknown[] = [];
  for (const hook of hooks) await hook().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
};
