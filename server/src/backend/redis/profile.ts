import { crc32 } from 'node:zlib';
import {
  type Arena,
  addToProfile,
  deviceId,
  knowledgeIndex,
  makeKnowledge,
  newEntityGroup,
  newProfile,
  profileAt,
  type Subject,
  type Verdict,
} from '@portcullis/engine';
import { baseOf, DamagedValue, readBase } from './base.ts';
import { type Compaction, HEADER, type IsSettled, LONG_PROFILE, type Split, splitRecords } from './record.ts';

/**
 * The profile of a user in Redis: header, base and tail as in a history. Each record of the tail starts with its
 * length. People read profiles, screenings do not, so a record may be JSON text: the part of a screening and its
 * verdict that a profile shows.
 */

/**
 * The part of a screening that a profile shows, as a tuple to save space. An event has its type in place of a
 * currency, and no amount.
 */
type ProfileEntry = readonly [
  at: number,
  country: number | null,
  score: number,
  decision: Verdict['decision'],
  signals: readonly string[],
  ip: string | null,
  device: string | null,
  typeOrCurrency: string,
  amount?: number,
  billing?: string | null,
  shipping?: string | null,
];

/** The part of a verdict that a profile shows. */
type ProfiledVerdict = Pick<Verdict, 'score' | 'decision' | 'signals'>;

const entryOf = (subject: Subject, { score, decision, signals }: ProfiledVerdict): ProfileEntry => {
  const { at, request } = subject;
  const country = subject.knowledge[knowledgeIndex.ip_country] as number;
  const device = request.device_token === undefined ? null : deviceId(request.device_token);
  const ip = request.ip_address ?? null;
  const known = Number.isNaN(country) ? null : country;
  if (subject.type === 'event') return [at, known, score, decision, signals, ip, device, subject.request.type];
  const { currency, amount, billing_address, shipping_address } = subject.request;
  const [billing, shipping] = [billing_address?.country ?? null, shipping_address?.country ?? null];
  return [at, known, score, decision, signals, ip, device, currency, amount, billing, shipping];
};

const addressIn = (country: string | null | undefined) => (country == null ? undefined : { country });

/** A subject with only the fields that a profile reads. The record holds no others. */
const subjectIn = ([
  at,
  country,
  ,
  ,
  ,
  ip,
  device,
  typeOrCurrency,
  amount,
  billing,
  shipping,
]: ProfileEntry): Subject => {
  const knowledge = makeKnowledge();
  knowledge[knowledgeIndex.ip_country] = country ?? Number.NaN;
  const seen = { ip_address: ip ?? undefined, device_token: device ?? undefined };
  const addresses = { billing_address: addressIn(billing), shipping_address: addressIn(shipping) };
  return (
    amount === undefined
      ? { at, type: 'event', knowledge, request: { ...seen, type: typeOrCurrency } }
      : { at, type: 'transaction', knowledge, request: { ...seen, ...addresses, currency: typeOrCurrency, amount } }
  ) as Subject;
};

/**
 * A record has two bytes for the length of the rest, eight for the sequence number, one for the number of the writer,
 * one that is 1 where the record was settled individually, four for a checksum of number and text, then text.
 */
const SEQ = 2;
const WRITER = 10;
/** Lua counts from 1, and patches this byte. */
export const PROFILE_SETTLED = 11;
const CHECKSUM = 12;
const TEXT_AT = 16;
/** In characters: their UTF-8 bytes still fit the two bytes of the length. */
const MAX_TEXT = 16_384;
const MAX_SIGNALS = 100;

const checksumIn = (value: Buffer, at: number, end: number): number =>
  crc32(value.subarray(at + TEXT_AT, end), crc32(value.subarray(at, at + WRITER)));

