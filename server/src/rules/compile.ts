import type { ASTNode } from '@marcbachmann/cel-js';
import { maskCardNumbers } from '@portcullis/contract';
import type { RuleInput } from '@portcullis/engine';
import { ExpressionFault, type Fault, faultAt, quoted } from './fault.ts';
import { callTerm, FUNCTIONS, METHODS } from './functions.ts';
import {
  constantTerm,
  enter,
  LOOP_STEPS,
  type Look,
  literalOf,
  MOST_LOOPED,
  newLook,
  refuse,
  scalarOf,
  spendOnArguments,
  spendOnSearch,
} from './look.ts';
import { LOOPS } from './loops.ts';
import {
  families,
  featureTerm,
  findVariable,
  hint,
  isId,
  keyTerm,
  membersOf,
  NAMES,
  useVariable,
  variables,
} from './names.ts';
import { binaryTerm, choiceTerm, logicalTerm, unaryTerm } from './operators.ts';
import { LONGEST, parse, TOO_DEEP } from './parse.ts';
import { type Item, type Listed, type Term, type Truth, typeName } from './terms.ts';
import { FEATURES } from './variables.ts';

/** An expression that can be a rule. */
export interface Compiled {
  /** May throw on a request of a shape that nothing here expects. */
  readonly matches: (input: RuleInput) => boolean;
  /** What it looks at, in the order of the text. */
  readonly variables: readonly string[];
  readonly features: readonly string[];
  /** Lists it asks for, whether they exist or not. */
  readonly lists: readonly string[];
  /** What asking it costs at most. */
  readonly steps: number;
}

/** `a.b`: a variable with a point in its name, or a member of a map. */
const memberTerm = (node: ASTNode, of: ASTNode, member: string, look: Look): Term => {
  if (of.op === 'id' && families.has(of.args)) {
    const name = `${of.args}.${member}`;
    if (variables.has(name)) return useVariable(node, name, look);
    return refuse(node, `\`${of.args}\` has no member ${quoted(member)}${hint(name, membersOf(of.args))}`);
  }
  if (isId(of, FEATURES, look)) return refuse(node, 'write `features["…"]`, with the whole name in quotes');
  return keyTerm(node, termOf(of, look), constantTerm(node, member));
};

/** Whether a request has a member, or the server knows it. */
const hasTerm = (node: ASTNode, args: readonly ASTNode[], look: Look): Truth => {
  const [of] = args;
  if (of === undefined || args.length > 1) return refuse(node, 'it is used as `has(email)`');
  if (of.op === 'id') {
    if (look.loop?.variable === of.args) return refuse(of, '`has` takes a variable');
    const { has } = findVariable(of, of.args);
    look.used.variables.add(of.args);
    return { type: 'bool', run: has ?? (() => true) };
  }
  if (of.op === '.' && of.args[0].op === 'id' && families.has(of.args[0].args)) {
    const name = `${of.args[0].args}.${of.args[1]}`;
    memberTerm(of, of.args[0], of.args[1], look);
    return { type: 'bool', run: variables.get(name)?.has ?? (() => true) };
  }
  if (of.op !== '.' && of.op !== '[]') return refuse(of, '`has` takes a variable or a member of one');
  if (isId(of.args[0], FEATURES, look)) return refuse(of, 'use `known(features["…"])`');
  const map = termOf(of.args[0], look);
  const key = of.op === '.' ? constantTerm(of, of.args[1]) : termOf(of.args[1], look);
  keyTerm(of, map, key);
  if (map.type !== 'map' || key.type !== 'string') return refuse(of, '`has` takes a variable or a member of one');
  return { type: 'bool', run: (input, item) => Object.hasOwn(map.run(input, item), key.run(input, item)) };
};

const listTerm = (node: ASTNode, elements: readonly ASTNode[], look: Look): Listed => {
  if (elements.length === 0) return refuse(node, 'the list is empty');
  const constants = elements.map(literalOf);
  const length = elements.length;
  if (constants.every((value) => value !== undefined)) {
    const [first = ''] = constants;
    const of = scalarOf(first);
    elements.forEach((element, i) => {
      const value = constantTerm(element, constants[i] ?? '');
      if (value.type !== of) refuse(element, `values of a list must be alike: ${of}, not ${typeName(value)}`);
    });
    return { type: 'list', of, constants, length, run: () => constants };
  }
  const terms = elements.map((element) => termOf(element, look));
  const of = terms[0]?.type;
  if (of !== 'bool' && of !== 'number' && of !== 'string') return refuse(node, 'a list holds bool, number or string');
  terms.forEach((term, i) => {
    if (term.type !== of)
      refuse(elements[i] as ASTNode, `values of a list must be alike: ${of}, not ${typeName(term)}`);
  });
  const runs = terms.map(({ run }) => run as (input: RuleInput, item: Item) => Item);
  return { type: 'list', of, length, run: (input, item) => runs.map((run) => run(input, item)) };
};

