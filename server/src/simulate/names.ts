import type { Draw } from './random.ts';

/** Fictitious names: common given names, with surnames and towns made of random syllables. */
const GIVEN_NAMES =
  'ada alex amir ana andre anya aria ben bea carla chen clara dana daniel dev diego elena elif emma eric fatima felix fiona george gina hana hugo ida ines ivan jana jonas julia kai karim kenji lara leo lena lina luca maja marco maria mei mila mina nadia nico nina noah olga omar oscar paula pavel petra priya rafael rahul rosa sara sami sofia tariq theo tom vera victor wei yara yusuf zoe'.split(
    ' ',
  );
const STARTS =
  'al an bar bel ber bor bran cal car cor dal del dor dun el fal fen gar gra hal har hol ker kol lan lin lor mar mel mor nor ol or par pel ran ros sal sel sol tar tel tor val ven vil wal wen zan'.split(
    ' ',
  );
const ENDS =
  'a ani ari aro berg by dale den der do ek eld en er feld ford ham hurst ic ier ini is lund ma man mer mond nen nova o os ov rath ren ri sen ska son stein to ton vale vik well wood yan'.split(
    ' ',
  );
const STREETS =
  'Main Oak Mill Church Station Park Lake Hill River Garden Linden Market School Bridge North South'.split(' ');
const STREET_TYPES = ['Street', 'Road', 'Lane', 'Avenue', 'Way'];

export const FREE_DOMAINS = [
  'gmail.com',
  'outlook.com',
  'yahoo.com',
  'hotmail.com',
  'icloud.com',
  'gmx.net',
  'proton.me',
  'mail.com',
];
const FREE_WEIGHTS = [52, 12, 11, 8, 8, 4, 3, 2];
export const THROW_AWAY_DOMAINS = [
  'mailinator.com',
  'yopmail.com',
  'guerrillamail.com',
  'sharklasers.com',
  '10minutemail.com',
  'trashmail.com',
  'maildrop.cc',
  'getnada.com',
  'dispostable.com',
  'throwawaymail.com',
];
const DOMAIN_ENDINGS = ['com', 'net', 'org', 'io', 'de', 'co.uk', 'fr', 'eu', 'info'];

const surname = (draw: Draw): string =>
  draw.pick(STARTS) + (draw.chance(0.4) ? draw.pick(STARTS) : '') + draw.pick(ENDS);
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const TAGS = ['shop', 'pay', 'news', '1', '2', 'x', 'web'];
/** Providers that ignore dots in the name of a mailbox. */
const DOTLESS_DOMAINS = ['gmail.com'];
/** Another address of the same mailbox, with a `+tag` or, where the provider ignores dots, with a dot more or less. */
export const aliasOf = (draw: Draw, email: string): string => {
  const [local = '', domain = ''] = email.split('@');
  const [base = ''] = local.split('+');
  if (DOTLESS_DOMAINS.includes(domain) && base.length > 3 && draw.chance(0.4)) {
    if (base.includes('.')) return `${base.replace('.', '')}@${domain}`;
    const at = draw.whole(1, base.length - 1);
    return `${base.slice(0, at)}.${base.slice(at)}@${domain}`;
  }
  return `${base}+${draw.chance(0.5) ? draw.pick(TAGS) : draw.letters(draw.whole(1, 4))}@${domain}`;
};

export interface MailHabit {
  readonly throwAwayShare: number;
  readonly ownDomainShare: number;
  readonly plusShare: number;
  /** If not empty, the only ordinary domains: customers of one company, students of one school. */
  readonly only: readonly string[];
}

export const makeDomain = (draw: Draw): string =>
  `${surname(draw)}${draw.pick(['', '', '-group', 'tech', 'mail'])}.${draw.pick(DOMAIN_ENDINGS)}`;

export const makeEmail = (
  draw: Draw,
  { throwAwayShare, ownDomainShare, plusShare, only }: MailHabit,
  workplace?: string,
): string => {
  const given = draw.pick(GIVEN_NAMES);
  const name = surname(draw);
  const local = draw.weighted(
    [
      `${given}.${name}`,
      `${given}${name}`,
      `${given}.${name}${draw.whole(1, 99)}`,
      `${given}${draw.whole(1950, 2009)}`,
      `${name}${draw.whole(1, 9999)}`,
      draw.letters(draw.whole(7, 12)),
    ],
    [4, 2, 3, 2, 2, 0.8],
  );
  const domainOf = (): string => {
    if (workplace !== undefined) return workplace;
    const u = draw.random();
    if (u < throwAwayShare) return draw.pick(THROW_AWAY_DOMAINS);
    if (only.length > 0) return draw.pickEarly(only);
    return u < throwAwayShare + ownDomainShare ? makeDomain(draw) : draw.weighted(FREE_DOMAINS, FREE_WEIGHTS);
  };
  return `${local}${draw.chance(plusShare) ? `+${draw.pick(TAGS)}` : ''}@${domainOf()}`;
};

export interface PostalAddress {
  line1?: string;
  city?: string;
  postal_code?: string;
  country: string;
}
export const makeAddress = (draw: Draw, country: string): PostalAddress => ({
  line1: `${draw.whole(1, 220)} ${draw.pick(STREETS)} ${draw.pick(STREET_TYPES)}`,
  city: capital(surname(draw)),
  postal_code: String(draw.whole(10_000, 99_999)),
  country,
});

const SHORT_TYPES: readonly (readonly [string, string])[] = [
  ['Street', 'St.'],
  ['Road', 'Rd'],
  ['Lane', 'Ln.'],
  ['Avenue', 'Ave'],
];
/** The same address as another form or another hand would write it. */
export const respell = (draw: Draw, address: PostalAddress): PostalAddress => {
  const { line1, city } = address;
  if (line1 === undefined || city === undefined) return address;
  const style = draw.whole(0, 3);
  if (style === 0) return { ...address, line1: line1.toUpperCase(), city: city.toUpperCase() };
  if (style === 1) return { ...address, line1: line1.toLowerCase(), city: city.toLowerCase() };
  if (style === 2) return { ...address, line1: line1.replace(' ', ', ') };
  const [long, short] = draw.pick(SHORT_TYPES);
  return { ...address, line1: line1.replace(long, short) };
};

/** Formats of identifiers. A caller uses one format for all identifiers of a kind, fraud or not. */
export const ID_SHAPES = ['number', 'prefixed', 'hex', 'uuid', 'letters', 'serial'] as const;
export type IdShape = (typeof ID_SHAPES)[number];

/** Looks like a card number, which the API would mask. */
const CARD_LIKE = /\d(-?\d){12}/;

export const makeIdMaker = (draw: Draw, shape: IdShape, prefix: string, first: number) => {
  let serial = first;
  const make = (): string => {
    if (shape === 'number') return String(draw.whole(1e8, 9e8)) + String(serial % 1000).padStart(3, '0');
    if (shape === 'prefixed') return `${prefix}_${draw.hex(12)}`;
    if (shape === 'hex') return draw.hex(24);
    if (shape === 'letters') return `${prefix}${draw.letters(14)}`;
    if (shape === 'serial') return `${prefix}${serial}`;
    const h = draw.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  };
  return (): string => {
    serial += draw.whole(1, 3);
    for (;;) {
      const id = make();
      if (!CARD_LIKE.test(id)) return id;
    }
  };
};
