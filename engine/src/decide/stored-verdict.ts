import type { DecisionValue } from '@portcullis/contract';
import { FACT_NAMES, type Facts, fact, makeFacts } from '../history/facts.ts';
import { byContribution, type Contribution, type Verdict } from './verdict.ts';

/**
 * Facts as bytes, exact to the bit. Most facts are small counts or equal to the fact before: zero, unknown, or a
 * window with the same count as the next narrower one. So a count below 240 takes one byte, a run of equal facts
 * two more, a whole number three or five, and other numbers nine. The bytes take a tenth of plain doubles.
 */
const REPEAT = 240;
const UNKNOWN = 241;
const TWO_BYTES = 242;
const FOUR_BYTES = 243;
const DOUBLE = 244;
const LONGEST_RUN = 255;

const MOST_BYTES = FACT_NAMES.length * 9;
/**
 * Packed facts are parts of a larger block, which is replaced when it is full. A block of their own for each would take
 * longer to allocate than the facts take to pack.
 */
const BLOCK_BYTES = 64 * 1024;
let block = new Uint8Array(BLOCK_BYTES);
let blockView = new DataView(block.buffer);
let blockEnd = 0;

export const packFacts = (facts: Facts): Uint8Array<ArrayBuffer> => {
  if (blockEnd + MOST_BYTES > BLOCK_BYTES) {
    block = new Uint8Array(BLOCK_BYTES);
    blockView = new DataView(block.buffer);
    blockEnd = 0;
  }
  const bytes = block;
  const view = blockView;
  const start = blockEnd;
  // Compared as bits: exact even for NaN and -0, and fast.
  const bits = new Uint32Array(facts.buffer, facts.byteOffset, 2 * facts.length);
  const end = bits.length;
  let at = start;
  for (let i = 0; i < end; ) {
    const low = bits[i] as number;
    const high = bits[i + 1] as number;
    const value = facts[i >> 1] as number;
    const whole = value >>> 0;
    if (whole === value && high >>> 31 === 0) {
      if (whole < REPEAT) bytes[at++] = whole;
      else if (whole < 0x1_0000) {
        bytes[at++] = TWO_BYTES;
        view.setUint16(at, whole);
        at += 2;
      } else {
        bytes[at++] = FOUR_BYTES;
        view.setUint32(at, whole);
        at += 4;
      }
    } else if (Number.isNaN(value)) bytes[at++] = UNKNOWN;
    else {
      bytes[at++] = DOUBLE;
      view.setFloat64(at, value);
      at += 8;
    }
    const first = i + 2;
    const longest = Math.min(end, first + 2 * LONGEST_RUN);
    for (i = first; i < longest && bits[i] === low && bits[i + 1] === high; i += 2);
    if (i > first) {
      bytes[at++] = REPEAT;
      bytes[at++] = (i - first) >> 1;
    }
  }
  blockEnd = at;
  return new Uint8Array(bytes.buffer, start, at - start);
};

/** Reads facts of any readable version, into an array that the caller may reuse: as many as it has room for. */
export const unpackFacts = (bytes: Uint8Array, facts: Facts = makeFacts()): Facts => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = facts.length;
  let value = Number.NaN;
  let i = 0;
  for (let at = 0; at < bytes.length && i < end; ) {
    const tag = bytes[at++] as number;
    if (tag === REPEAT) {
      // Runs are short: a call of `fill` for each takes four times as long.
      for (const to = Math.min(end, i + (bytes[at++] as number)); i < to; ) facts[i++] = value;
      continue;
    }
    // Tested first: most facts are small counts.
    if (tag < REPEAT) value = tag;
    else if (tag === UNKNOWN) value = Number.NaN;
    else if (tag === DOUBLE) {
      value = view.getFloat64(at);
      at += 8;
    } else if (tag === FOUR_BYTES) {
      value = view.getUint32(at);
      at += 4;
    } else {
      value = view.getUint16(at);
      at += 2;
    }
    facts[i++] = value;
  }
  // An earlier version has fewer facts: the rest is unknown.
  return facts.fill(Number.NaN, i);
};

