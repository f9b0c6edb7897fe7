const ID = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Marks an omission: the rest of a text, further fields (`"…": "…"`), further items at the end of a list. */
export const MORE = '…';

/** A value that differs, and how. */
export interface Difference {
  readonly path: readonly string[];
  readonly message: string;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The shown part of a printed object or list, and whether it is complete. */
const readPrinted = (printed: Fields): { shown: Fields; isAll: boolean } => {
  if (Array.isArray(printed)) {
    const isAll = printed.at(-1) !== MORE;
    return { shown: { ...(isAll ? printed : printed.slice(0, -1)) }, isAll };
  }
  const { [MORE]: more, ...shown } = printed;
  return { shown, isAll: more === undefined };
};

/**
 * Lists the differences between a response and the printed one. Ids may differ but must be used consistently. Times may differ, and so may
 * numbers in the fields named in `counted`. Everything else must be equal.
 */
export const makeComparison = (counted: readonly string[] = []) => {
  const ids = new Map<string, string>();

  const compareText = (printed: string, actual: string): boolean => {
    if (TIME.test(printed)) return TIME.test(actual);
    if (printed.endsWith(MORE)) return actual.startsWith(printed.slice(0, -MORE.length));
    const kind = ID.exec(printed)?.[1];
    if (kind === undefined) return printed === actual;
    const known = ids.get(printed) ?? actual;
    ids.set(printed, known);
    return ID.exec(actual)?.[1] === kind && known === actual;
  };

  const isSame = (printed: unknown, actual: unknown, path: readonly string[]): boolean => {
    if (typeof printed === 'string' && typeof actual === 'string') return compareText(printed, actual);
    const mayDiffer = typeof printed === 'number' && path.some((name) => counted.includes(name));
    return mayDiffer ? typeof actual === 'number' : printed === actual;
  };

  const differences = (printed: unknown, actual: unknown, path: readonly string[]): Difference[] => {
    const place = path.join('.');
    if (!isFields(printed) || !isFields(actual)) {
      if (isSame(printed, actual, path)) return [];
      return [{ path, message: `${place} is ${JSON.stringify(actual)}, not ${JSON.stringify(printed)}` }];
    }
    if (Array.isArray(printed) !== Array.isArray(actual))
      return [{ path, message: `${place} is a list on one side only` }];
    const { shown, isAll } = readPrinted(printed);
    const names = new Set([...Object.keys(shown), ...(isAll ? Object.keys(actual) : [])]);
    return [...names].flatMap((name) => differences(shown[name], actual[name], [...path, name]));
  };
  return (printed: unknown, actual: unknown): Difference[] => differences(printed, actual, []);
};
