const ID = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Says where an answer differs from the one that is printed. Ids may be others, but one id is the same one everywhere; times may be
 * others; all else must be as printed.
 */
export const makeComparison = () => {
  const ids = new Map<string, string>();

  const compareText = (printed: string, actual: string): boolean => {
    if (TIME.test(printed)) return TIME.test(actual);
    const kind = ID.exec(printed)?.[1];
    if (kind === undefined) return printed === actual;
    const known = ids.get(printed) ?? actual;
    ids.set(printed, known);
    return ID.exec(actual)?.[1] === kind && known === actual;
  };

  const differences = (printed: unknown, actual: unknown, path: string): string[] => {
    if (typeof printed === 'string' && typeof actual === 'string' && compareText(printed, actual)) return [];
    if (typeof printed !== 'object' || printed === null || typeof actual !== 'object' || actual === null) {
      return printed === actual ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(printed)}`];
    }
    if (Array.isArray(printed) !== Array.isArray(actual)) return [`${path} is no list, or one by surprise`];
    const names = [...new Set([...Object.keys(printed), ...Object.keys(actual)])];
    return names.flatMap((name) =>
      differences(
        (printed as Record<string, unknown>)[name],
        (actual as Record<string, unknown>)[name],
        path === '' ? name : `${path}.${name}`,
      ),
    );
  };
  return (printed: unknown, actual: unknown): string[] => differences(printed, actual, '');
};
