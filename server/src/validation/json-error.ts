/** The first place where a text stops being JSON, and the token expected there. Contains none of the text. */
export interface JsonError {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

/** A position behind a token, or the position where the token is malformed. */
type Scan = { readonly end: number } | { readonly at: number; readonly expected: string };

const VALUE = 'a value';
const NAME = 'a field name in double quotes';
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

const scanString = (text: string, start: number): Scan => {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') return { end: at + 1 };
    if (char < ' ') return { at, expected: 'an escape such as \\n instead of a control character' };
    if (char === '\\') {
      const end = matchEnd(ESCAPE, text, at);
      if (end === undefined) return { at, expected: 'a valid escape such as \\\\ or \\u00e9' };
      at = end;
    } else at++;
  }
  return { at, expected: 'the closing double quote of a string' };
};

const scanScalar = (text: string, at: number): Scan => {
  const char = text.charAt(at);
  if (char === '"') return scanString(text, at);
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return { end: at + word.length };
  const end = char === '-' || (char >= '0' && char <= '9') ? matchEnd(NUMBER, text, at) : undefined;
  if (end !== undefined) return { end };
  if (char === "'") return { at, expected: `${VALUE}, with strings in double quotes` };
  if (char === '\ufeff') return { at, expected: `${VALUE} without a byte order mark before it` };
  return { at, expected: VALUE };
};

const placeOf = (text: string, at: number, expected: string): JsonError => {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n'), expected };
};

/** States of the scan: `first…` may also end the object or array, `next` follows a whole value. */
type State = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'next';

/** One step behind `at`: the next state, or the token that was expected. Keeps the open brackets on `stack`. */
const step = (text: string, at: number, state: State, stack: string[]): (Scan & { state: State }) | Scan => {
  const char = text.charAt(at);
  const isObject = stack.at(-1) === '{';
  const close = isObject ? '}' : ']';
  const mayClose = state === 'firstValue' || state === 'firstName' || (state === 'next' && stack.length > 0);
  if (mayClose && char === close) {
    stack.pop();
    return { end: at + 1, state: 'next' };
  }
  if (state === 'next') {
    if (stack.length === 0) return { at, expected: 'the end of the body' };
    if (char === ',') return { end: at + 1, state: isObject ? 'name' : 'value' };
    return { at, expected: `a comma or \`${close}\`` };
  }
  if (state === 'colon') return char === ':' ? { end: at + 1, state: 'value' } : { at, expected: 'a colon' };
  if (state === 'name' || state === 'firstName') {
    if (char === '"') return { ...scanString(text, at), state: 'colon' };
    return { at, expected: char === close ? `${NAME}, or no comma before \`${close}\`` : NAME };
  }
  if (char === '{' || char === '[') {
    stack.push(char);
    return { end: at + 1, state: char === '{' ? 'firstName' : 'firstValue' };
  }
  if (state === 'value' && char === ']' && !isObject && stack.length > 0)
    return { at, expected: `${VALUE}, or no comma before \`]\`` };
  return { ...scanScalar(text, at), state: 'next' };
};

/**
 * Finds the error in a text that `JSON.parse` refused; undefined for valid JSON. The message of `JSON.parse` would
 * quote the text.
 */
export const findJsonError = (text: string): JsonError | undefined => {
  const stack: string[] = [];
  let state: State = 'value';
  let at = matchEnd(SPACE, text, 0) ?? 0;
  while (state !== 'next' || stack.length > 0 || at < text.length) {
    const found = step(text, at, state, stack);
    if ('at' in found) return placeOf(text, found.at, found.expected);
    if ('state' in found) state = found.state;
    at = matchEnd(SPACE, text, found.end) ?? found.end;
  }
  return undefined;
};
