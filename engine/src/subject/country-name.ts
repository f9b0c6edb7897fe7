import { countryOf } from './lookup-facts.ts';

const names = new Map<string, string>();
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

const WITH_ARTICLE = /^(?:Bahamas|Comoros|Gambia|Isle|Maldives|Netherlands|Philippines|United)|(?:Islands|Republic)$/;

/** The English name of a country: `Brazil` for `BR`, `the United States` for `US`. Any other text is returned as it is. */
export const countryName = (code: string): string => {
  const known = names.get(code);
  if (known !== undefined) return known;
  if (!/^[A-Z]{2}$/.test(code)) return code;
  const short = regions.of(code) ?? code;
  const name = WITH_ARTICLE.test(short) ? `the ${short}` : short;
  names.set(code, name);
  return name;
};

/** The name of a country of the facts. */
export const nameOfCountry = (number: number): string => countryName(countryOf(number));
