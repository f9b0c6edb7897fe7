/**
 * The number of digits in the postal codes of countries that use only digits. Fewer digits are accepted where codes
 * begin with zeros, which spreadsheets and number fields drop. More are accepted where a longer form is also in use.
 */
const DIGITS =
  'AF:4 AL:4 AM:2-4 AS:5,9 AT:4 AU:3-4 BA:5 BD:4 BE:4 BG:4 BH:3-4 BR:7-8 BT:5 BY:6 CH:4 CL:7 CN:5-6 CO:5-6 CR:5 CU:5 CY:4 ' +
  'CZ:5 DE:4-5 DK:3-4 DO:5 DZ:4-5 EC:5-6 EE:5 EG:5,7 ES:4-5 ET:4 FI:3-5 FO:3 FR:4-5 GE:3-4 GL:4 GR:5 GT:4-5 GU:5,9 HN:5 ' +
  'HR:5 HU:4 ID:5 IL:5,7 IN:6 IQ:5 IR:10 IS:3 IT:3-5 JO:5 JP:6-7 KE:3-5 KG:6 KH:5-6 KR:4-5 KW:5 LA:4-5 LB:4,8 LI:4 LK:3-5 ' +
  'LS:3 LT:4-5 LU:4 LV:4 MA:5 MD:4 ME:5 MG:3 MK:4 MN:5-6 MP:5,9 MU:5 MV:4-5 MX:4-5 MY:4-5 MZ:4 NG:6 NI:5 NO:1-4 NP:5 NZ:3-4 ' +
  'OM:3 PA:3-4 PE:4-5 PG:3 PH:3-4 PK:5 PL:4-5 PR:3-5,7-9 PT:4,7 PY:4,6 RO:5-6 RS:5-6 RU:6 SA:5,9 SE:5 SG:5-6 SI:4 SK:4-5 ' +
  'SN:5 SV:4 TH:5 TJ:6 TM:6 TN:4 TR:4-5 TW:3,5-6 TZ:5 UA:4-5 US:3-5,7-9 UY:5 UZ:6 VA:3-5 VE:4 VI:3-5,7-9 VN:5-6 ZA:1-4 ZM:5';

/** Formats of the other countries, for a code in capitals without spaces and dashes. */
const FORMS: Readonly<Record<string, string>> = {
  AD: '(AD)?[1-7]00',
  AR: '([A-HJ-NP-Z]?\\d{4})([A-Z]{3})?',
  AX: '(AX)?22\\d{3}',
  AZ: '(AZ)?\\d{4}',
  BB: '(BB)?\\d{5}',
  BM: '[A-Z]{2}[A-Z\\d]{2}',
  BN: '[A-Z]{2}\\d{4}',
  CA: '[ABCEGHJ-NPRSTVXY]\\d[ABCEGHJ-NPRSTV-Z]\\d[ABCEGHJ-NPRSTV-Z]\\d',
  GB: '(GIR0AA|[A-PR-UWYZ][A-HK-Y]?\\d[A-Z\\d]?\\d[ABD-HJLNP-UW-Z]{2})',
  GF: '973\\d{2}',
  GG: 'GY\\d{2,3}[A-Z]{2}',
  GI: 'GX111AA',
  GP: '971\\d{2}',
  IE: '[AC-FHKNPRTV-Y]\\d[\\dW][\\dAC-FHKNPRTV-Y]{4}',
  IM: 'IM\\d{2,3}[A-Z]{2}',
  JE: 'JE\\d{2,3}[A-Z]{2}',
  KY: 'KY\\d{5}',
  KZ: '(\\d{6}|[A-Z]\\d{2}[A-Z]\\d[A-Z]\\d)',
  MC: '980\\d{2}',
  MQ: '972\\d{2}',
  MT: '[A-Z]{3}\\d{2,4}',
  NC: '988\\d{2}',
  NL: '[1-9]\\d{3}([A-Z]{2})?',
  PF: '987\\d{2}',
  PM: '97500',
  RE: '974\\d{2}',
  SM: '4789\\d',
  SZ: '[HLMS]\\d{3}',
  WF: '986\\d{2}',
  YT: '976\\d{2}',
};

const digitForms = DIGITS.split(' ').map((entry): [string, RegExp] => {
  const [country = '', lengths = ''] = entry.split(':');
  const options = lengths.split(',').map((range) => `\\d{${range.replace('-', ',')}}`);
  return [country, new RegExp(`^(?:${country})?(?:${options.join('|')})$`)];
});
const forms = new Map([
  ...digitForms,
  ...Object.entries(FORMS).map(([country, form]): [string, RegExp] => [country, new RegExp(`^${form}$`)]),
]);

/** The country sign before a code, as in D-10115 or FIN-00100, and the postal mark of Japan. */
const MARK = /^(?:[A-Z]{1,3}\s*-\s*(?=[\d\s-]+$)|〒)/;
const SEPARATORS = /[\s.\-\u2010-\u2015]/g;
/** A code without separators. */
const PLAIN = /^[0-9A-Z]+$/;
/** A longer text is not a postal code and is not parsed. */
const LONGEST = 24;

/**
 * Whether a postal code has the format of a country; undefined if the country has no known format or the code is
 * blank.
 */
export const fitsPostalFormat = (country: string, code: string): boolean | undefined => {
  const form = forms.get(country);
  if (form === undefined || code.trim() === '') return undefined;
  if (code.length > LONGEST) return false;
  if (PLAIN.test(code)) return form.test(code);
  // NFKC converts full-width digits of Chinese and Japanese keyboards.
  const written = code.normalize('NFKC').trim().toUpperCase();
  return form.test(written.replace(SEPARATORS, '')) || form.test(written.replace(MARK, '').replace(SEPARATORS, ''));
};
