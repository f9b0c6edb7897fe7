import type { ASTNode } from '@marcbachmann/cel-js';
import { closestName } from '../runtime/closest-name.ts';
import { type CompileContext, literalOf, refuse, spend } from './cost-limits.ts';
import type { Variable } from './define-variable.ts';
import { quoted } from './expression-error.ts';
import { canonicalFeature, featureReader, RULE_FEATURES } from './features.ts';
import { type Term, typeName } from './types.ts';
import { FEATURES, VARIABLES } from './variables.ts';

export const variables = new Map(VARIABLES.map((variable) => [variable.name, variable]));
export const families = new Set(
  VARIABLES.flatMap(({ name }) => (name.includes('.') ? [name.split('.', 1)[0] as string] : [])),
);
export const NAMES = [...variables.keys(), FEATURES];

export const hint = (name: string, names: readonly string[]): string => {
  const meant = closestName(name, names);
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
};

export const fieldsOf = (family: string): string[] => NAMES.filter((name) => name.startsWith(`${family}.`));

export const findVariable = (node: ASTNode, name: string): Variable => {
  const variable = variables.get(name);
  if (variable !== undefined) return variable;
  if (name === FEATURES) return refuse(node, 'name a feature: `features["user.transactions.1h"]`');
  if (families.has(name)) return refuse(node, `name one of its fields: ${fieldsOf(name).join(', ')}`);
  return refuse(node, `there is no variable ${quoted(name)}${hint(name, NAMES)}`);
};

export const useVariable = (node: ASTNode, name: string, context: CompileContext): Term => {
  const { term } = findVariable(node, name);
  context.used.variables.add(name);
  if (name !== 'lists' || term.type !== 'list') return term;
  const recordList = (list: string): undefined => void context.used.lists.add(list);
  return { ...term, check: recordList };
};

const suggestFeatures = (name: string): string => {
  const [family = ''] = name.split('.', 1);
  const closest = closestName(name, RULE_FEATURES);
  if (closest !== undefined) return `; did you mean \`${closest}\`?`;
  const some = RULE_FEATURES.filter((feature) => feature.startsWith(`${family}.`)).slice(0, 3);
  return some.length === 0 ? '' : `; there are ${some.map((feature) => `\`${feature}\``).join(', ')} and others`;
};

/** Some features are computed from several facts. */
const FEATURE_STEPS = 2;

export const featureTerm = (node: ASTNode, key: ASTNode, context: CompileContext): Term => {
  const name = literalOf(key);
  if (typeof name !== 'string') return refuse(key, 'the name of a feature must be a text in quotes');
  const run = featureReader(name);
  if (run === undefined) return refuse(key, `there is no feature ${quoted(name)}${suggestFeatures(name)}`);
  spend(context, node, FEATURE_STEPS);
  context.used.variables.add(FEATURES);
  context.used.features.add(canonicalFeature(name));
  return { type: 'number', run };
};

export const isId = (node: ASTNode, name: string, context: CompileContext): boolean =>
  node.op === 'id' && node.args === name && context.loop?.variable !== name;

export const keyTerm = (node: ASTNode, of: Term, key: Term): Term => {
  if (of.type !== 'map') return refuse(node, `${typeName(of)} has no fields`);
  if (key.type !== 'string') return refuse(node, `a key must be a text, not ${typeName(key)}`);
  const [map, name] = [of.run, key.run];
  return {
    type: 'string',
    run: (input, item) => {
      const fields = map(input, item);
      const wanted = name(input, item);
      // Inherited properties such as `constructor` are not fields of a request.
      return Object.hasOwn(fields, wanted) ? (fields[wanted] as string) : '';
    },
  };
};
