const SECOND_MS = 1000;
/** The most common notation. */
const COMMON = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

// Date.parse accepts February 30th as March 2nd. The parsed day must equal the written one.
const midnightOf = (day: string): number => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return new Date(time).getUTCDate() === Number(day.slice(8)) ? time : Number.NaN;
};
let readDay = '';
let readMidnight = Number.NaN;

const ZERO = '0'.charCodeAt(0);
const twoDigits = (text: string, at: number): number => 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 11 * ZERO;
const FRACTION_AT = '2026-01-01T00:00:00'.length;

/** Reads the most common notation. The day is cached, because parsing it is most of the work. */
const readCommon = (value: string): number | undefined => {
  const day = value.slice(0, 10);
  if (day !== readDay) {
    readMidnight = midnightOf(day);
    readDay = day;
  }
  const [hour, minute, second] = [twoDigits(value, 11), twoDigits(value, 14), twoDigits(value, 17)];
  if (Number.isNaN(readMidnight) || hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = value.length - 1 > FRACTION_AT ? Number(value.slice(FRACTION_AT + 1, -1).padEnd(3, '0')) : 0;
  return readMidnight + ((60 * hour + minute) * 60 + second) * SECOND_MS + ms;
};

/** Epoch milliseconds of an RFC 3339 time or a plain date (midnight UTC); undefined for anything else. */
export const readTimestamp = (value: string): number | undefined => {
  if (COMMON.test(value)) return readCommon(value);
  const match = RFC_3339.exec(value);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset.toUpperCase()}`,
  );
  return Number.isNaN(time) ? undefined : time;
};

const DAY_MS = 86_400_000;
const digits = (count: number, length: number): string[] =>
  Array.from({ length }, (_, number) => String(number).padStart(count, '0'));
const TWO = digits(2, 60);
const THREE = digits(3, SECOND_MS);
let writtenDay = Number.NaN;
let date = '';

/** Formats epoch milliseconds as the API does. The date is cached, because formatting it is most of the work. */
export const writeTimestamp = (time: number): string => {
  const day = Math.floor(time / DAY_MS);
  if (day !== writtenDay) {
    date = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    writtenDay = day;
  }
  const ms = time - day * DAY_MS;
  const seconds = Math.floor(ms / SECOND_MS);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  return `${date}${clock}.${THREE[Math.floor(ms % SECOND_MS)]}Z`;
};
