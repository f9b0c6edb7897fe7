import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCountry } from '@portcullis/contract';

/**
 * What is compared with a browser's time zone and language, from data that is on the machine: the names and countries of zones from tzdata (public
 * domain), as Debian packs it, and from the Unicode CLDR in Node (Unicode License v3) what time it is there and which languages a country has.
 */
const ZONEINFO = '/usr/share/zoneinfo';
const LINE_WIDTH = 116;
/** A summer and a winter of the year the data was made in. */
const MOMENTS = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];
const MINUTE_MS = 60_000;
/** Firefox says so, wherever it is, when told to resist fingerprinting. */
const SAID_BY_ANYBODY = 'Atlantic/Reykjavik';

/** Words of the lines of a file that begin with none of its comments. */
const linesOf = (file: string): string[][] =>
  readFileSync(join(ZONEINFO, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));

/** By how many minutes it is later there than in UTC. */
const minutesAt = (zone: string, moment: number): number => {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(moment);
  const part = (type: string): number => Number(parts.find((of) => of.type === type)?.value);
  const there = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return (there - moment) / MINUTE_MS;
};

const wrapped = (text: string): string => {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length < LINE_WIDTH) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
};

const zonesFile = (): string => {
  const countryOf = new Map(linesOf('zone.tab').map(([country, , zone]) => [zone as string, country as string]));
  const links = new Map(
    linesOf('tzdata.zi').flatMap(([kind, target, name]) => (kind === 'L' ? [[name, target] as const] : [])),
  );
  const targetOf = (name: string): string | undefined => {
    let zone: string | undefined = name;
    while (zone !== undefined && !countryOf.has(zone)) zone = links.get(zone);
    return zone;
  };
  const known = [...countryOf.keys(), ...(links.keys() as Iterable<string>)].flatMap((name) => {
    const zone = targetOf(name);
    if (zone === undefined || zone === SAID_BY_ANYBODY) return [];
    return [
      { name, country: countryOf.get(zone) as string, times: MOMENTS.map((at) => minutesAt(zone, at)).join(':') },
    ];
  });
  const groups = Map.groupBy(
    new Map(known.map((zone) => [zone.name, zone])).values(),
    ({ country, times }) => `${country}:${times}`,
  );
  const text = [...groups].map(([group, zones]) => [group, ...zones.map(({ name }) => name).sort()].join(':')).sort();
  return `/**
 * Time zones by the country they are named after: two letters, by how many minutes it is later there than in UTC in January and in July, and
 * their names. Made by \`node scripts/knowledge-zones.ts\` from tzdata (public domain) and the Unicode CLDR.
 */
export const ZONES = \`
${wrapped(text.join(' '))}\`;
`;
};

const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
const isCanonical = (code: string): boolean => Intl.getCanonicalLocales(code)[0] === code;
const languagesFile = (): string => {
  const two = letters.flatMap((a) => letters.map((b) => a + b));
  const codes = [...two, ...two.flatMap((start) => letters.map((c) => start + c))].filter(isCanonical);
  const languages = Intl.DateTimeFormat.supportedLocalesOf(codes);
  const isSpoken = (language: string, country: string): boolean =>
    new Intl.DateTimeFormat(`${language}-${country}`).resolvedOptions().locale.endsWith(`-${country}`);
  const countries = two.map((code) => code.toUpperCase()).filter(isCountry);
  const text = countries.flatMap((country) => {
    const likely = new Intl.Locale(`und-${country}`).maximize().language;
    const spoken = new Set(languages.filter((language) => isSpoken(language, country)));
    if (likely !== 'und') spoken.add(likely);
    spoken.delete('en');
    const isKnown = likely !== 'und' || spoken.size > 0;
    return isKnown ? [[country, ...[...spoken].sort()].join(':')] : [];
  });
  return `/**
 * The languages of a country, but for English: those that the Unicode CLDR has a locale of the country for, and the likeliest one. Made by
 * \`node scripts/knowledge-zones.ts\`. English is left out, for browsers speak it everywhere.
 */
export const LANGUAGES = \`
${wrapped(text.join(' '))}\`;
`;
};

const knowledge = new URL('../server/src/knowledge/', import.meta.url);
writeFileSync(new URL('zone-table.ts', knowledge), zonesFile());
writeFileSync(new URL('language-table.ts', knowledge), languagesFile());
