import { addressIn, homeNetwork, networkIn } from './world/addresses.ts';
import { COUNTRIES } from './world/countries.ts';
import type { Customer, Place, PostalAddress } from './world/customers.ts';
import { DAY_MS, event, HOUR_MS, MINUTE_MS, pay, type Session, type Step } from './world/steps.ts';

export const WAITS: readonly (readonly [string, number])[] = [
  ['0', 0],
  ['2 min', 2 * MINUTE_MS],
  ['1 h', HOUR_MS],
  ['6 h', 6 * HOUR_MS],
  ['20 h', 20 * HOUR_MS],
  ['26 h', 26 * HOUR_MS],
  ['2 d', 2 * DAY_MS],
  ['3 d', 3 * DAY_MS],
  ['5 d', 5 * DAY_MS],
  ['7 d', 7 * DAY_MS],
  ['10 d', 10 * DAY_MS],
  ['14 d', 14 * DAY_MS],
];
export const LONGEST_WAIT_MS = 14 * DAY_MS;
export const AMOUNTS = [1, 3, 10] as const;
export const NETWORKS = ['abroad', 'same country', 'same city'] as const;
export const DEVICES = ['new', 'own'] as const;
/** What the thief did first. After `nothing` there is no wait. */
export const ACTS = [
  'nothing',
  'failed login',
  'login',
  'login and password reset',
  'login and small purchase',
  'login and e-mail change',
] as const;
export type Act = (typeof ACTS)[number];

export interface Takeover {
  readonly amount: (typeof AMOUNTS)[number];
  readonly network: (typeof NETWORKS)[number];
  readonly device: (typeof DEVICES)[number];
}
export const TAKEOVERS: readonly Takeover[] = AMOUNTS.flatMap((amount) =>
  NETWORKS.flatMap((network) => DEVICES.map((device) => ({ amount, network, device }))),
);

/** One thief and the account that the thief takes over. */
export interface Thief {
  readonly takeover: Takeover;
  readonly victim: Customer;
  /** The victim's usual payment in dollars. */
  readonly usualDollars: number;
  /** When the thief makes the payment that counts. */
  readonly payAt: number;
  readonly session: Session;
  readonly payee: string;
  readonly email: string;
  readonly shipping: PostalAddress | undefined;
}

const networkFor = ({ draw }: Place, { country, city }: Customer, network: Takeover['network']): string => {
  if (network === 'abroad') {
    const other = draw.pick(COUNTRIES.filter(({ code }) => code !== country.code));
    return homeNetwork(draw, other, draw.whole(0, 2));
  }
  return networkIn(draw, draw.pick(country.providers), network === 'same city' ? city : (city + 1) % 3);
};

export const makeThief = (
  place: Place,
  takeover: Takeover,
  victim: Customer,
  usualDollars: number,
  payAt: number,
): Thief => {
  const { draw } = place;
  return {
    takeover,
    victim,
    usualDollars,
    payAt,
    session: {
      device: takeover.device === 'new' ? place.newDevice() : victim.devices[0],
      ip: addressIn(draw, networkFor(place, victim, takeover.network)),
    },
    // Money goes to an account of the thief. Goods are bought from a seller that many customers know.
    payee: place.business.method === 'card' ? draw.pick(place.payees) : place.newPayee(),
    email: place.newEmail(),
    // The other thieves collect at a pick-up point, or let the parcel be redirected later.
    shipping: draw.chance(0.6) ? place.newPostalAddress(victim.country, draw.whole(0, 2)) : undefined,
  };
};

const ACT_MS = MINUTE_MS;
const GAP_MS = 20_000;
const SMALL_SHARE = 0.3;

/** The steps of a takeover. The last one, the payment that counts, has the tag. */
export const stepsOfTakeover = (place: Place, thief: Thief, act: Act, waitMs: number, tag: string): Step[] => {
  const { victim, session, payAt, usualDollars, takeover, payee, shipping } = thief;
  const extra = { fraud: 'takeover' } as const;
  const firstAt = payAt - waitMs - ACT_MS;
  const steps: Step[] = [];
  if (act === 'failed login')
    steps.push(event(place, firstAt, victim, session, 'login', { ...extra, outcome: 'failed' }));
  else if (act !== 'nothing') steps.push(event(place, firstAt, victim, session, 'login', extra));
  const secondAt = firstAt + GAP_MS;
  if (act === 'login and password reset') steps.push(event(place, secondAt, victim, session, 'password_reset', extra));
  if (act === 'login and e-mail change') steps.push(event(place, secondAt, victim, session, 'email_change', extra));
  if (act === 'login and small purchase')
    steps.push(pay(place, secondAt, victim, session, { dollars: SMALL_SHARE * usualDollars, payee }, extra));
  const email = act === 'login and e-mail change' ? thief.email : victim.email;
  const payment = { dollars: takeover.amount * usualDollars, payee, email, shipping };
  steps.push(pay(place, payAt, victim, session, payment, { ...extra, tag }));
  return steps;
};
