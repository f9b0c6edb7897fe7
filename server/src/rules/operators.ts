import type { ASTNode } from '@marcbachmann/cel-js';
import { refuse } from './cost-limits.ts';
import { type BoolTerm, type CheckText, type Item, type ListTerm, type Run, type Term, typeName } from './types.ts';

type Numbers = (a: Run<number>, b: Run<number>) => Run<number>;
const ARITHMETIC: Readonly<Record<string, Numbers>> = {
  '+': (a, b) => (input, item) => a(input, item) + b(input, item),
  '-': (a, b) => (input, item) => a(input, item) - b(input, item),
  '*': (a, b) => (input, item) => a(input, item) * b(input, item),
  '/': (a, b) => (input, item) => a(input, item) / b(input, item),
  '%': (a, b) => (input, item) => a(input, item) % b(input, item),
};

type OrderTest = (a: Run<number | string>, b: Run<number | string>) => Run<boolean>;
const ORDER: Readonly<Record<string, OrderTest>> = {
  '<': (a, b) => (input, item) => a(input, item) < b(input, item),
  '<=': (a, b) => (input, item) => a(input, item) <= b(input, item),
  '>': (a, b) => (input, item) => a(input, item) > b(input, item),
  '>=': (a, b) => (input, item) => a(input, item) >= b(input, item),
};
/** Nearly all comparisons are with a literal number; these make half the calls. */
const ORDER_TO: Readonly<Record<string, (a: Run<number>, b: number) => Run<boolean>>> = {
  '<': (a, b) => (input, item) => a(input, item) < b,
  '<=': (a, b) => (input, item) => a(input, item) <= b,
  '>': (a, b) => (input, item) => a(input, item) > b,
  '>=': (a, b) => (input, item) => a(input, item) >= b,
};

const equal =
  (a: Run<Item>, b: Run<Item>): Run<boolean> =>
  (input, item) =>
    a(input, item) === b(input, item);
const equalTo =
  (a: Run<Item>, b: Item): Run<boolean> =>
  (input, item) =>
    a(input, item) === b;
const unequal =
  (a: Run<Item>, b: Run<Item>): Run<boolean> =>
  (input, item) =>
    a(input, item) !== b(input, item);
/** An unknown number is neither equal nor unequal to another. */
const unequalNumbers =
  (a: Run<number>, b: Run<number>): Run<boolean> =>
  (input, item) => {
    const left = a(input, item);
    const right = b(input, item);
    return left < right || left > right;
  };

/** An empty text stands for a missing one, so every text may be compared with it. */
const checkText = (node: ASTNode, check: CheckText | undefined, text: Item): void => {
  const error = typeof text === 'string' && text !== '' ? check?.(text) : undefined;
  if (error !== undefined) refuse(node, error);
};

const mismatch = (node: ASTNode, op: string, left: Term, right: Term): never =>
  refuse(node, `\`${op}\` does not work on ${typeName(left)} and ${typeName(right)}`);

const equalTerm = (left: Term & { run: Run<Item> }, right: Term & { run: Run<Item>; constant?: Item }): Run<boolean> =>
  right.constant === undefined ? equal(left.run, right.run) : equalTo(left.run, right.constant);

const equality = (node: ASTNode, op: '==' | '!=', left: Term, right: Term): BoolTerm => {
  if (left.type === 'number' && right.type === 'number')
    return { type: 'bool', run: op === '==' ? equalTerm(left, right) : unequalNumbers(left.run, right.run) };
  if (left.type === 'string' && right.type === 'string') {
    const [leftNode, rightNode] = node.args as [ASTNode, ASTNode];
    checkText(rightNode, left.check, right.constant);
    checkText(leftNode, right.check, left.constant);
  } else if (left.type !== 'bool' || right.type !== 'bool') return mismatch(node, op, left, right);
  return { type: 'bool', run: op === '==' ? equalTerm(left, right) : unequal(left.run, right.run) };
};