export const profileRecord = (subject: Subject, seq: number, writer: number, verdict: ProfiledVerdict): Buffer => {
  const full = JSON.stringify(entryOf(subject, verdict));
  // Hundreds of account rules may match. A profile shows the last twenty signals, so nearly all signals left out
  // would not be shown.
  const text =
    full.length <= MAX_TEXT
      ? full
      : JSON.stringify(entryOf(subject, { ...verdict, signals: verdict.signals.slice(-MAX_SIGNALS) }));
  const record = Buffer.allocUnsafe(TEXT_AT + Buffer.byteLength(text));
  record.writeUint16LE(record.length - 2, 0);
  record.writeDoubleLE(seq, SEQ);
  record[WRITER] = writer;
  record[PROFILE_SETTLED] = 0;
  record.write(text, TEXT_AT);
  record.writeUint32LE(checksumIn(record, 0, record.length), CHECKSUM);
  return record;
};

export const addScreening = (arena: Arena, before: number, subject: Subject, verdict: ProfiledVerdict): number => {
  const group = before === 0 ? newEntityGroup(arena) : before;
  const block = profileAt(arena, group) === group ? newProfile(arena, group, subject.at) : group;
  return addToProfile(arena, block, subject, verdict.score, verdict.decision, verdict.signals);
};

const endOf = (value: Buffer, at: number): number => at + SEQ + value.readUint16LE(at);

const foldRecord = (arena: Arena, before: number, value: Buffer, at: number): number => {
  const end = endOf(value, at);
  if (end > value.length || end < at + TEXT_AT || checksumIn(value, at, end) !== value.readUint32LE(at + CHECKSUM))
    throw new DamagedValue();
  const entry = JSON.parse(value.toString('utf8', at + TEXT_AT, end)) as ProfileEntry;
  const [, , score, decision, signals] = entry;
  return addScreening(arena, before, subjectIn(entry), { score, decision, signals });
};

/** Bytes of a tail that is compacted out of order, and of one that is compacted even if unsettled: see `record.ts`. */
const OUT_OF_ORDER_FROM = 8 * LONG_PROFILE;
const FORCED_FROM = 64 * LONG_PROFILE;

const splitTail = (value: Buffer, first: number, isSettled: IsSettled): Split => {
  const bytes = value.length - first;
  const positions: number[] = [];
  for (let at = first; at < value.length; at = endOf(value, at)) {
    if (at + TEXT_AT > value.length) throw new DamagedValue();
    positions.push(at);
  }
  const isFinal = (at: number): boolean =>
    bytes > FORCED_FROM ||
    value[at + PROFILE_SETTLED] === 1 ||
    isSettled(value[at + WRITER] as number, value.readDoubleLE(at + SEQ));
  return splitRecords(positions, isFinal, bytes > OUT_OF_ORDER_FROM);
};

/**
 * Reads a profile into an arena and returns its position. Calls `onLong` with the compaction of a long tail. A retry
 * looks for its record in the tail, so unsettled records stay there.
 */
export const readProfile = (
  arena: Arena,
  value: Buffer,
  isSettled: IsSettled,
  onLong: (compaction: Compaction) => void,
): number => {
  const length = value.length < HEADER ? value.length : value.readUint32LE(4);
  const first = HEADER + length;
  if (value.length < Math.max(first, HEADER)) throw new DamagedValue();
  let group = length === 0 ? 0 : readBase(arena, value.subarray(HEADER, first));
  const { compacted, kept } = splitTail(value, first, isSettled);
  let through = value.readDoubleLE(8);
  let compactedBytes = 0;
  for (const at of compacted) {
    group = foldRecord(arena, group, value, at);
    through = Math.max(through, value.readDoubleLE(at + SEQ));
    compactedBytes += endOf(value, at) - at;
  }
  if (value.length - first > LONG_PROFILE && compactedBytes > LONG_PROFILE / 2)
    onLong({
      version: value.readUint32LE(0),
      folded: value.length - first,
      kept: kept.map((at) => [at - first, endOf(value, at) - first]),
      base: baseOf(arena, group),
      through,
    });
  for (const at of kept) group = foldRecord(arena, group, value, at);
  return group;
};
