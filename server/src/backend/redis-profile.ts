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
import { baseOf, type Compacted, HEADER, throughBytes, Unreadable } from './redis-records.ts';

/**
 * The profile of a user in Redis: a header and a base as those of a history, and a tail of records that each tell their own length. A profile is
 * read by people, not by screenings, so its records may be text: what of a screening is shown, and what was said of it.
 */

/** What of a request is shown in a profile. */
const shownOf = ({ type, request }: Subject): Record<string, unknown> => {
  const seen = {
    device_token: request.device_token === undefined ? undefined : deviceId(request.device_token),
    ip_address: request.ip_address,
  };
  if (type === 'event') return { ...seen, type: request.type };
  const { currency, amount, billing_address: billing, shipping_address: shipping } = request;
  return {
    ...seen,
    currency,
    amount,
    billing_address: billing?.country === undefined ? undefined : { country: billing.country },
    shipping_address: shipping?.country === undefined ? undefined : { country: shipping.country },
  };
};

type Shown = readonly [
  at: number,
  type: Subject['type'],
  country: number | null,
  request: Subject['request'],
  score: number,
  decision: Verdict['decision'],
  signals: readonly string[],
];

/** Two bytes for the length of the rest, eight for the number, then text. */
const TEXT_AT = 10;

export const profileRecord = (subject: Subject, seq: number, { score, decision, signals }: Verdict): Buffer => {
  const country = subject.knowledge[knownIndex.ip_country] as number;
  const known = Number.isNaN(country) ? null : country;
  const text = JSON.stringify([subject.at, subject.type, known, shownOf(subject), score, decision, signals]);
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
  const [at, type, country, request, score, decision, signals] = JSON.parse(text) as Shown;
  const knowledge = makeKnowledge();
  knowledge[knownIndex.ip_country] = country ?? Number.NaN;
  // All that a profile looks at. The rest of the subject was left out when it was written.
  const subject = { at, type, request, knowledge } as Subject;
  return foldShown(slab, before, subject, { score, decision, signals });
};

/** A tail this long is folded for good: about twenty screenings. */
const LONG_BYTES = 3072;

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
  if (value.length - first > LONG_BYTES)
    onLong({
      version: value.readUint32LE(0),
      folded: value.length - first,
      base: baseOf(slab, shelf),
      through: throughBytes(through),
    });
  return shelf;
};
