import type { ASTNode } from '@marcbachmann/cel-js';
import { InvalidExpression } from './expression-error.ts';
import type { Item, Scalar, Term } from './types.ts';

/** Enough for any readable rule. Together these limits bound the cost of every rule. */
export const MAX_NODES = 500;
export const MAX_DEPTH = 50;
export const MAX_LIST_VALUES = 500;
/** For more literal values, `in` is the better choice. */
export const MAX_LOOPED_VALUES = 20;
/** A step takes at most 0.1 µs, so a rule takes at most 2 ms for any request. Most rules have ten or twenty steps. */
export const MAX_STEPS = 20_000;
/** Factor of a step in a loop or a full scan: `metadata` has up to 50 fields, and more signals are seldom active. */
export const LOOP_STEPS = 50;
/** Cost of searching a text of 500 characters, the limit of nearly all fields. */
const TEXT_STEPS = 100;
const LONG_TEXT_FACTOR = 8;
/** Searching longer texts costs more. */
export const LONG_TEXT_LENGTH = 500;

/** The names that an expression uses. */
export interface UsedNames {
  readonly variables: Set<string>;
  readonly features: Set<string>;
  readonly lists: Set<string>;
}

/** The state of a compilation at one node. */
export interface CompileContext {
  readonly used: UsedNames;
  readonly depth: number;
  /** The surrounding loop, if any. */
  readonly loop?: { readonly variable: string; readonly term: Term; readonly times: number };
  readonly count: { nodes: number; steps: number };
}

export const newContext = (): CompileContext => ({
  used: { variables: new Set(), features: new Set(), lists: new Set() },
  depth: 0,
  count: { nodes: 0, steps: 0 },
});

export const refuse = (node: ASTNode, message: string): never => {
  throw new InvalidExpression(message, node.pos);
};

/** Adds the maximum cost of a node. */
export const spend = (context: CompileContext, node: ASTNode, steps: number): void => {
  context.count.steps += steps * (context.loop?.times ?? 1);
  if (context.count.steps > MAX_STEPS)
    refuse(node, `the expression would take more than ${MAX_STEPS} steps; a step in a loop counts ${LOOP_STEPS} times`);
};

/** Adds the cost of searching the texts and maps among the arguments. */
export const spendOnArguments = (context: CompileContext, node: ASTNode, terms: readonly Term[]): void => {
  for (const term of terms) {
    if (term.type === 'map') spend(context, node, LOOP_STEPS);
    if (term.type !== 'string') continue;
    if (term.isLong === true) spend(context, node, TEXT_STEPS * LONG_TEXT_FACTOR);
    else if (term.constant === undefined) spend(context, node, TEXT_STEPS);
  }
};

/** Adds the cost of searching a list. The values of a literal list are counted already. */
export const spendOnSearch = (context: CompileContext, node: ASTNode, list: Term): void => {
  if (list.type === 'list' && list.length === undefined) spend(context, node, LOOP_STEPS);
};

/** Counts a node and one level of nesting. */
export const enter = (context: CompileContext, node: ASTNode): CompileContext => {
  if (++context.count.nodes > MAX_NODES) refuse(node, `the expression has more than ${MAX_NODES} parts`);
  if (context.depth === MAX_DEPTH) refuse(node, `the expression is nested more than ${MAX_DEPTH} levels deep`);
  spend(context, node, 1);
  return { ...context, depth: context.depth + 1 };
};

/** The value of a literal; undefined for other nodes and for literals that rules do not have. */
export const literalOf = (node: ASTNode): Exclude<Item, undefined> | undefined => {
  if (node.op === '-_' && node.args.op === 'value') {
    const value = literalOf(node.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.op !== 'value') return undefined;
  const value: unknown = node.args;
  // Rules have one number type: 100 is the same as 100.0.
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
};

export const scalarOf = (value: Exclude<Item, undefined>): Scalar =>
  typeof value === 'number' ? 'number' : typeof value === 'string' ? 'string' : 'bool';

export const constantTerm = (node: ASTNode, value: Exclude<Item, undefined>): Term => {
  if (typeof value === 'string')
    return { type: 'string', constant: value, isLong: value.length > LONG_TEXT_LENGTH, run: () => value };
  if (typeof value === 'boolean') return { type: 'bool', constant: value, run: () => value };
  if (!Number.isFinite(value)) refuse(node, 'the number is too large');
  return { type: 'number', constant: value, run: () => value };
};