const loopTerm = (node: ASTNode, name: string, of: ASTNode, args: readonly ASTNode[], look: Look): Term => {
  const loop = LOOPS.get(name);
  if (loop === undefined || args.length !== 2) return refuse(node, `it is used as \`${loop?.form ?? name}\``);
  if (look.loop !== undefined) return refuse(node, 'a loop must not stand in another');
  const through = termOf(of, look);
  const [variable, body] = args as [ASTNode, ASTNode];
  if (variable.op !== 'id') return refuse(variable, 'the first is a name for the value it stands at');
  if (NAMES.includes(variable.args) || families.has(variable.args))
    return refuse(variable, `\`${variable.args}\` is a variable; take another name`);
  const list: Term =
    through.type === 'map'
      ? { type: 'list', of: 'string', run: (input, item) => Object.keys(through.run(input, item)) }
      : through;
  if (list.type !== 'list') return refuse(of, `one cannot go through ${typeName(through)}`);
  const { length = LOOP_STEPS, check } = list;
  if (list.length !== undefined && length > MOST_LOOPED)
    return refuse(of, `a loop goes through at most ${MOST_LOOPED} values that are written out; use \`in\``);
  const value = {
    type: list.of,
    run: (_: RuleInput, item: Item) => item,
    ...(check === undefined ? {} : { check }),
  } as Term;
  const holds = termOf(body, { ...look, loop: { variable: variable.args, term: value, times: length } });
  if (holds.type !== 'bool') return refuse(body, `\`${name}\` takes something that is bool, not ${typeName(holds)}`);
  return loop.term(list, list.run, holds.run);
};

const called = (node: ASTNode, look: Look): Term => {
  if (node.op === 'call') {
    const [name, args] = node.args;
    if (name === 'has') return hasTerm(node, args, look);
    // Before its parts: a function that is refused is the fault to tell, whatever it is given.
    if (!FUNCTIONS.has(name)) return callTerm(node, name, [], FUNCTIONS);
    const terms = args.map((arg) => termOf(arg, look));
    spendOnArguments(look, node, terms);
    return callTerm(node, name, terms, FUNCTIONS);
  }
  const [name, receiver, args] = node.args as [string, ASTNode, ASTNode[]];
  if (LOOPS.has(name)) return loopTerm(node, name, receiver, args, look);
  if (!METHODS.has(name)) return callTerm(node, name, [], METHODS);
  const terms = [receiver, ...args].map((arg) => termOf(arg, look));
  spendOnArguments(look, node, terms);
  return callTerm(node, name, terms, METHODS);
};

/** What a chain such as `a && b && c` joins, from the left. */
const chainOf = (node: ASTNode, look: Look): ASTNode[] => {
  const operands: ASTNode[] = [];
  let at = node;
  while (at.op === node.op) {
    const [left, right] = at.args as [ASTNode, ASTNode];
    operands.unshift(right);
    if (at !== node) enter(look, at);
    at = left;
  }
  return [at, ...operands];
};

const termOf = (node: ASTNode, outer: Look): Term => {
  const look = enter(outer, node);
  const literal = literalOf(node);
  if (literal !== undefined) return constantTerm(node, literal);
  switch (node.op) {
    case 'id':
      return look.loop?.variable === node.args ? look.loop.term : useVariable(node, node.args, look);
    case '.':
      return memberTerm(node, node.args[0], node.args[1], look);
    case '[]':
      if (isId(node.args[0], FEATURES, look)) return featureTerm(node, node.args[1], look);
      return keyTerm(node, termOf(node.args[0], look), termOf(node.args[1], look));
    case 'call':
    case 'rcall':
      return called(node, look);
    case 'list':
      return listTerm(node, node.args, look);
    case '!_':
    case '-_':
      return unaryTerm(node, termOf(node.args, look));
    case '?:':
      return choiceTerm(node, termOf(node.args[0], look), termOf(node.args[1], look), termOf(node.args[2], look));
    case '&&':
    case '||': {
      const operands = chainOf(node, outer);
      const terms = operands.map((operand) => termOf(operand, look));
      return logicalTerm(node, operands, terms);
    }
    // The left part of a chain such as `a + b + c` is not deeper than the chain.
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
      const [left, right] = [termOf(node.args[0], outer), termOf(node.args[1], look)];
      if (node.op === 'in') spendOnSearch(look, node, right);
      return binaryTerm(node, left, right);
    }
    case 'value':
      return refuse(node, 'only numbers, texts, `true` and `false` can be written out');
    default:
      return refuse(node, 'this is not available in rules');
  }
};

/** Where something begins that a card number would be taken for: such must reach no table. */
const cardNumberAt = (expression: string): number | undefined => {
  const masked = maskCardNumbers(expression);
  if (masked === expression) return undefined;
  let at = 0;
  while (expression[at] === masked[at]) at++;
  return at;
};

const compileAll = (expression: string): Compiled => {
  if ([...expression].length > LONGEST) throw new ExpressionFault(`it has more than ${LONGEST} characters`, 0);
  const cardAt = cardNumberAt(expression);
  if (cardAt !== undefined) throw new ExpressionFault('it holds what looks like a card number', cardAt);
  const ast = parse(expression);
  const look = newLook();
  const term = termOf(ast, look);
  if (term.type !== 'bool') return refuse(ast, `it must be true or false (bool), not ${typeName(term)}`);
  return {
    // Asked without an item, for no loop stands around it.
    matches: term.run as Compiled['matches'],
    variables: [...look.used.variables],
    features: [...look.used.features],
    lists: [...look.used.lists],
    steps: look.count.steps,
  };
};

/** Reads an expression, or tells the first thing that is wrong with it. Never throws, whatever the text. */
export const compile = (expression: string): Compiled | { readonly fault: Fault } => {
  try {
    return compileAll(expression);
  } catch (error) {
    if (error instanceof ExpressionFault)
      return { fault: faultAt(maskCardNumbers(expression), error.at, error.message) };
    // Thousands of signs before one value: the reader recurses before it counts.
    if (error instanceof RangeError) return { fault: faultAt(maskCardNumbers(expression), 0, TOO_DEEP) };
    throw error;
  }
};