/** Whether a list contains a value. */
const within = (node: ASTNode, value: Term, list: ListTerm): BoolTerm => {
  if (value.type !== list.of) return mismatch(node, 'in', value, list);
  if (value.type === 'string') {
    checkText(node, list.check, value.constant);
    const [, listNode] = node.args as [ASTNode, ASTNode];
    list.constants?.forEach((constant, i) => {
      checkText(listNode.op === 'list' ? (listNode.args[i] as ASTNode) : listNode, value.check, constant);
    });
  }
  const run: Run<Item> = value.run;
  if (list.constants !== undefined) {
    const among = new Set(list.constants);
    return { type: 'bool', run: (input, item) => among.has(run(input, item)) };
  }
  const { constant } = value;
  if (constant !== undefined) return { type: 'bool', run: (input, item) => list.run(input, item).includes(constant) };
  // Not `includes`: it would find an unknown number among unknown ones.
  return {
    type: 'bool',
    run: (input, item) => {
      const wanted = run(input, item);
      return list.run(input, item).some((one) => one === wanted);
    },
  };
};

const membership = (node: ASTNode, left: Term, right: Term): BoolTerm => {
  if (right.type === 'list') return within(node, left, right);
  if (right.type !== 'map' || left.type !== 'string') return mismatch(node, 'in', left, right);
  return { type: 'bool', run: (input, item) => Object.hasOwn(right.run(input, item), left.run(input, item)) };
};

export const binaryTerm = (node: ASTNode, left: Term, right: Term): Term => {
  const { op } = node;
  if (op === '==' || op === '!=') return equality(node, op, left, right);
  if (op === 'in') return membership(node, left, right);
  const arithmetic = ARITHMETIC[op];
  if (arithmetic !== undefined) {
    if (op === '+' && left.type === 'string' && right.type === 'string') refuse(node, 'texts cannot be joined');
    if (left.type !== 'number' || right.type !== 'number') return mismatch(node, op, left, right);
    return { type: 'number', run: arithmetic(left.run, right.run) };
  }
  const order = ORDER[op];
  if (order === undefined) return refuse(node, `\`${op}\` is not available in rules`);
  if (left.type === 'number' && right.type === 'number') {
    const to = right.constant === undefined ? undefined : ORDER_TO[op]?.(left.run, right.constant);
    return { type: 'bool', run: to ?? order(left.run, right.run) };
  }
  if (left.type === 'string' && right.type === 'string') return { type: 'bool', run: order(left.run, right.run) };
  return mismatch(node, op, left, right);
};

const bothOf =
  (a: Run<boolean>, b: Run<boolean>): Run<boolean> =>
  (input, item) =>
    a(input, item) && b(input, item);
const eitherOf =
  (a: Run<boolean>, b: Run<boolean>): Run<boolean> =>
  (input, item) =>
    a(input, item) || b(input, item);

/** A chain such as `a && b && c`, built from its end: the first operand decides most cases and is evaluated first. */
export const logicalTerm = (node: ASTNode, operands: readonly ASTNode[], terms: readonly Term[]): BoolTerm => {
  const runs = terms.map((term, i) =>
    term.type === 'bool'
      ? term.run
      : refuse(operands[i] as ASTNode, `\`${node.op}\` needs bool on both sides, not ${typeName(term)}`),
  );
  const join = node.op === '&&' ? bothOf : eitherOf;
  return { type: 'bool', run: runs.reduceRight((rest, one) => join(one, rest)) };
};

export const unaryTerm = (node: ASTNode, of: Term): Term => {
  if (node.op === '!_' && of.type === 'bool') {
    const { run } = of;
    return { type: 'bool', run: (input, item) => !run(input, item) };
  }
  if (node.op === '-_' && of.type === 'number') {
    const { run } = of;
    return { type: 'number', run: (input, item) => -run(input, item) };
  }
  return refuse(node, `\`${node.op[0]}\` does not work on ${typeName(of)}`);
};

const choose =
  <T>(condition: Run<boolean>, a: Run<T>, b: Run<T>): Run<T> =>
  (input, item) =>
    condition(input, item) ? a(input, item) : b(input, item);

export const choiceTerm = (node: ASTNode, condition: Term, a: Term, b: Term): Term => {
  if (condition.type !== 'bool')
    return refuse(node, `the condition before \`?\` must be bool, not ${typeName(condition)}`);
  if (a.type === 'bool' && b.type === 'bool') return { type: 'bool', run: choose(condition.run, a.run, b.run) };
  if (a.type === 'number' && b.type === 'number') return { type: 'number', run: choose(condition.run, a.run, b.run) };
  if (a.type === 'string' && b.type === 'string') {
    const isLong = a.isLong === true || b.isLong === true;
    return { type: 'string', isLong, run: choose(condition.run, a.run, b.run) };
  }
  return refuse(
    node,
    `both sides of \`:\` must have the same type (bool, number or string), not ${typeName(a)} and ${typeName(b)}`,
  );
};
