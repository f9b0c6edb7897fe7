import type { ASTNode } from '@marcbachmann/cel-js';
import type { RuleCheck } from '@portcullis/contract';
import { type AccountRule, decide, type Facts, type Policy, type RuleInput, type Subject } from '@portcullis/engine';
import { compile } from './compile.ts';
import { parse } from './parse.ts';

/** The operands of the largest expression that are tried one by one. */
const MAX_PARTS = 100;

/** What a rule of the account is evaluated on, when this subject is decided by the policy. */
export const inputFor = (policy: Policy, subject: Subject, facts: Facts, lists: readonly string[]): RuleInput => {
  let found: RuleInput | undefined;
  const probe: AccountRule = {
    id: '',
    version: 0,
    name: '',
    state: 'shadow',
    action: { points: 0 },
    matches: (input) => {
      found = input;
      return false;
    },
  };
  decide({ ...policy, rules: [probe] }, subject, facts, lists);
  return found as RuleInput;
};

/** The operands of `&&` and `||`, in the order of the text. An expression without them is its only part. */
const operandsOf = (node: ASTNode): ASTNode[] =>
  node.op === '&&' || node.op === '||' ? (node.args as [ASTNode, ASTNode]).flatMap(operandsOf) : [node];

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const SPACES_AND_CLOSING = /^\s*\)/;
/** Parentheses around one part. Nobody needs as many. */
const MAX_AROUND = 64;
const OPENING_AND_SPACES = /\(\s*$/;

/** The place of a part, with the parentheses that the parser leaves out at its ends. */
const placeOf = (expression: string, { range }: ASTNode): { from: number; to: number } => {
  let { start: from, end: to } = range;
  for (let around = 0; around < MAX_AROUND; around++) {
    let depth = 0;
    let lowest = 0;
    for (const sign of expression.slice(from, to).replaceAll(TEXTS, '')) {
      if (sign === '(') depth++;
      if (sign === ')') depth--;
      lowest = Math.min(lowest, depth);
    }
    const opening = lowest < 0 ? OPENING_AND_SPACES.exec(expression.slice(0, from)) : null;
    const closing = lowest === 0 && depth > 0 ? SPACES_AND_CLOSING.exec(expression.slice(to)) : null;
    if (opening === null && closing === null) return { from, to };
    from -= opening?.[0].length ?? 0;
    to += closing?.[0].length ?? 0;
  }
  return { from, to };
};

/** Whether an expression holds; null if it fails, as a rule that fails does not match. */
const valueOn = (expression: string, input: RuleInput): boolean | null => {
  const compiled = compile(expression);
  if ('error' in compiled) return null;
  try {
    return compiled.matches(input);
  } catch {
    return null;
  }
};

/** Evaluates a valid expression and its operands. */
export const tryRule = (expression: string, input: RuleInput): Pick<RuleCheck, 'value' | 'parts'> => ({
  value: valueOn(expression, input),
  parts: operandsOf(parse(expression))
    .slice(0, MAX_PARTS)
    .map((node) => {
      const { from, to } = placeOf(expression, node);
      return { from, to, value: valueOn(expression.slice(from, to), input) };
    }),
});
