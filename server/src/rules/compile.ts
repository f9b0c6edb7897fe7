import type { ASTNode } from '@marcbachmann/cel-js';
import { maskCardNumbers } from '@portcullis/contract/values';
import type { RuleInput } from '@portcullis/engine';
import {
  type CompileContext,
  constantTerm,
  enter,
  LOOP_STEPS,
  literalOf,
  MAX_LOOPED_VALUES,
  newContext,
  refuse,
  scalarOf,
  spendOnArguments,
  spendOnSearch,
} from './cost-limits.ts';
import { type ExpressionError, errorAt, InvalidExpression, quoted } from './expression-error.ts';
import { callTerm, FUNCTIONS, METHODS } from './functions.ts';
import { LOOPS } from './loops.ts';
import { binaryTerm, choiceTerm, logicalTerm, unaryTerm } from './operators.ts';
import { MAX_LENGTH, parse, TOO_DEEP } from './parse.ts';
import {
  families,
  featureTerm,
  fieldsOf,
  findVariable,
  hint,
  isId,
  keyTerm,
  NAMES,
  useVariable,
  variables,
} from './resolve-names.ts';
import { type BoolTerm, type Item, type ListTerm, type Term, typeName } from './types.ts';
import { FEATURES } from './variables.ts';

/** A valid expression. */
export interface CompiledExpression {
  /** May throw on a request of an unexpected shape. */
  readonly matches: (input: RuleInput) => boolean;
  /** The names it uses, in the order of the text. */
  readonly variables: readonly string[];
  readonly features: readonly string[];
  /** Lists it uses, whether they exist or not. */
  readonly lists: readonly string[];
  /** The maximum cost of one evaluation. */
  readonly steps: number;
}

/** `a.b`: a variable with a dot in its name, or a field of a map. */
const fieldTerm = (node: ASTNode, of: ASTNode, field: string, context: CompileContext): Term => {
  if (of.op === 'id' && families.has(of.args)) {
    const name = `${of.args}.${field}`;
    if (variables.has(name)) return useVariable(node, name, context);
    return refuse(node, `\`${of.args}\` has no field ${quoted(field)}${hint(name, fieldsOf(of.args))}`);
  }
  if (isId(of, FEATURES, context)) return refuse(node, 'write `features["…"]`, with the full name in quotes');
  return keyTerm(node, termOf(of, context), constantTerm(node, field));
};

/** Whether a request has a field, or the server knows a fact. */
const hasTerm = (node: ASTNode, args: readonly ASTNode[], context: CompileContext): BoolTerm => {
  const [of] = args;
  if (of === undefined || args.length > 1) return refuse(node, 'use it as `has(email)`');
  if (of.op === 'id') {
    if (context.loop?.variable === of.args) return refuse(of, '`has` takes a variable');
    const { has } = findVariable(of, of.args);
    context.used.variables.add(of.args);
    return { type: 'bool', run: has ?? (() => true) };
  }
  if (of.op === '.' && of.args[0].op === 'id' && families.has(of.args[0].args)) {
    const name = `${of.args[0].args}.${of.args[1]}`;
    fieldTerm(of, of.args[0], of.args[1], context);
    return { type: 'bool', run: variables.get(name)?.has ?? (() => true) };
  }
  if (of.op !== '.' && of.op !== '[]') return refuse(of, '`has` takes a variable or a field of one');
  if (isId(of.args[0], FEATURES, context)) return refuse(of, 'use `known(features["…"])`');
  const map = termOf(of.args[0], context);
  const key = of.op === '.' ? constantTerm(of, of.args[1]) : termOf(of.args[1], context);
  keyTerm(of, map, key);
  if (map.type !== 'map' || key.type !== 'string') return refuse(of, '`has` takes a variable or a field of one');
  return { type: 'bool', run: (input, item) => Object.hasOwn(map.run(input, item), key.run(input, item)) };
};

const listTerm = (node: ASTNode, elements: readonly ASTNode[], context: CompileContext): ListTerm => {
  if (elements.length === 0) return refuse(node, 'the list is empty');
  const constants = elements.map(literalOf);
  const length = elements.length;
  if (constants.every((value) => value !== undefined)) {
    const [first = ''] = constants;
    const of = scalarOf(first);
    elements.forEach((element, i) => {
      const value = constantTerm(element, constants[i] ?? '');
      if (value.type !== of)
        refuse(element, `all values of a list must have the same type: ${of}, not ${typeName(value)}`);
    });
    return { type: 'list', of, constants, length, run: () => constants };
  }
  const terms = elements.map((element) => termOf(element, context));
  const of = terms[0]?.type;
  if (of !== 'bool' && of !== 'number' && of !== 'string')
    return refuse(node, 'the values of a list must be bool, number or string');
  terms.forEach((term, i) => {
    if (term.type !== of)
      refuse(elements[i] as ASTNode, `all values of a list must have the same type: ${of}, not ${typeName(term)}`);
  });
  const runs = terms.map(({ run }) => run as (input: RuleInput, item: Item) => Item);
  return { type: 'list', of, length, run: (input, item) => runs.map((run) => run(input, item)) };
};

