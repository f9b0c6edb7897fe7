/** The most common notation, which the runtime parses itself. */
const COMMON = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

// Date.parse accepts February 30th as March 2nd, and 24:00 as the next day. The parsed day must equal the written one.
const readCommon = (value: string): number | undefined => {
  const time = Date.parse(value);
  return new Date(time).getUTCDate() === Number(value.slice(8, 10)) ? time : undefined;
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

const SECOND_MS = 1000;
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
