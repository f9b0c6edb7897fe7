import { ALLOWED, type LuhnSums, luhnSums, PREFIX_DIGITS, passesLuhn, USUAL } from './issuers.ts';
import { MIN_CARD_DIGITS, mayHoldCard, type Run, runsIn } from './runs.ts';

const MAX_DIGITS = 19;
const SHOWN_FIRST = 6;
const SHOWN_LAST = 4;

const lengthOf = ({ groups }: Run, group: number): number => (groups[group + 1] as number) - (groups[group] as number);

/** Whether the groups have lengths as printed on cards: single digits, groups of four, or 4-6-5 and 4-6-4. */
const isPrinted = (run: Run, first: number, last: number): boolean => {
  const [length, end] = [lengthOf(run, first), lengthOf(run, last)];
  if (last === first + 2 && length === 4 && lengthOf(run, first + 1) === 6) return end === 5 || end === 4;
  for (let group = first; group < last; group++) if (lengthOf(run, group) !== length) return false;
  return length === 1 ? end === 1 : length === 4 && end <= 4;
};

/** Whether a group begins a decimal number of up to three digits before the point, such as 52.520008 or 19.99. */
const beginsDecimal = (run: Run, group: number): boolean =>
  run.dotted[group] === true &&
  run.dotted[group - 1] !== true &&
  run.dotted[group + 1] !== true &&
  lengthOf(run, group) <= 3;

/** Whether all groups are of decimal numbers, one after the other: prices or coordinates. */
const areDecimals = (run: Run, first: number, last: number): boolean => {
  for (let group = first; group <= last; group++) {
    if (group < last && run.dottedApart[group] === true) return false;
    if (!beginsDecimal(run, group) && !beginsDecimal(run, group - 1)) return false;
  }
  return true;
};

const isDivided = ({ divided }: Run, first: number, last: number): boolean => {
  for (let group = first; group < last; group++) if (divided[group] === true) return true;
  return false;
};

/** Whether the groups from `first` to `last`, which are digits of a card number, are also written as one. */
const isWrittenAsCard = (run: Run, first: number, last: number): boolean => {
  if (first === last) return true;
  return isDivided(run, first, last) ? isPrinted(run, first, last) : !areDecimals(run, first, last);
};

/** The end of the longest card number that begins with a group and consists of whole groups; 0 if there is none. */
const cardEnd = (run: Run, sums: LuhnSums, first: number, lengthsOf: Uint32Array): number => {
  const { digits, groups } = run;
  const from = groups[first] as number;
  let prefix = 0;
  for (let at = from; at < from + PREFIX_DIGITS; at++) prefix = prefix * 10 + (digits[at] ?? 0);
  const lengths = lengthsOf[prefix] as number;
  let end = 0;
  for (let last = first; lengths !== 0 && last < groups.length - 1; last++) {
    const to = groups[last + 1] as number;
    if (to - from > MAX_DIGITS) break;
    if ((lengths & (1 << (to - from))) !== 0 && passesLuhn(sums, from, to) && isWrittenAsCard(run, first, last))
      end = to;
  }
  return end;
};

/** The places of the digits to hide in a run, and the place of the last digit of the last card number. */
interface Hidden {
  readonly places: readonly number[];
  readonly end: number;
}

/**
 * Finds the digits to hide in a run. A run may hold more than a card number ("4111 1111 1111 1111 12 27"), so
 * every sequence of whole groups is tried. A group is never split: a 24-digit reference that contains a card number by
 * chance stays as it is. Where candidates overlap, the middle digits of each are hidden.
 */
const hiddenIn = (run: Run, lengthsOf: Uint32Array): Hidden => {
  const places: number[] = [];
  const sums = luhnSums(run.digits);
  let end = 0;
  for (let group = 0; group < run.groups.length - 1; group++) {
    const to = cardEnd(run, sums, group, lengthsOf);
    for (let at = Math.max((run.groups[group] as number) + SHOWN_FIRST, end - SHOWN_LAST); at < to - SHOWN_LAST; at++)
      places.push(run.places[at] as number);
    end = Math.max(end, to);
  }
  return { places, end: run.places[end - 1] ?? 0 };
};

/** Makes a short text from the hidden digits: equal ones get the same, others another. It must not reveal the digits. */
export type TagOf = (hidden: string) => string;

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) as number);

const hide = (text: string, lengthsOf: Uint32Array, tagOf: TagOf | undefined): string => {
  let masked = '';
  let done = 0;
  for (const run of runsIn(text)) {
    const { places, end } = hiddenIn(run, lengthsOf);
    let hidden = '';
    for (const place of places) {
      const digit = characterAt(text, place);
      masked += `${text.slice(done, place)}*`;
      done = place + digit.length;
      hidden += digit;
    }
    if (tagOf === undefined || hidden === '') continue;
    const afterCard = end + characterAt(text, end).length;
    masked += `${text.slice(done, afterCard)}~${tagOf(hidden)}`;
    done = afterCard;
  }
  return done === 0 ? text : masked + text.slice(done);
};

/**
 * Masks everything that looks like a card number: 13 to 19 digits of any script, with any separators, in the range of
 * an issuer and with a valid check digit. Returns the same string if there is none.
 */
export const maskCardNumbers = (text: string): string =>
  text.length >= MIN_CARD_DIGITS && mayHoldCard(text) ? hide(text, ALLOWED, undefined) : text;

/**
 * Masks card numbers in an identifier, and adds a tag that keeps different identifiers apart. Only lengths in use today
 * count: long numbers are common identifiers.
 */
export const maskIdentifier = (text: string, tagOf: TagOf): string =>
  text.length >= MIN_CARD_DIGITS && mayHoldCard(text) ? hide(text, USUAL, tagOf) : text;

const holdsCard = (run: Run, lengthsOf: Uint32Array): boolean => {
  const sums = luhnSums(run.digits);
  for (let group = 0; group < run.groups.length - 1; group++) if (cardEnd(run, sums, group, lengthsOf) > 0) return true;
  return false;
};

/** Whether a text holds a card number. Stops at the first one. */
const holds = (text: string, lengthsOf: Uint32Array): boolean =>
  text.length >= MIN_CARD_DIGITS && mayHoldCard(text) && runsIn(text).some((run) => holdsCard(run, lengthsOf));

/** Whether a name or address holds a card number of a length in use today. For texts that cannot be masked. */
export const holdsCardNumber = (text: string): boolean => holds(text, USUAL);

/** Whether `maskCardNumbers` would change the text. Cheaper than changing it. */
export const needsMask = (text: string): boolean => holds(text, ALLOWED);
