import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { ExpressionFault } from './fault.ts';
import { DEEPEST, MOST_ELEMENTS } from './look.ts';

export const LONGEST = 4000;
export const TOO_DEEP = `it is nested more than ${DEEPEST} levels deep`;

/** Only reads the text: what it means is told below, in the few types that rules have, and runs without an interpreter. */
const parser = new Environment({
  limits: {
    maxAstNodes: LONGEST,
    maxDepth: DEEPEST,
    maxListElements: MOST_ELEMENTS,
    maxMapEntries: 1,
    maxCallArguments: 4,
  },
});

const LIMITS: Readonly<Record<string, string>> = {
  maxDepth: TOO_DEEP,
  maxListElements: `a list has more than ${MOST_ELEMENTS} values`,
};
/** What people write who know other languages. */
const MEANT: ReadonlyMap<string, string> = new Map([
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
const SIGNS: Readonly<Record<string, string>> = {
  EOF: 'the end',
  RPAREN: '`)`',
  RBRACKET: '`]`',
  RBRACE: '`}`',
  COLON: '`:`',
  IDENTIFIER: 'a name',
};

const WORD = /^(?:\w+|<>|.)/su;
/** The reader's own words, with the sign or word in question as it was written. */
const inWords = ({ code, summary }: ParseError, rest: string): string => {
  const limit = Object.keys(LIMITS).find((name) => summary.includes(name));
  if (limit !== undefined) return LIMITS[limit] as string;
  const word = WORD.exec(rest)?.[0];
  if (code === 'expected_token') {
    const expected = /Expected (\w+)/.exec(summary)?.[1] ?? '';
    return `expected ${SIGNS[expected] ?? expected.toLowerCase()} here`;
  }
  if (code !== 'unexpected_token' && code !== 'unexpected_character')
    return summary.replace(/^./, (first) => first.toLowerCase());
  if (word === undefined) return 'something is missing at the end';
  const meant = MEANT.get(word);
  return `\`${word}\` is not expected here${meant === undefined ? '' : `; write \`${meant}\``}`;
};

export const parse = (expression: string): ASTNode => {
  try {
    return parser.parse(expression).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const at = error.range?.start ?? 0;
    throw new ExpressionFault(inWords(error, expression.slice(at)), at);
  }
};
