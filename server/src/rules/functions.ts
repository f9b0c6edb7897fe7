import type { ASTNode } from '@marcbachmann/cel-js';
import { refuse } from './cost-limits.ts';
import { quoted } from './expression-error.ts';
import { type Run, type StringTerm, type Term, typeName } from './types.ts';

/** The number of code points, as CEL counts them. */
const lengthOf = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
/** NaN, which means unknown, for a text that is not a number. */
const toNumber = (text: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
};

const sizeOf = (node: ASTNode, of: Term): Term => {
  const measure = ((): Run<number> => {
    if (of.type === 'string') return (input, item) => lengthOf(of.run(input, item));
    if (of.type === 'list') return (input, item) => of.run(input, item).length;
    if (of.type === 'map') return (input, item) => Object.keys(of.run(input, item)).length;
    return refuse(node, `\`size\` does not work on ${typeName(of)}`);
  })();
  return { type: 'number', run: measure };
};

interface Callable {
  /** How the call is written. */
  readonly form: string;
  readonly meaning: string;
  /** The receiver of a method is the first argument. */
  readonly call: (node: ASTNode, args: readonly Term[]) => Term;
  readonly takes: number;
}

const texts = (node: ASTNode, name: string, args: readonly Term[]): Run<string>[] =>
  args.map((arg) => (arg.type === 'string' ? arg.run : refuse(node, `\`${name}\` does not work on ${typeName(arg)}`)));

const test = (name: string, meaning: string, holds: (text: string, part: string) => boolean): [string, Callable] => [
  name,
  {
    form: `text.${name}("…")`,
    meaning,
    takes: 2,
    call: (node, args) => {
      const [text, part] = texts(node, name, args) as [Run<string>, Run<string>];
      return { type: 'bool', run: (input, item) => holds(text(input, item), part(input, item)) };
    },
  },
];
const change = (name: string, meaning: string, of: (text: string) => string): [string, Callable] => [
  name,
  {
    form: `text.${name}()`,
    meaning,
    takes: 1,
    call: (node, args): StringTerm => {
      const [text] = texts(node, name, args) as [Run<string>];
      const isLong = (args[0] as StringTerm).isLong === true;
      return { type: 'string', isLong, run: (input, item) => of(text(input, item)) };
    },
  },
];

const SIZE = 'The number of characters of a text, of fields of `metadata`, or of values of a list.';

/** Methods: `email.endsWith(".ru")`. */
export const METHODS: ReadonlyMap<string, Callable> = new Map([
  test('startsWith', 'Whether a text begins with another.', (text, part) => text.startsWith(part)),
  test('endsWith', 'Whether a text ends with another.', (text, part) => text.endsWith(part)),
  test('contains', 'Whether a text contains another.', (text, part) => text.includes(part)),
  change('lowerAscii', 'The text in small letters.', (text) => text.toLowerCase()),
  change('upperAscii', 'The text in capitals.', (text) => text.toUpperCase()),
  change('trim', 'The text without leading and trailing spaces.', (text) => text.trim()),
  ['size', { form: 'x.size()', meaning: SIZE, takes: 1, call: (node, [of]) => sizeOf(node, of as Term) }],
]);

/** Functions: `known(features["user.age_ms"])`. */
export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ['size', { form: 'size(x)', meaning: SIZE, takes: 1, call: (node, [of]) => sizeOf(node, of as Term) }],
  [
    'known',
    {
      form: 'known(number)',
      meaning: 'Whether a number is known. Every comparison with an unknown number is false.',
      takes: 1,
      call: (node, [of]) => {
        if (of?.type !== 'number') return refuse(node, '`known` takes a number; for fields of a request use `has`');
        const { run } = of;
        return { type: 'bool', run: (input, item) => !Number.isNaN(run(input, item)) };
      },
    },
  ],
  [
    'double',
    {
      form: 'double(text)',
      meaning: 'The number in a text. Unknown if the text is not a number.',
      takes: 1,
      call: (node, [of]) => {
        if (of?.type !== 'string') return refuse(node, '`double` takes a text');
        const { run } = of;
        return { type: 'number', run: (input, item) => toNumber(run(input, item)) };
      },
    },
  ],
]);

/** Parts of CEL that rules do not have, with the alternative. */
const UNAVAILABLE_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  [
    'matches',
    'regular expressions are not allowed, because they can take any time; use `startsWith`, `endsWith`, `contains` or `in`',
  ],
  ['map', '`map` is not available in rules; use `exists`, `all` or `filter`'],
]);

export const callTerm = (
  node: ASTNode,
  name: string,
  args: readonly Term[],
  from: ReadonlyMap<string, Callable>,
): Term => {
  const callable = from.get(name);
  if (callable === undefined)
    return refuse(node, UNAVAILABLE_FUNCTIONS.get(name) ?? `there is no function ${quoted(name)} in rules`);
  if (args.length !== callable.takes) return refuse(node, `use it as \`${callable.form}\``);
  return callable.call(node, args);
};
