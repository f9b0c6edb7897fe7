/** A kind of business: what its caller sends, and how its customers usually pay. */
export interface Business {
  readonly name: string;
  /** Countries of its customers. Most live in the first. */
  readonly countries: readonly string[];
  readonly method: 'card' | 'bank' | 'wallet';
  /** Fields that the caller sends beside user, amount, address of the network and device. */
  readonly sends: {
    readonly payee: boolean;
    readonly card: boolean;
    readonly email: boolean;
    readonly postal: boolean;
  };
  /** Median payment of the median customer in dollars, and the spread of one customer's payments. */
  readonly dollars: number;
  readonly spread: number;
  /** Payments of the median customer per day. */
  readonly perDay: number;
  /** Probability of a login right before a payment; logins without a payment per day. */
  readonly loginShare: number;
  readonly visitsPerDay: number;
  /** Number of payees or sellers, and the share of payments to the customer's usual ones. */
  readonly payees: number;
  readonly loyalty: number;
  /** Share of payments over the mobile network, and from the place of work. */
  readonly mobileShare: number;
  readonly workShare: number;
  /** Share of payments of a round sum. */
  readonly roundShare: number;
  readonly customers: number;
}

const SHOP = { payee: false, card: true, email: true, postal: true };
const PAYMENTS = { payee: true, card: true, email: false, postal: false };

export const BUSINESSES: readonly Business[] = [
  {
    name: 'fashion',
    countries: ['DE', 'NL', 'PL'],
    method: 'card',
    sends: SHOP,
    dollars: 62,
    spread: 0.55,
    perDay: 0.11,
    loginShare: 0.7,
    visitsPerDay: 0.15,
    payees: 0,
    loyalty: 1,
    mobileShare: 0.35,
    workShare: 0.08,
    roundShare: 0.02,
    customers: 220,
  },
  {
    name: 'groceries',
    countries: ['GB'],
    method: 'card',
    sends: SHOP,
    dollars: 74,
    spread: 0.35,
    perDay: 0.2,
    loginShare: 0.5,
    visitsPerDay: 0.1,
    payees: 0,
    loyalty: 1,
    mobileShare: 0.4,
    workShare: 0.05,
    roundShare: 0.01,
    customers: 150,
  },
  {
    name: 'bank',
    countries: ['ES'],
    method: 'bank',
    sends: { payee: true, card: true, email: false, postal: false },
    dollars: 85,
    spread: 0.9,
    perDay: 0.35,
    loginShare: 1,
    visitsPerDay: 0.3,
    payees: 400,
    loyalty: 0.75,
    mobileShare: 0.5,
    workShare: 0.1,
    roundShare: 0.35,
    customers: 90,
  },
  {
    name: 'wallet',
    countries: ['IN'],
    method: 'wallet',
    sends: PAYMENTS,
    dollars: 9,
    spread: 0.8,
    perDay: 0.5,
    loginShare: 0.25,
    visitsPerDay: 0.1,
    payees: 300,
    loyalty: 0.6,
    mobileShare: 0.75,
    workShare: 0.05,
    roundShare: 0.5,
    customers: 100,
  },
  {
    name: 'games',
    countries: ['US', 'CA', 'GB', 'DE', 'FR'],
    method: 'card',
    sends: { payee: false, card: true, email: true, postal: false },
    dollars: 11,
    spread: 0.7,
    perDay: 0.22,
    loginShare: 0.6,
    visitsPerDay: 0.5,
    payees: 0,
    loyalty: 1,
    mobileShare: 0.2,
    workShare: 0.02,
    roundShare: 0.3,
    customers: 110,
  },
  {
    name: 'tickets',
    countries: ['FR', 'ES', 'IT'],
    method: 'card',
    sends: { payee: true, card: true, email: true, postal: true },
    dollars: 120,
    spread: 0.7,
    perDay: 0.09,
    loginShare: 0.8,
    visitsPerDay: 0.12,
    payees: 60,
    loyalty: 0.4,
    mobileShare: 0.5,
    workShare: 0.1,
    roundShare: 0.15,
    customers: 240,
  },
  {
    name: 'wholesale',
    countries: ['US'],
    method: 'bank',
    sends: { payee: true, card: true, email: true, postal: true },
    dollars: 840,
    spread: 0.6,
    perDay: 0.25,
    loginShare: 0.8,
    visitsPerDay: 0.3,
    payees: 40,
    loyalty: 0.85,
    mobileShare: 0.05,
    workShare: 0.85,
    roundShare: 0.1,
    customers: 110,
  },
  {
    name: 'marketplace',
    countries: ['PL', 'RO', 'UA'],
    method: 'card',
    sends: { payee: true, card: true, email: true, postal: true },
    dollars: 34,
    spread: 0.9,
    perDay: 0.16,
    loginShare: 0.6,
    visitsPerDay: 0.3,
    payees: 250,
    loyalty: 0.3,
    mobileShare: 0.5,
    workShare: 0.08,
    roundShare: 0.1,
    customers: 150,
  },
  {
    name: 'remittance',
    countries: ['IT', 'DE', 'US'],
    method: 'bank',
    sends: { payee: true, card: true, email: true, postal: false },
    dollars: 210,
    spread: 0.4,
    perDay: 0.1,
    loginShare: 1,
    visitsPerDay: 0.15,
    payees: 300,
    loyalty: 0.92,
    mobileShare: 0.7,
    workShare: 0.05,
    roundShare: 0.8,
    customers: 220,
  },
  {
    name: 'rides',
    countries: ['AU'],
    method: 'card',
    sends: { payee: false, card: true, email: false, postal: false },
    dollars: 17,
    spread: 0.5,
    perDay: 0.4,
    loginShare: 0.1,
    visitsPerDay: 0.05,
    payees: 0,
    loyalty: 1,
    mobileShare: 0.85,
    workShare: 0.05,
    roundShare: 0,
    customers: 130,
  },
];

export const businessNamed = (name: string): Business => {
  const found = BUSINESSES.find((business) => business.name === name);
  if (found === undefined) throw new Error(`The judge has no business ${name}.`);
  return found;
};