const COUNTRY = fact('ip_country');
const firstFacts = new Float64Array(COUNTRY + 1);
/** Reads the country of the IP address, as `countryNumber`. It is one of the first facts, so most are not read. */
export const unpackCountry = (bytes: Uint8Array): number => unpackFacts(bytes, firstFacts)[COUNTRY] as number;

interface StoredVerdict {
  readonly score: number;
  /** Absent in verdicts of an earlier version. */
  readonly forced?: true;
  readonly decision: DecisionValue;
  readonly base_score: number;
  readonly signals: readonly string[];
  /** Points by signal. */
  readonly rules: Readonly<Record<string, number>>;
  /** Points by feature of the model. */
  readonly features?: Readonly<Record<string, number>>;
  readonly model?: string;
  readonly probability?: number;
  readonly lists?: readonly string[];
  readonly matched?: readonly string[];
  readonly shadow?: readonly string[];
}

const packFactors = (factors: Verdict['factors'], of: 'signal' | 'feature'): string => {
  let text = '';
  for (let i = 0; i < factors.length; i++) {
    const factor = factors[i] as Verdict['factors'][number];
    // A metadata key can be any text, so it needs escaping.
    if (factor.of === of) text += `${text === '' ? '' : ','}${JSON.stringify(factor.name)}:${factor.contribution}`;
  }
  return text;
};

const packNames = (field: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `,"${field}":${JSON.stringify(names)}`;

/**
 * Writes a verdict as JSON that begins with the score, followed by `forced` where the decision was forced: SQL finds both
 * there. Concatenation takes a third of the time of JSON.stringify; names of signals need no
 * escaping.
 */
export const packVerdict = (verdict: Verdict): string => {
  const { score, decision, isForced, baseScore, signals, factors, modelVersion, probability } = verdict;
  const names = signals.length === 0 ? '' : `"${signals.join('","')}"`;
  const start = `{"score":${score},${isForced ? '"forced":true,' : ''}"decision":"${decision}","base_score":${baseScore},"signals":[${names}]`;
  const rules = `,"rules":{${packFactors(factors, 'signal')}}`;
  const matches =
    packNames('lists', verdict.lists) + packNames('matched', verdict.rules) + packNames('shadow', verdict.shadow);
  if (modelVersion === null) return `${start}${rules}${matches}}`;
  const features = `"features":{${packFactors(factors, 'feature')}}`;
  return `${start}${rules},${features},"model":"${modelVersion}","probability":${probability}${matches}}`;
};

/** What was decided, without the factors. */
export type StoredOutcome = Pick<Verdict, 'score' | 'decision' | 'signals' | 'rules' | 'modelVersion'>;

const RULES = ',"rules":{';
const MODEL = ',"model":"';
const MATCHED = ',"matched":[';

/**
 * Reads what was decided. Most readers need no factors, which take most of the text, so it is parsed up to them. A
 * string inside JSON has no unescaped quote, so no name can look like one of the fields that are searched for.
 */
export const unpackOutcome = (text: string): StoredOutcome => {
  const factors = text.indexOf(RULES);
  const isParsedWhole = factors < 0 || text.includes(MATCHED, factors);
  const { score, decision, signals, matched, model } = JSON.parse(
    isParsedWhole ? text : `${text.slice(0, factors)}}`,
  ) as StoredVerdict;
  const modelAt = isParsedWhole ? -1 : text.indexOf(MODEL, factors);
  const begin = modelAt + MODEL.length;
  const modelVersion = modelAt < 0 ? model : text.slice(begin, text.indexOf('"', begin));
  return { score, decision, signals, rules: matched ?? [], modelVersion: modelVersion ?? null };
};

export const unpackVerdict = (text: string): Verdict => {
  const stored = JSON.parse(text) as StoredVerdict;
  const { score, decision, forced: isForced = false, base_score: baseScore, signals } = stored;
  const factorsOf = (of: Contribution['of'], points: Readonly<Record<string, number>> = {}): Contribution[] =>
    Object.entries(points).map(([name, contribution]) => ({ of, name, contribution }));
  const factors = [...factorsOf('signal', stored.rules), ...factorsOf('feature', stored.features)].sort(byContribution);
  const { model: modelVersion = null, probability = null, lists = [], matched: rules = [], shadow = [] } = stored;
  return { score, decision, isForced, baseScore, signals, factors, modelVersion, probability, lists, rules, shadow };
};