const loopTerm = (
  node: ASTNode,
  name: string,
  of: ASTNode,
  args: readonly ASTNode[],
  context: CompileContext,
): Term => {
  const loop = LOOPS.get(name);
  if (loop === undefined || args.length !== 2) return refuse(node, `use it as \`${loop?.form ?? name}\``);
  if (context.loop !== undefined) return refuse(node, 'a loop must not contain another loop');
  const through = termOf(of, context);
  const [variable, body] = args as [ASTNode, ASTNode];
  if (variable.op !== 'id') return refuse(variable, 'the first argument must be a name for the current value');
  if (NAMES.includes(variable.args) || families.has(variable.args))
    return refuse(variable, `\`${variable.args}\` is a variable; choose another name`);
  const list: Term =
    through.type === 'map'
      ? { type: 'list', of: 'string', run: (input, item) => Object.keys(through.run(input, item)) }
      : through;
  if (list.type !== 'list') return refuse(of, `a loop works on a list or \`metadata\`, not on ${typeName(through)}`);
  const { length = LOOP_STEPS, check } = list;
  if (list.length !== undefined && length > MAX_LOOPED_VALUES)
    return refuse(of, `a loop takes at most ${MAX_LOOPED_VALUES} literal values; use \`in\``);
  const value = {
    type: list.of,
    run: (_: RuleInput, item: Item) => item,
    ...(check === undefined ? {} : { check }),
  } as Term;
  const holds = termOf(body, { ...context, loop: { variable: variable.args, term: value, times: length } });
  if (holds.type !== 'bool') return refuse(body, `the condition of \`${name}\` must be bool, not ${typeName(holds)}`);
  return loop.term(list, list.run, holds.run);
};

const callNodeTerm = (node: ASTNode, context: CompileContext): Term => {
  if (node.op === 'call') {
    const [name, args] = node.args;
    if (name === 'has') return hasTerm(node, args, context);
    // Before its arguments: an unknown function is the error to report, whatever its arguments are.
    if (!FUNCTIONS.has(name)) return callTerm(node, name, [], FUNCTIONS);
    const terms = args.map((arg) => termOf(arg, context));
    spendOnArguments(context, node, terms);
    return callTerm(node, name, terms, FUNCTIONS);
  }
  const [name, receiver, args] = node.args as [string, ASTNode, ASTNode[]];
  if (LOOPS.has(name)) return loopTerm(node, name, receiver, args, context);
  if (!METHODS.has(name)) return callTerm(node, name, [], METHODS);
  const terms = [receiver, ...args].map((arg) => termOf(arg, context));
  spendOnArguments(context, node, terms);
  return callTerm(node, name, terms, METHODS);
};

/** The operands of a chain such as `a && b && c`, from the left. */
const chainOf = (node: ASTNode, context: CompileContext): ASTNode[] => {
  const operands: ASTNode[] = [];
  let at = node;
  while (at.op === node.op) {
    const [left, right] = at.args as [ASTNode, ASTNode];
    operands.unshift(right);
    if (at !== node) enter(context, at);
    at = left;
  }
  return [at, ...operands];
};

const termOf = (node: ASTNode, outer: CompileContext): Term => {
  const context = enter(outer, node);
  const literal = literalOf(node);
  if (literal !== undefined) return constantTerm(node, literal);
  switch (node.op) {
    case 'id':
      return context.loop?.variable === node.args ? context.loop.term : useVariable(node, node.args, context);
    case '.':
      return fieldTerm(node, node.args[0], node.args[1], context);
    case '[]':
      if (isId(node.args[0], FEATURES, context)) return featureTerm(node, node.args[1], context);
      return keyTerm(node, termOf(node.args[0], context), termOf(node.args[1], context));
    case 'call':
    case 'rcall':
      return callNodeTerm(node, context);
    case 'list':
      return listTerm(node, node.args, context);
    case '!_':
    case '-_':
      return unaryTerm(node, termOf(node.args, context));
    case '?:':
      return choiceTerm(
        node,
        termOf(node.args[0], context),
        termOf(node.args[1], context),
        termOf(node.args[2], context),
      );
    case '&&':
    case '||': {
      const operands = chainOf(node, outer);
      const terms = operands.map((operand) => termOf(operand, context));
      return logicalTerm(node, operands, terms);
    }
    // The left operand of a chain such as `a + b + c` is not deeper than the chain.
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '==':
    case '!=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%': {
      const [left, right] = [termOf(node.args[0], outer), termOf(node.args[1], context)];
      if (node.op === 'in') spendOnSearch(context, node, right);
      return binaryTerm(node, left, right);
    }
    case 'value':
      return refuse(node, 'only numbers, texts, `true` and `false` are allowed as literals');
    default:
      return refuse(node, 'this is not available in rules');
  }
};

const compileAll = (expression: string): CompiledExpression => {
  if ([...expression].length > MAX_LENGTH)
    throw new InvalidExpression(`the expression has more than ${MAX_LENGTH} characters`, 0);
  const ast = parse(expression);
  const context = newContext();
  const term = termOf(ast, context);
  if (term.type !== 'bool') return refuse(ast, `the expression must be true or false (bool), not ${typeName(term)}`);
  return {
    // Called without an item: no loop surrounds the whole expression.
    matches: term.run as CompiledExpression['matches'],
    variables: [...context.used.variables],
    features: [...context.used.features],
    lists: [...context.used.lists],
    steps: context.count.steps,
  };
};

/** Compiles an expression, or returns its first error. Never throws, whatever the text. */
export const compile = (expression: string): CompiledExpression | { readonly error: ExpressionError } => {
  try {
    return compileAll(expression);
  } catch (error) {
    if (error instanceof InvalidExpression)
      return { error: errorAt(maskCardNumbers(expression), error.at, error.message) };
    // Thousands of signs before a value: the parser recurses before it counts.
    if (error instanceof RangeError) return { error: errorAt(maskCardNumbers(expression), 0, TOO_DEEP) };
    throw error;
  }
};
