import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { MAX_DEPTH, MAX_LIST_VALUES } from './cost-limits.ts';
import { InvalidExpression } from './expression-error.ts';

export const MAX_LENGTH = 4000;
export const TOO_DEEP = `the expression is nested more than ${MAX_DEPTH} levels deep`;

/** Used for its parser only. `compile.ts` gives the tree its meaning and needs no interpreter. */
const parser = new Environment({
  limits: {
    maxAstNodes: MAX_LENGTH,
    maxDepth: MAX_DEPTH,
    maxListElements: MAX_LIST_VALUES,
    maxMapEntries: 1,
    maxCallArguments: 4,
  },
});

const LIMITS: Readonly<Record<string, string>> = {
  maxDepth: TOO_DEEP,
  maxListElements: `a list has more than ${MAX_LIST_VALUES} values`,
};
/** Operators of other languages, and ours. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['<>', '!='],
  ['&', '&&'],
  ['and', '&&'],
  ['AND', '&&'],
  ['|', '||'],
  ['or', '||'],
  ['OR', '||'],
  ['not', '!'],
  ['NOT', '!'],
]);
const TOKENS: Readonly<Record<string, string>> = {
  EOF: 'the end',
  RPAREN: '`)`',
  RBRACKET: '`]`',
  RBRACE: '`}`',
  COLON: '`:`',
  IDENTIFIER: 'a name',
};

const WORD = /^(?:\w+|<>|.)/su;
/** The message of the parser, with the token as it was written. */
const messageOf = ({ code, summary }: ParseError, rest: string): string => {
  const limit = Object.keys(LIMITS).find((name) => summary.includes(name));
  if (limit !== undefined) return LIMITS[limit] as string;
  const word = WORD.exec(rest)?.[0];
  if (code === 'expected_token') {
    const expected = /Expected (\w+)/.exec(summary)?.[1] ?? '';
    return `expected ${TOKENS[expected] ?? expected.toLowerCase()} here`;
  }
  if (code !== 'unexpected_token' && code !== 'unexpected_character')
    return summary.replace(/^./, (first) => first.toLowerCase());
  if (word === undefined) return 'the expression is incomplete';
  const meant = OPERATORS.get(word);
  return `\`${word}\` is not expected here${meant === undefined ? '' : `; write \`${meant}\``}`;
};

export const parse = (expression: string): ASTNode => {
  try {
    return parser.parse(expression).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const at = error.range?.start ?? 0;
    throw new InvalidExpression(messageOf(error, expression.slice(at)), at);
  }
};
