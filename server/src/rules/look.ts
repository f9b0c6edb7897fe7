import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionFault } from './fault.ts';
import type { Item, Scalar, Term } from './terms.ts';

/** Enough for any rule a person can read; together they keep the cost of one small, whatever it says. */
export const MOST_NODES = 500;
export const DEEPEST = 50;
export const MOST_ELEMENTS = 500;
/** A loop over more values that are written out is better said with `in`. */
export const MOST_LOOPED = 20;
/** A step takes a tenth of a microsecond at the most, so a rule takes two milliseconds at the most, of whatever request. Most have ten or twenty steps. */
export const MOST_STEPS = 20_000;
/** Requests have up to 50 members of metadata, and seldom are more signals active: a step in a loop, and what goes through them all unseen, counts so often. */
export const LOOP_STEPS = 50;
/** Looking through a text of 500 characters, the most that nearly all members have. */
const TEXT_STEPS = 100;
const LONG_TIMES = 8;
/** Longer texts cost more to look through. */
export const LONG_TEXT = 500;

/** What an expression turned out to use. */
export interface Used {
  readonly variables: Set<string>;
  readonly features: Set<string>;
  readonly lists: Set<string>;
}

/** Where one is while an expression is looked at. */
export interface Look {
  readonly used: Used;
  readonly depth: number;
  /** Of the loop one is in, if any. */
  readonly loop?: { readonly variable: string; readonly term: Term; readonly times: number };
  readonly count: { nodes: number; steps: number };
}

export const newLook = (): Look => ({
  used: { variables: new Set(), features: new Set(), lists: new Set() },
  depth: 0,
  count: { nodes: 0, steps: 0 },
});

export const refuse = (node: ASTNode, message: string): never => {
  throw new ExpressionFault(message, node.pos);
};

/** Counts what a node costs at most. */
export const spend = (look: Look, node: ASTNode, steps: number): void => {
  look.count.steps += steps * (look.loop?.times ?? 1);
  if (look.count.steps > MOST_STEPS)
    refuse(node, `it would take more than ${MOST_STEPS} steps; a step in a loop counts ${LOOP_STEPS} times`);
};

/** Counts what it costs a function to look through texts and maps that it is given. */
export const spendOnArguments = (look: Look, node: ASTNode, terms: readonly Term[]): void => {
  for (const term of terms) {
    if (term.type === 'map') spend(look, node, LOOP_STEPS);
    if (term.type !== 'string') continue;
    if (term.isLong === true) spend(look, node, TEXT_STEPS * LONG_TIMES);
    else if (term.constant === undefined) spend(look, node, TEXT_STEPS);
  }
};

/** Counts what it costs to look for a value in a list: in one that is written out, each has been counted, or all are in one set. */
export const spendOnSearch = (look: Look, node: ASTNode, list: Term): void => {
  if (list.type === 'list' && list.length === undefined) spend(look, node, LOOP_STEPS);
};

/** Counts a node, and one level of nesting. */
export const enter = (look: Look, node: ASTNode): Look => {
  if (++look.count.nodes > MOST_NODES) refuse(node, `it has more than ${MOST_NODES} parts`);
  if (look.depth === DEEPEST) refuse(node, `it is nested more than ${DEEPEST} levels deep`);
  spend(look, node, 1);
  return { ...look, depth: look.depth + 1 };
};

/** The value of a literal; undefined for anything else, and for literals that rules do not know. */
export const literalOf = (node: ASTNode): Exclude<Item, undefined> | undefined => {
  if (node.op === '-_' && node.args.op === 'value') {
    const value = literalOf(node.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.op !== 'value') return undefined;
  const value: unknown = node.args;
  // All numbers are of one kind here: whoever writes 100 means the same as 100.0.
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
};

export const scalarOf = (value: Exclude<Item, undefined>): Scalar =>
  typeof value === 'number' ? 'number' : typeof value === 'string' ? 'string' : 'bool';

export const constantTerm = (node: ASTNode, value: Exclude<Item, undefined>): Term => {
  if (typeof value === 'string')
    return { type: 'string', constant: value, isLong: value.length > LONG_TEXT, run: () => value };
  if (typeof value === 'boolean') return { type: 'bool', constant: value, run: () => value };
  if (!Number.isFinite(value)) refuse(node, 'the number is too large');
  return { type: 'number', constant: value, run: () => value };
};
