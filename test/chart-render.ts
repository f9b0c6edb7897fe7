import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/**
 * Renders our Helm chart without Helm, for tests that must run on every machine. It implements the part of Go's template language that our
 * chart uses, and throws on any other. It is written from Helm's documentation, so it may differ from Helm: `chart.test.ts` compares the
 * two where `helm` is installed, as in CI. One difference is intended: reading a value that values.yaml does not have is an error here,
 * while Helm renders nothing.
 */
// biome-ignore lint/suspicious/noExplicitAny: values of a template have any type.
type Any = any;
type Node = { text: string } | { action: string; body: Node[]; otherwise: Node[] };
interface Scope {
  readonly dot: Any;
  readonly variables: ReadonlyMap<string, Any>;
  /** The templates by name, which `define` adds to. */
  readonly templates: Map<string, Node[]>;
}

const BLOCKS = /^(?:if|range|with|define) /;

const parseTemplate = (source: string): Node[] => {
  const tokens = source
    .replaceAll(/\s*\{\{-/g, '{{')
    .replaceAll(/-\}\}\s*/g, '}}')
    .split(/(\{\{.*?\}\})/s);
  let at = 0;
  const parseNodes = (): Node[] => {
    const nodes: Node[] = [];
    for (; at < tokens.length; at++) {
      const token = tokens[at] as string;
      const action = /^\{\{\s*(.*?)\s*\}\}$/s.exec(token)?.[1];
      if (action === undefined) nodes.push({ text: token });
      else if (action === 'end' || action === 'else') return nodes;
      else if (!action.startsWith('/*')) {
        const node = { action, body: [] as Node[], otherwise: [] as Node[] };
        nodes.push(node);
        if (!BLOCKS.test(action)) continue;
        at++;
        node.body = parseNodes();
        if (tokens[at]?.includes('else')) {
          at++;
          node.otherwise = parseNodes();
        }
        if (tokens[at] === undefined) throw new Error(`end is missing: ${action}`);
      }
    }
    return nodes;
  };
  const all = parseNodes();
  if (at < tokens.length) throw new Error(`end without a block: ${tokens[at]}`);
  return all;
};

const isTrue = (value: Any): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
const indent = (count: number, text: string): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(count));

const FUNCTIONS: Readonly<Record<string, (...args: Any[]) => Any>> = {
  and: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  dict: (...args) =>
    Object.fromEntries(args.flatMap((arg, index) => (index % 2 === 0 ? [[arg, args[index + 1]]] : []))),
  eq: (left, right) => left === right,
  list: (...args) => args,
  nindent: (count, text) => `\n${indent(count, text)}`,
  not: (value) => !isTrue(value),
  printf: (format: string, ...args) => format.replaceAll('%s', () => args.shift()),
  quote: (value) => JSON.stringify(String(value)),
  required: (message, value) => {
    if (value === undefined || value === '') throw new Error(message);
    return value;
  },
  toJson: (value) => JSON.stringify(value),
  toYaml: (value) => stringify(value).trimEnd(),
  trimSuffix: (suffix: string, text: string) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : text),
  trunc: (length: number, text: string) => text.slice(0, length),
};

/** The values, with the path of every value that is read added to `used`. */
const recordReads = (value: Any, path: string, used: Set<string>): Any =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : new Proxy(value, {
        get: (target, key) => {
          if (typeof key === 'symbol' || key === 'toJSON') return target[key];
          if (!Object.hasOwn(target, key)) throw new Error(`values.yaml has no ${path}${key}`);
          used.add(path + key);
          return recordReads(target[key], `${path}${key}.`, used);
        },
      });

const mergeValues = (values: Any, over: Any): Any =>
  Object.fromEntries(
    [...new Set([...Object.keys(values), ...Object.keys(over)])].map((key) => {
      const [own, other] = [values[key], over[key]];
      const areMaps = [own, other].every((part) => typeof part === 'object' && !Array.isArray(part));
      return [key, areMaps ? mergeValues(own, other) : (other ?? own)];
    }),
  );

const callFunction = (name: string, args: Any[], { templates }: Scope): Any => {
  if (name === 'include') {
    const [template, dot] = args;
    const body = templates.get(template);
    if (body === undefined) throw new Error(`template is not defined: ${template}`);
    return run(body, { dot, variables: new Map([['$', dot]]), templates });
  }
  const act = FUNCTIONS[name];
  if (act === undefined) throw new Error(`unsupported function: ${name}`);
  return act(...args);
};

