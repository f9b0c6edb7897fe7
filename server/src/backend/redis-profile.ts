import {
  addToProfile,
  deviceId,
  knownIndex,
  makeKnowledge,
  newProfile,
  newShelf,
  profileAt,
  readShelf,
  type Slab,
  type Subject,
  type Verdict,
} from '@portcullis/engine';
import { baseOf, type Compacted, HEADER, LONG_PROFILE, Unreadable } from './redis-records.ts';

/**
 * The profile of a user in Redis: a header and a base as those of a history, and a tail of records that each tell their own length. A profile is
 * read by people, not by screenings, so its records may be text: what of a screening is shown, and what was said of it.
 */

/** What is shown of a screening, without names, for there are many. An event has no amount, and its type in place of a currency. */
type Shown = readonly [
  at: number,
  country: number | null,
  score: number,
  decision: Verdict['decision'],
  signals: readonly string[],
  ip: string | null,
  device: string | null,
  what: string,
  amount?: number,
  billing?: string | null,
  shipping?: string | null,
];

const shownOf = (subject: Subject, { score, decision, signals }: Verdict): Shown => {
  const { at, request } = subject;
  const country = subject.knowledge[knownIndex.ip_country] as number;
  const device = request.device_token === undefined ? null : deviceId(request.device_token);
  const ip = request.ip_address ?? null;
  const known = Number.isNaN(country) ? null : country;
  if (subject.type === 'event') return [at, known, score, decision, signals, ip, device, subject.request.type];
  const { currency, amount, billing_address, shipping_address } = subject.request;
  const [billing, shipping] = [billing_address?.country ?? null, shipping_address?.country ?? null];
  return [at, known, score, decision, signals, ip, device, currency, amount, billing, shipping];
};

const addressIn = (country: string | null | undefined) => (country == null ? undefined : { country });

/** All that a profile looks at. The rest of the subject was left out when it was written. */
const subjectIn = ([at, country, , , , ip, device, what, amount, billing, shipping]: Shown): Subject => {
  const knowledge = makeKnowledge();
  knowledge[knownIndex.ip_country] = country ?? Number.NaN;
  const seen = { ip_address: ip ?? undefined, device_token: device ?? undefined };
  const addresses = { billing_address: addressIn(billing), shipping_address: addressIn(shipping) };
  return (
    amount === undefined
      ? { at, type: 'event', knowledge, request: { ...seen, type: what } }
      : { at, type: 'transaction', knowledge, request: { ...seen, ...addresses, currency: what, amount } }
  ) as Subject;
};

/** Two bytes for the length of the rest, eight for the number, then text. */
const TEXT_AT = 10;
/** A length fits two bytes, whatever the characters. */
const MOST_TEXT = 16_384;
const MOST_SIGNALS = 100;

export const profileRecord = (subject: Subject, seq: number, verdict: Verdict): Buffer => {
  const whole = JSON.stringify(shownOf(subject, verdict));
  // An account may have so many rules that match. A profile shows twenty signals, so most of those left out would have gone by themselves.
  const text =
    whole.length <= MOST_TEXT
      ? whole
      : JSON.stringify(shownOf(subject, { ...verdict, signals: verdict.signals.slice(-MOST_SIGNALS) }));
  const record = Buffer.allocUnsafe(TEXT_AT + Buffer.byteLength(text));
  record.writeUint16LE(record.length - 2, 0);
  record.writeDoubleLE(seq, 2);
  record.write(text, TEXT_AT);
  return record;
};

export const foldShown = (
  slab: Slab,
  before: number,
  subject: Subject,
  verdict: Pick<Verdict, 'score' | 'decision' | 'signals'>,
): number => {
  const shelf = before === 0 ? newShelf(slab) : before;
  const block = profileAt(slab, shelf) === shelf ? newProfile(slab, shelf, subject.at) : shelf;
  return addToProfile(slab, block, subject, verdict.score, verdict.decision, verdict.signals);
};

const foldRecord = (slab: Slab, before: number, text: string): number => {
  const shown = JSON.parse(text) as Shown;
  const [, , score, decision, signals] = shown;
  return foldShown(slab, before, subjectIn(shown), { score, decision, signals });
};

/** Puts a profile into a slab, on a shelf of its own, and answers with where. Tells what base could take the place of a long tail. */
export const readProfile = (slab: Slab, value: Buffer, onLong: (compacted: Compacted) => void): number => {
  const length = value.length < HEADER ? value.length : value.readUint32LE(4);
  const first = HEADER + length;
  if (value.length < first) throw new Unreadable('a profile in Redis is not what was written there');
  let shelf = length === 0 ? 0 : readShelf(slab, value.subarray(HEADER, first));
  let through = value.readDoubleLE(8);
  for (let at = first; at < value.length; ) {
    const end = at + 2 + value.readUint16LE(at);
    through = Math.max(through, value.readDoubleLE(at + 2));
    shelf = foldRecord(slab, shelf, value.toString('utf8', at + TEXT_AT, end));
    at = end;
  }
  if (value.length - first > LONG_PROFILE)
    onLong({
      version: value.readUint32LE(0),
      folded: value.length - first,
      base: baseOf(slab, shelf),
      through,
    });
  return shelf;
};
