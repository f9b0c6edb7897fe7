import type { DecisionValue } from '@portcullis/contract';
import { byContribution, type Contribution, type Verdict } from './decide.ts';
import { FACT_NAMES, type Facts, makeFacts } from './facts.ts';

/**
 * Facts as bytes, exact to the bit. Nearly all are small counts, or the same as the one before: nothing, not known, or a window
 * that holds no more than the next narrower one. So a count below 240 takes one byte, a run of equal ones two,
 * a longer time five, and only real amounts nine. A row is a tenth of what plain doubles take.
 */
const REPEAT = 240;
const NOT_KNOWN = 241;
const TWO_BYTES = 242;
const FOUR_BYTES = 243;
const DOUBLE = 244;
const LONGEST_RUN = 255;

const scratch = new Uint8Array(FACT_NAMES.length * 9);
const scratchView = new DataView(scratch.buffer);

export const packFacts = (facts: Facts): Uint8Array<ArrayBuffer> => {
  // Compared as bits, which is exact, for NaN too, and quick.
  const bits = new Uint32Array(facts.buffer, facts.byteOffset, 2 * facts.length);
  const end = bits.length;
  let at = 0;
  for (let i = 0; i < end; ) {
    const low = bits[i] as number;
    const high = bits[i + 1] as number;
    const value = facts[i >> 1] as number;
    const whole = value >>> 0;
    if (whole === value && high >>> 31 === 0) {
      if (whole < REPEAT) scratch[at++] = whole;
      else if (whole < 0x1_0000) {
        scratch[at++] = TWO_BYTES;
        scratchView.setUint16(at, whole);
        at += 2;
      } else {
        scratch[at++] = FOUR_BYTES;
        scratchView.setUint32(at, whole);
        at += 4;
      }
    } else if (Number.isNaN(value)) scratch[at++] = NOT_KNOWN;
    else {
      scratch[at++] = DOUBLE;
      scratchView.setFloat64(at, value);
      at += 8;
    }
    const first = i + 2;
    const longest = Math.min(end, first + 2 * LONGEST_RUN);
    for (i = first; i < longest && bits[i] === low && bits[i + 1] === high; i += 2);
    if (i > first) {
      scratch[at++] = REPEAT;
      scratch[at++] = (i - first) >> 1;
    }
  }
  return scratch.slice(0, at);
};

/** Facts of any version that is readable. */
export const unpackFacts = (bytes: Uint8Array): Facts => {
  const facts = makeFacts();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let i = 0;
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++] as number;
    if (tag === REPEAT) {
      const run = bytes[at++] as number;
      facts.fill(facts[i - 1] as number, i, i + run);
      i += run;
    } else if (tag === DOUBLE) {
      facts[i++] = view.getFloat64(at);
      at += 8;
    } else if (tag === FOUR_BYTES) {
      facts[i++] = view.getUint32(at);
      at += 4;
    } else if (tag === TWO_BYTES) {
      facts[i++] = view.getUint16(at);
      at += 2;
    } else facts[i++] = tag === NOT_KNOWN ? Number.NaN : tag;
  }
  // Of an earlier version: nobody asked then.
  return facts.fill(Number.NaN, i);
};

interface StoredVerdict {
  readonly score: number;
  readonly decision: DecisionValue;
  readonly base_score: number;
  readonly signals: readonly string[];
  /** Points by name: those of signals, and those of the model's features. */
  readonly rules: Readonly<Record<string, number>>;
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
    // Members of metadata may be named like anything.
    if (factor.of === of) text += `${text === '' ? '' : ','}${JSON.stringify(factor.name)}:${factor.contribution}`;
  }
  return text;
};

const packNames = (member: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `,"${member}":${JSON.stringify(names)}`;

/** A verdict as JSON. By hand: names of signals need no escaping, and this is a third of the time. */
export const packVerdict = (verdict: Verdict): string => {
  const { score, decision, baseScore, signals, factors, modelVersion, probability } = verdict;
  const said = signals.length === 0 ? '' : `"${signals.join('","')}"`;
  const start = `{"score":${score},"decision":"${decision}","base_score":${baseScore},"signals":[${said}]`;
  const rules = `,"rules":{${packFactors(factors, 'signal')}}`;
  const own =
    packNames('lists', verdict.lists) + packNames('matched', verdict.rules) + packNames('shadow', verdict.shadow);
  if (modelVersion === null) return `${start}${rules}${own}}`;
  const features = `"features":{${packFactors(factors, 'feature')}}`;
  return `${start}${rules},${features},"model":"${modelVersion}","probability":${probability}${own}}`;
};

export const unpackVerdict = (text: string): Verdict => {
  const stored = JSON.parse(text) as StoredVerdict;
  const { score, decision, base_score: baseScore, signals } = stored;
  const factorsOf = (of: Contribution['of'], points: Readonly<Record<string, number>> = {}): Contribution[] =>
    Object.entries(points).map(([name, contribution]) => ({ of, name, contribution }));
  const factors = [...factorsOf('signal', stored.rules), ...factorsOf('feature', stored.features)].sort(byContribution);
  const { model: modelVersion = null, probability = null, lists = [], matched: rules = [], shadow = [] } = stored;
  return { score, decision, baseScore, signals, factors, modelVersion, probability, lists, rules, shadow };
};
