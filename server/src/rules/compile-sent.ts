import { maskCardNumbers } from '@portcullis/contract/values';
import { compile } from './compile.ts';
import { errorAt } from './expression-error.ts';

/** A text, or a part outside of texts between the signs that separate the values of a list. */
const PART = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,"'[\](){}]+/g;

/** The place of a possible card number. It is searched value by value: a list of codes is not a number in groups. */
const cardNumberAt = (expression: string): number | undefined => {
  for (const { 0: part, index } of expression.matchAll(PART)) {
    const masked = maskCardNumbers(part);
    if (masked === part) continue;
    let at = 0;
    while (part[at] === masked[at]) at++;
    return index + at;
  }
  return undefined;
};

/** Compiles an expression that a caller sent. One with a card number is refused, because it would be stored. */
export const compileSent = (expression: string): ReturnType<typeof compile> => {
  const cardAt = cardNumberAt(expression);
  return cardAt === undefined
    ? compile(expression)
    : { error: errorAt(maskCardNumbers(expression), cardAt, 'the expression contains what looks like a card number') };
};
