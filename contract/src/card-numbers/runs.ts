import { classOf, DIGIT, DIVIDER, LETTER } from './characters.ts';

export const MIN_CARD_DIGITS = 13;

/** A stretch of text without letters that has enough digits for a card number. */
export interface Run {
  readonly digits: number[];
  /** Where each digit is in the text. */
  readonly places: number[];
  /** The index in `digits` at which each group of adjacent digits begins, and the end of the last one. */
  readonly groups: number[];
  /** For each group but the first: whether a divider separates it from the one before. */
  readonly divided: boolean[];
  /** For each group but the first: whether a single dot separates it from the one before. */
  readonly dotted: boolean[];
  /** For each group but the first: whether a dot and more separate it from the one before, as never between two prices. */
  readonly dottedApart: boolean[];
}

const newRun = (): Run => ({ digits: [], places: [], groups: [], divided: [], dotted: [], dottedApart: [] });
const DOT = 46;

/** The runs of a text that have enough digits for a card number. */
export const runsIn = (text: string): Run[] => {
  const runs: Run[] = [];
  let run = newRun();
  let between: 'digit' | 'joiner' | 'dot' | 'divider' = 'joiner';
  let dots = 0;
  const finish = (): void => {
    if (run.digits.length >= MIN_CARD_DIGITS) runs.push({ ...run, groups: [...run.groups, run.digits.length] });
    if (run.digits.length > 0) run = newRun();
  };
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number;
    const kind = classOf(code);
    const next = at + (code > 0xffff ? 2 : 1);
    if (kind >= DIGIT) {
      if (between !== 'digit' || run.digits.length === 0) {
        if (run.digits.length > 0) {
          run.divided.push(between === 'divider');
          run.dotted.push(between === 'dot');
          run.dottedApart.push(between !== 'dot' && dots > 0);
        }
        run.groups.push(run.digits.length);
      }
      run.digits.push(kind - DIGIT);
      run.places.push(at);
      between = 'digit';
      dots = 0;
    } else if (kind === LETTER) finish();
    else if (kind === DIVIDER) between = 'divider';
    else if (between !== 'divider') between = between === 'digit' && code === DOT ? 'dot' : 'joiner';
    if (code === DOT) dots++;
    at = next;
  }
  finish();
  return runs;
};

/**
 * Whether a text has enough digits for a card number without a letter between them. It may answer yes too often. Every
 * text of every request is asked, so it allocates nothing.
 */
export const mayHoldCard = (text: string): boolean => {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      if (++count === MIN_CARD_DIGITS) return true;
    } else if (code < 128) {
      const lower = code | 32;
      if (lower >= 97 && lower <= 122) count = 0;
    } else if ((code >= 0xd800 && code < 0xe000) || classOf(code) >= DIGIT) {
      if (++count === MIN_CARD_DIGITS) return true;
    } else if (classOf(code) === LETTER) count = 0;
  }
  return false;
};
