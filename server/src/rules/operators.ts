import type { ASTNode } from '@marcbachmann/cel-js';
import { refuse } from './look.ts';
import { type CheckText, type Item, type Listed, type Run, type Term, type Truth, typeName } from './terms.ts';

type Numbers = (a: Run<number>, b: Run<number>) => Run<number>;
const ARITHMETIC: Readonly<Record<string, Numbers>> = {
  '+': (a, b) => (input, item) => a(input, item) + b(input, item),
  '-': (a, b) => (input, item) => a(input, item) - b(input, item),
  '*': (a, b) => (input, item) => a(input, item) * b(input, item),
  '/': (a, b) => (input, item) => a(input, item) / b(input, item),
  '%': (a, b) => (input, item) => a(input, item) % b(input, item),
};

type Ordered = (a: Run<number | string>, b: Run<number | string>) => Run<boolean>;
const ORDER: Readonly<Record<string, Ordered>> = {
  '<': (a, b) => (input, item) => a(input, item) < b(input, item),
  '<=': (a, b) => (input, item) => a(input, item) <= b(input, item),
  '>': (a, b) => (input, item) => a(input, item) > b(input, item),
  '>=': (a, b) => (input, item) => a(input, item) >= b(input, item),
};
/** Nearly all comparisons are with a number that is written out: half the calls. */
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
/** Of numbers: one that is not known is not unequal to anything either. */
const unequalNumbers =
  (a: Run<number>, b: Run<number>): Run<boolean> =>
  (input, item) => {
    const left = a(input, item);
    const right = b(input, item);
    return left < right || left > right;
  };

/** An empty text is what stands for one that is missing, so it can be compared with anything. */
const checkText = (node: ASTNode, check: CheckText | undefined, text: Item): void => {
  const wrong = typeof text === 'string' && text !== '' ? check?.(text) : undefined;
  if (wrong !== undefined) refuse(node, wrong);
};

const mismatch = (node: ASTNode, op: string, left: Term, right: Term): never =>
  refuse(node, `\`${op}\` does not work on ${typeName(left)} and ${typeName(right)}`);

const equalTerm = (left: Term & { run: Run<Item> }, right: Term & { run: Run<Item>; constant?: Item }): Run<boolean> =>
  right.constant === undefined ? equal(left.run, right.run) : equalTo(left.run, right.constant);

const equality = (node: ASTNode, op: '==' | '!=', left: Term, right: Term): Truth => {
  if (left.type === 'number' && right.type === 'number')
    return { type: 'bool', run: op === '==' ? equalTerm(left, right) : unequalNumbers(left.run, right.run) };
  if (left.type === 'string' && right.type === 'string') {
    const [leftNode, rightNode] = node.args as [ASTNode, ASTNode];
    checkText(rightNode, left.check, right.constant);
    checkText(leftNode, right.check, left.constant);
  } else if (left.type !== 'bool' || right.type !== 'bool') return mismatch(node, op, left, right);
  return { type: 'bool', run: op === '==' ? equalTerm(left, right) : unequal(left.run, right.run) };
};

/** Whether a value is one of a list. */
const within = (node: ASTNode, value: Term, list: Listed): Truth => {
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
  // Not `includes`: it finds what is not known among others that are not.
  return {
    type: 'bool',
    run: (input, item) => {
      const wanted = run(input, item);
      return list.run(input, item).some((one) => one === wanted);
    },
  };
};

const membership = (node: ASTNode, left: Term, right: Term): Truth => {
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

/** A chain such as `a && b && c`, put together from its end: most are settled by the first, which is then asked first and alone. */
export const logicalTerm = (node: ASTNode, operands: readonly ASTNode[], terms: readonly Term[]): Truth => {
  const runs = terms.map((term, i) =>
    term.type === 'bool'
      ? term.run
      : refuse(operands[i] as ASTNode, `\`${node.op}\` takes bool on both sides, not ${typeName(term)}`),
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
  if (condition.type !== 'bool') return refuse(node, `what stands before \`?\` is ${typeName(condition)}, not bool`);
  if (a.type === 'bool' && b.type === 'bool') return { type: 'bool', run: choose(condition.run, a.run, b.run) };
  if (a.type === 'number' && b.type === 'number') return { type: 'number', run: choose(condition.run, a.run, b.run) };
  if (a.type === 'string' && b.type === 'string') {
    const isLong = a.isLong === true || b.isLong === true;
    return { type: 'string', isLong, run: choose(condition.run, a.run, b.run) };
  }
  return refuse(
    node,
    `both sides of \`:\` must be bool, number or string alike, not ${typeName(a)} and ${typeName(b)}`,
  );
};
