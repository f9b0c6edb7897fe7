import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/**
 * Renders a Helm chart without Helm: as much of Go's template language as our chart uses, and a complaint about anything else. Reading a
 * value that values.yaml does not have is an error here, where Helm would go on with nothing.
 */
// biome-ignore lint/suspicious/noExplicitAny: values of a template are of any kind.
type Any = any;
type Node = { text: string } | { action: string; body: Node[]; otherwise: Node[] };
interface Scope {
  readonly dot: Any;
  readonly variables: ReadonlyMap<string, Any>;
}

const BLOCKS = /^(?:if|range|with|define) /;

const parseTemplate = (source: string): Node[] => {
  const tokens = source
    .replaceAll(/\s*\{\{-/g, '{{')
    .replaceAll(/-\}\}\s*/g, '}}')
    .split(/(\{\{.*?\}\})/s);
  let at = 0;
  const nodes = (): Node[] => {
    const found: Node[] = [];
    for (; at < tokens.length; at++) {
      const token = tokens[at] as string;
      const action = /^\{\{\s*(.*?)\s*\}\}$/s.exec(token)?.[1];
      if (action === undefined) found.push({ text: token });
      else if (action === 'end' || action === 'else') return found;
      else if (!action.startsWith('/*')) {
        const node = { action, body: [] as Node[], otherwise: [] as Node[] };
        found.push(node);
        if (!BLOCKS.test(action)) continue;
        at++;
        node.body = nodes();
        if (tokens[at]?.includes('else')) {
          at++;
          node.otherwise = nodes();
        }
        if (tokens[at] === undefined) throw new Error(`no end: ${action}`);
      }
    }
    return found;
  };
  const all = nodes();
  if (at < tokens.length) throw new Error(`an end of nothing: ${tokens[at]}`);
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

/** Notes which values are read. */
const watched = (value: Any, path: string, used: Set<string>): Any =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : new Proxy(value, {
        get: (target, key) => {
          if (typeof key === 'symbol' || key === 'toJSON') return target[key];
          if (!Object.hasOwn(target, key)) throw new Error(`values.yaml has no ${path}${key}`);
          used.add(path + key);
          return watched(target[key], `${path}${key}.`, used);
        },
      });

const merged = (values: Any, over: Any): Any =>
  Object.fromEntries(
    [...new Set([...Object.keys(values), ...Object.keys(over)])].map((key) => {
      const [own, other] = [values[key], over[key]];
      const both = [own, other].every((part) => typeof part === 'object' && !Array.isArray(part));
      return [key, both ? merged(own, other) : (other ?? own)];
    }),
  );

export const renderChart = (folder: string, over: object, release: string) => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const used = new Set<string>();
  const chart = parse(read('Chart.yaml'));
  const values = merged(parse(read('values.yaml')), over);
  const root = {
    Values: watched(values, '', used),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'fraud', Service: 'Helm' },
  };
  const defined = new Map<string, Node[]>();

  const call = (name: string, args: Any[]): Any => {
    if (name === 'include') {
      const [of, dot] = args;
      const body = defined.get(of);
      if (body === undefined) throw new Error(`not defined: ${of}`);
      return run(body, { dot, variables: new Map([['$', dot]]) });
    }
    const act = FUNCTIONS[name];
    if (act === undefined) throw new Error(`not known here: ${name}`);
    return act(...args);
  };
  const member = (of: Any, path: string): Any =>
    path
      .split('.')
      .filter((key) => key !== '')
      .reduce((value, key) => {
        if (!(key in value)) throw new Error(`no ${key} in ${path}`);
        return value[key];
      }, of);
  const evaluate = (text: string, scope: Scope): Any => {
    const tokens = [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+)/gy)].map(([, token]) => token as string);
    const operand = (): Any => {
      const token = tokens.shift() as string;
      if (token === '(') {
        const value = pipeline();
        if (tokens.shift() !== ')') throw new Error(`no closing bracket: ${text}`);
        return value;
      }
      if (token.startsWith('"')) return JSON.parse(token);
      if (/^\d+$/.test(token)) return Number(token);
      if (token.startsWith('.')) return member(scope.dot, token);
      const [, variable, path] = /^(\$\w*)((?:\.\w+)*)$/.exec(token) ?? [];
      if (variable === undefined) return call(token, []);
      if (!scope.variables.has(variable)) throw new Error(`no variable ${variable}`);
      return member(scope.variables.get(variable), path as string);
    };
    const command = (piped: Any[]): Any => {
      const name = /^[a-z]\w*$/i.test(tokens[0] ?? '') ? tokens.shift() : undefined;
      const args: Any[] = [];
      while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(operand());
      if (name !== undefined) return call(name, [...args, ...piped]);
      if (args.length !== 1 || piped.length > 0) throw new Error(`not one value: ${text}`);
      return args[0];
    };
    const pipeline = (): Any => {
      let value = command([]);
      while (tokens[0] === '|') {
        tokens.shift();
        value = command([value]);
      }
      return value;
    };
    const value = pipeline();
    if (tokens.length > 0) throw new Error(`left over: ${tokens.join(' ')}`);
    return value;
  };
  const entries = (value: Any): [Any, Any][] =>
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
        const within = (more: Partial<Scope>): string => run(body, { ...scope, ...more });
        if (word === 'define') {
          defined.set(JSON.parse(rest), body);
          return '';
        }
        const value = evaluate(rest, scope);
        if (word === 'range')
          return entries(value)
            .map(([key, one]) => {
              const own = names === undefined ? [] : variables.map((name, index) => [name, [key, one][index]] as const);
              return within({ dot: one, variables: new Map([...scope.variables, ...own]) });
            })
            .join('');
        if (word !== undefined) {
          if (!isTrue(value)) return run(otherwise, scope);
          return word === 'if' ? within({}) : within({ dot: value });
        }
        if (names === undefined) return String(value);
        scope = { ...scope, variables: new Map([...scope.variables, [variables[0] as string, value]]) };
        return '';
      })
      .join('');
  };

  const templates = readdirSync(join(folder, 'templates'));
  const render = (name: string): string =>
    run(parseTemplate(read(join('templates', name))), { dot: root, variables: new Map([['$', root]]) });
  const isHelper = (name: string): boolean => name.startsWith('_');
  templates.filter(isHelper).forEach(render);
  return { rendered: new Map(templates.filter((name) => !isHelper(name)).map((name) => [name, render(name)])), used };
};
