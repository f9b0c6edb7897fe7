import { countryNumber } from '@portcullis/engine';
import { LANGUAGES } from './language-table.ts';

const spokenIn = new Map<number, ReadonlySet<string>>();
for (const country of LANGUAGES.trim().split(/\s/)) {
  const [code = '', ...languages] = country.split(':');
  spokenIn.set(countryNumber(code), new Set(languages));
}

/** Browsers use some older codes. */
const ALIASES: Readonly<Record<string, string>> = {
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
  tl: 'fil',
  mo: 'ro',
  sh: 'sr',
};

/** 1 where the language, such as `pt-BR`, is English or one of the country's, else 0; NaN where the country is not known. */
export const isSpokenIn = (language: string, country: number): number => {
  const spoken = spokenIn.get(country);
  if (spoken === undefined) return Number.NaN;
  const [code = ''] = language.toLowerCase().split(/[-_]/, 1);
  return code === 'en' || spoken.has(code) || spoken.has(ALIASES[code] ?? '') ? 1 : 0;
};
