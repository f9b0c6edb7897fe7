const LOCALE = navigator.language;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const fullUtc = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
  timeZone: 'UTC',
});
const dayUtc = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const makeTimes = (timeZone: string | undefined) => ({
  dayTime: new Intl.DateTimeFormat(LOCALE, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }),
  full: new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone }),
  clock: new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hourCycle: 'h23', timeZone }),
  day: new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone }),
  hour: new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }),
});
let times = makeTimes(undefined);
/** Sets the zone in which times are shown. A zone that the browser does not know changes nothing. */
export const setTimeZone = (timeZone: string): void => {
  try {
    times = makeTimes(timeZone);
  } catch {
    // The zone is newer than the browser.
  }
};

export const formatCount = (value: number): string => whole.format(value);
export const formatTenth = (value: number): string => tenths.format(value);
export const formatCompact = (value: number): string => compact.format(value);
export const formatShare = (value: number): string => percent.format(value);
const moneyFormats = new Map<string, Intl.NumberFormat>();
/** A format of its own for each row would make lists slow to scroll. */
const moneyFormatOf = (currency: string, maximumFractionDigits?: number): Intl.NumberFormat => {
  const key = `${currency} ${maximumFractionDigits}`;
  const found = moneyFormats.get(key);
  if (found !== undefined) return found;
  const made = new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency,
    ...(maximumFractionDigits !== undefined && { maximumFractionDigits }),
  });
  moneyFormats.set(key, made);
  return made;
};
/** A code that the browser does not know is shown as it is. */
export const formatMoney = (amount: number, currency: string): string => {
  try {
    return moneyFormatOf(currency).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
};
export const formatUsd = (amount: number): string => moneyFormatOf('USD', amount < 100 ? 2 : 0).format(amount);
export const formatTime = (time: string): string => times.full.format(new Date(time));
export const formatUtc = (time: string): string => `${fullUtc.format(new Date(time))} UTC`;
export const formatDayTime = (time: string): string => times.dayTime.format(new Date(time));
export const formatClock = (time: string): string => times.clock.format(new Date(time));
export const formatDay = (time: string | number): string => times.day.format(new Date(time));
export const formatHour = (time: string): string => times.hour.format(new Date(time));
/** The day of figures that are counted by days of UTC. In another zone its start may be on the day before. */
export const formatUtcDay = (time: string): string => dayUtc.format(new Date(time));

/** A duration in its two largest units at most, such as `3 d 4 h`. */
export const formatDuration = (ms: number): string => {
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${minutes} min`;
  const hours = Math.floor(ms / HOUR);
  if (ms < 10 * HOUR) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  if (ms < 2 * DAY) return `${hours} h`;
  const days = Math.floor(ms / DAY);
  return days < 10 && hours % 24 !== 0 ? `${days} d ${hours % 24} h` : `${days} d`;
};

const plurals = new Intl.PluralRules('en');
/** `1 case`, `3 cases`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${plurals.select(count) === 'one' ? one : many}`;

const regions = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });
export const formatCountry = (code: string): string => {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
};

/** `new_device` as `New device`. */
export const formatName = (name: string): string => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
