import { MORE } from './page-answers.ts';

/** Changes values in JSON as a page shows it. Everything else keeps its line breaks and its order. */

type Path = readonly string[];

/** A value in a text, with the values in it by name or index. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly within?: ReadonlyMap<string, Place>;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;

/** The places of all values in valid JSON. */
const placesIn = (json: string): Place => {
  const read = (at: number): { token: string; start: number; end: number } => {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(json)?.[1] ?? '';
    return { token, start: TOKEN.lastIndex - token.length, end: TOKEN.lastIndex };
  };
  const placeAt = (at: number): Place => {
    const { token, start, end } = read(at);
    if (token !== '{' && token !== '[') return { start, end };
    const within = new Map<string, Place>();
    let next = read(end);
    while (next.token !== '}' && next.token !== ']') {
      if (next.token === ',') next = read(next.end);
      const name = token === '{' ? (JSON.parse(next.token) as string) : String(within.size);
      const value = placeAt(token === '{' ? read(next.end).end : next.start);
      within.set(name, value);
      next = read(value.end);
    }
    return { start, end: next.end, within };
  };
  return placeAt(0);
};

const WIDTH = 118;
const isList = Array.isArray;

const inline = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(inline).join(', ')}]`;
  return `{ ${membersOf(value).join(', ')} }`;
};
const membersOf = (value: object): string[] =>
  Object.entries(value).map(([name, of]) => `${JSON.stringify(name)}: ${inline(of)}`);

/** The members on as few lines as possible. */
const filled = (value: object, indent: string): string => {
  const lines: string[] = [];
  for (const member of membersOf(value)) {
    const last = lines.at(-1);
    if (last !== undefined && `${indent}  ${last}, ${member},`.length <= WIDTH)
      lines[lines.length - 1] = `${last}, ${member}`;
    else lines.push(member);
  }
  return `{\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}}`;
};

/** `isBroken`: an object is written on several lines. */
const write = (value: unknown, indent: string, isBroken: boolean): string => {
  if (typeof value !== 'object' || value === null || !isBroken) return inline(value);
  if (!isList(value)) return filled(value, indent);
  const items = value.map((item) => `${indent}  ${write(item, `${indent}  `, true)}`);
  return value.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${indent}]`;
};

/** What a page shows of a value where it showed a part of another. */
const shownPart = (printed: unknown, actual: unknown): unknown => {
  if (isList(printed) && isList(actual))
    return printed.at(-1) === MORE ? [...actual.slice(0, printed.length - 1), MORE] : actual;
  if (typeof printed !== 'object' || printed === null || !(MORE in printed)) return actual;
  const kept = Object.entries(actual as object).filter(([name]) => name in printed);
  return Object.fromEntries([...kept, [MORE, MORE]]);
};

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((of, name) => (of as Record<string, unknown> | undefined)?.[name], value);
const placeOf = (root: Place, path: Path): Place | undefined =>
  path.reduce<Place | undefined>((of, name) => of?.within?.get(name), root);

/** The JSON with the actual values at these paths. Where one side has no value, the value around it is replaced. */
export const withValues = (json: string, actual: unknown, paths: readonly Path[]): string => {
  const root = placesIn(json);
  const printed: unknown = JSON.parse(json);
  const isOnBothSides = (path: Path): boolean =>
    placeOf(root, path) !== undefined && valueAt(actual, path) !== undefined;
  const replaced = paths.map((path) => (isOnBothSides(path) ? path : path.slice(0, -1)));
  const byKey = new Map(replaced.map((path) => [JSON.stringify(path), path]));
  const isWithinAnother = (path: Path): boolean =>
    path.some((_, depth) => byKey.has(JSON.stringify(path.slice(0, depth))));
  return [...byKey.values()]
    .filter((path) => !isWithinAnother(path))
    .map((path) => ({ path, place: placeOf(root, path) as Place }))
    .toSorted((a, b) => b.place.start - a.place.start)
    .reduce((text, { path, place: { start, end } }) => {
      const indent = /^ */.exec(json.slice(json.lastIndexOf('\n', start) + 1))?.[0] ?? '';
      const value = shownPart(valueAt(printed, path), valueAt(actual, path));
      const isBroken = json.slice(start, end).includes('\n');
      return text.slice(0, start) + write(value, indent, isBroken) + text.slice(end);
    }, json);
};