const fieldOf = (value: Any, path: string): Any =>
  path
    .split('.')
    .filter((key) => key !== '')
    .reduce((parent, key) => {
      if (!(key in parent)) throw new Error(`no ${key} in ${path}`);
      return parent[key];
    }, value);

const readOperand = (tokens: string[], scope: Scope): Any => {
  const token = tokens.shift() as string;
  if (token === '(') {
    const value = readPipeline(tokens, scope);
    if (tokens.shift() !== ')') throw new Error(`closing bracket is missing before: ${tokens.join(' ')}`);
    return value;
  }
  if (token.startsWith('"')) return JSON.parse(token);
  if (/^\d+$/.test(token)) return Number(token);
  if (token.startsWith('.')) return fieldOf(scope.dot, token);
  const [, variable, path] = /^(\$\w*)((?:\.\w+)*)$/.exec(token) ?? [];
  if (variable === undefined) return callFunction(token, [], scope);
  if (!scope.variables.has(variable)) throw new Error(`no variable ${variable}`);
  return fieldOf(scope.variables.get(variable), path as string);
};

const readCommand = (tokens: string[], scope: Scope, piped: Any[]): Any => {
  const name = /^[a-z]\w*$/i.test(tokens[0] ?? '') ? tokens.shift() : undefined;
  const args: Any[] = [];
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(readOperand(tokens, scope));
  if (name !== undefined) return callFunction(name, [...args, ...piped], scope);
  if (args.length !== 1 || piped.length > 0) throw new Error('a command without a function must be one value');
  return args[0];
};

const readPipeline = (tokens: string[], scope: Scope): Any => {
  let value = readCommand(tokens, scope, []);
  while (tokens[0] === '|') {
    tokens.shift();
    value = readCommand(tokens, scope, [value]);
  }
  return value;
};

const evaluate = (text: string, scope: Scope): Any => {
  const tokens = [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+)/gy)].map(([, token]) => token as string);
  const value = readPipeline(tokens, scope);
  if (tokens.length > 0) throw new Error(`not understood: ${tokens.join(' ')}`);
  return value;
};

const entriesOf = (value: Any): [Any, Any][] =>
  Array.isArray(value)
    ? [...value.entries()]
    : Object.keys(value)
        .sort()
        .map((key) => [key, value[key]]);

const run = (nodes: readonly Node[], outer: Scope): string => {
  let scope = outer;
  return nodes
    .map((node) => {
      if ('text' in node) return node.text;
      const { action, body, otherwise } = node;
      const [, word, names, rest = ''] = /^(?:(if|with|range|define) )?(?:([$\w, ]+?) := )?(.*)$/s.exec(action) ?? [];
      const variables = (names ?? '').split(',').map((name) => name.trim());
      const runBody = (more: Partial<Scope>): string => run(body, { ...scope, ...more });
      if (word === 'define') {
        scope.templates.set(JSON.parse(rest), body);
        return '';
      }
      const value = evaluate(rest, scope);
      if (word === 'range')
        return entriesOf(value)
          .map(([key, item]) => {
            const own = names === undefined ? [] : variables.map((name, index) => [name, [key, item][index]] as const);
            return runBody({ dot: item, variables: new Map([...scope.variables, ...own]) });
          })
          .join('');
      if (word !== undefined) {
        if (!isTrue(value)) return run(otherwise, scope);
        return word === 'if' ? runBody({}) : runBody({ dot: value });
      }
      if (names === undefined) return String(value);
      scope = { ...scope, variables: new Map([...scope.variables, [variables[0] as string, value]]) };
      return '';
    })
    .join('');
};

/** The rendered files by name, and the paths of the values that the chart read. */
export const renderChart = (
  folder: string,
  over: object,
  release: string,
): { rendered: Map<string, string>; used: Set<string> } => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const used = new Set<string>();
  const chart = parse(read('Chart.yaml'));
  const root = {
    Values: recordReads(mergeValues(parse(read('values.yaml')), over), '', used),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'fraud', Service: 'Helm' },
  };
  const scope: Scope = { dot: root, variables: new Map([['$', root]]), templates: new Map() };
  const files = readdirSync(join(folder, 'templates'));
  const render = (name: string): string => run(parseTemplate(read(join('templates', name))), scope);
  const isHelper = (name: string): boolean => name.startsWith('_');
  files.filter(isHelper).forEach(render);
  return { rendered: new Map(files.filter((name) => !isHelper(name)).map((name) => [name, render(name)])), used };
};
