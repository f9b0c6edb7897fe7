/** Why an expression cannot be a rule, and where. */
export interface Fault {
  /** Both from 1, in characters as people count them. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line it is in, with a caret under the place. */
  readonly excerpt: string;
}

/** Thrown while an expression is looked at; `at` counts as strings do. */
export class ExpressionFault extends Error {
  override name = 'ExpressionFault';
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const LONGEST_QUOTED = 64;
/** A name from an expression as a message may hold it: it may be of any length, and of anything. */
export const quoted = (name: string): string => {
  const short = name.length > LONGEST_QUOTED ? `${name.slice(0, LONGEST_QUOTED)}…` : name;
  return `\`${short.toWellFormed().replaceAll(/\p{C}/gu, '\uFFFD')}\``;
};

const LINE_BREAK = /\r\n|\n|\r/;
/** So much of a long line is shown on either side of the place. */
const AROUND = 60;

/** What stands before the caret: tabs stay, so that it is under the place however wide they are shown. */
const indent = (before: readonly string[]): string => before.map((char) => (char === '\t' ? '\t' : ' ')).join('');

export const faultAt = (expression: string, at: number, message: string): Fault => {
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

/** All of it in one text, to stand behind the name of the member. */
export const faultText = ({ line, column, message, excerpt }: Fault): string =>
  `is not valid at line ${line}, column ${column}: ${message}\n${excerpt}`;
