import { countryNumber } from '@portcullis/engine';
import { LANGUAGES } from './language-table.ts';

const spokenIn = new Map<number, ReadonlySet<string>>();
for (const country of LANGUAGES.trim().split(/\s/)) {
  const [code = '', ...languages] = country.split(':');
  spokenIn.set(countryNumber(code), new Set(languages));
}

/** Older language codes that browsers still send. */
const ALIASES: Readonly<Record<string, string>> = {
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
  tl: 'fil',
  mo: 'ro',
  sh: 'sr',
};

/** 1 if the language, such as `pt-BR`, is English or spoken in the country, else 0; NaN if the country is unknown. */
export const isSpokenIn = (language: string, country: number): number => {
  const spoken = spokenIn.get(country);
  if (spoken === undefined) return Number.NaN;
  const [code = ''] = language.toLowerCase().split(/[-_]/, 1);
  return code === 'en' || spoken.has(code) || spoken.has(ALIASES[code] ?? '') ? 1 : 0;
};
