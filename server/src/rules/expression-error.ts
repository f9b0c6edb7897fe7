/** Why an expression is invalid, and where. */
export interface ExpressionError {
  /** Line and column, from 1, in characters as people count them. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line of the error, with a caret under the place. */
  readonly excerpt: string;
}

/** Thrown while an expression is compiled. `at` is an index into the string. */
export class InvalidExpression extends Error {
  override name = 'InvalidExpression';
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const MAX_QUOTED = 64;
/** A name of an expression, safe for a message: shortened, without control characters. */
export const quoted = (name: string): string => {
  const short = name.length > MAX_QUOTED ? `${name.slice(0, MAX_QUOTED)}…` : name;
  return `\`${short.toWellFormed().replaceAll(/\p{C}/gu, '\uFFFD')}\``;
};

const LINE_BREAK = /\r\n|\n|\r/;
/** Characters shown on either side of the place in a long line. */
const AROUND = 60;

/** The indent of the caret. Tabs stay tabs, so that the caret is under the place at any tab width. */
const indent = (before: readonly string[]): string => before.map((char) => (char === '\t' ? '\t' : ' ')).join('');

export const errorAt = (expression: string, at: number, message: string): ExpressionError => {
  const before = expression.slice(0, at).split(LINE_BREAK);
  const start = [...(before.at(-1) as string)];
  const end = [...(expression.slice(at).split(LINE_BREAK, 1)[0] as string)];
  const shownStart = start.length > AROUND ? ['…', ...start.slice(-AROUND)] : start;
  const shownEnd = end.length > AROUND ? [...end.slice(0, AROUND), '…'] : end;
  return {
    line: before.length,
    column: start.length + 1,
    message,
    excerpt: `${shownStart.join('')}${shownEnd.join('')}\n${indent(shownStart)}^`,
  };
};

/** The error as one text, to follow the name of the field. */
export const errorText = ({ line, column, message, excerpt }: ExpressionError): string =>
  `is invalid at line ${line}, column ${column}: ${message}\n${excerpt}`;
