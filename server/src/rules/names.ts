import type { ASTNode } from '@marcbachmann/cel-js';
import { closest } from '../http/closest.ts';
import { quoted } from './fault.ts';
import { featureReader, RULE_FEATURES } from './features.ts';
import { type Look, literalOf, refuse, spend } from './look.ts';
import { type Term, typeName } from './terms.ts';
import type { Variable } from './variable.ts';
import { FEATURES, VARIABLES } from './variables.ts';

export const variables = new Map(VARIABLES.map((variable) => [variable.name, variable]));
export const families = new Set(
  VARIABLES.flatMap(({ name }) => (name.includes('.') ? [name.split('.', 1)[0] as string] : [])),
);
export const NAMES = [...variables.keys(), FEATURES];

export const hint = (name: string, names: readonly string[]): string => {
  const meant = closest(name, names);
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
};

export const membersOf = (family: string): string[] => NAMES.filter((name) => name.startsWith(`${family}.`));

export const findVariable = (node: ASTNode, name: string): Variable => {
  const variable = variables.get(name);
  if (variable !== undefined) return variable;
  if (name === FEATURES) return refuse(node, 'name the feature: `features["user.transactions.1h"]`');
  if (families.has(name)) return refuse(node, `name one of its members: ${membersOf(name).join(', ')}`);
  return refuse(node, `there is no variable ${quoted(name)}${hint(name, NAMES)}`);
};

export const useVariable = (node: ASTNode, name: string, look: Look): Term => {
  const { term } = findVariable(node, name);
  look.used.variables.add(name);
  if (name !== 'lists' || term.type !== 'list') return term;
  const note = (list: string): undefined => void look.used.lists.add(list);
  return { ...term, check: note };
};

const nearestFeatures = (name: string): string => {
  const [family = ''] = name.split('.', 1);
  const alike = closest(name, RULE_FEATURES);
  if (alike !== undefined) return `; did you mean \`${alike}\`?`;
  const some = RULE_FEATURES.filter((feature) => feature.startsWith(`${family}.`)).slice(0, 3);
  return some.length === 0 ? '' : `; there are ${some.map((feature) => `\`${feature}\``).join(', ')} and others`;
};

/** Some follow from several facts. */
const FEATURE_STEPS = 2;

export const featureTerm = (node: ASTNode, key: ASTNode, look: Look): Term => {
  const name = literalOf(key);
  if (typeof name !== 'string') return refuse(key, 'a feature is named by a text in quotes');
  const run = featureReader(name);
  if (run === undefined) return refuse(key, `there is no feature ${quoted(name)}${nearestFeatures(name)}`);
  spend(look, node, FEATURE_STEPS);
  look.used.variables.add(FEATURES);
  look.used.features.add(name);
  return { type: 'number', run };
};

export const isId = (node: ASTNode, name: string, look: Look): boolean =>
  node.op === 'id' && node.args === name && look.loop?.variable !== name;

export const keyTerm = (node: ASTNode, of: Term, key: Term): Term => {
  if (of.type !== 'map') return refuse(node, `${typeName(of)} has no members`);
  if (key.type !== 'string') return refuse(node, `a key is a text, not ${typeName(key)}`);
  const [map, name] = [of.run, key.run];
  return {
    type: 'string',
    run: (input, item) => {
      const members = map(input, item);
      const wanted = name(input, item);
      // What every object has by birth is no member of a request.
      return Object.hasOwn(members, wanted) ? (members[wanted] as string) : '';
    },
  };
};
