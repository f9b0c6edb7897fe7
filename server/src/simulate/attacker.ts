import type { EventType, LabelReason } from '@portcullis/contract';
import { HOUR_MS, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { makePace, makeTools } from './attacker-tools.ts';
import { aliasOf, type MailHabit, makeAddress, makeEmail, type PostalAddress } from './names.ts';
import { COUNTRIES } from './networks.ts';
import { DAY_MS, type Fraud, type Session } from './output.ts';
import { type Card, type Counterparty, makeCard, makePerson, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import type { Draw } from './random.ts';
import { goOnLiving } from './victims.ts';
import type { Category } from './world.ts';

// In a business with few counterparties an unknown one would be fraud at first sight, and would not be possible.
const makePayee = ({ town, draw }: Simulation): Counterparty =>
  town.counterparties.length >= 20 ? town.newCounterparty() : draw.pick(town.counterparties);

/** Some attackers use addresses that anybody can open for minutes: a few of them, or in training worlds nothing else. */
const throwAwayShareOf = ({ draw, world }: Simulation): number => {
  if (world.family === 'training' && draw.chance(0.1)) return draw.between(0.4, 1);
  return draw.chance(0.7) ? world.mail.throwAwayShare : draw.between(0.05, 0.4);
};

/** What attackers reuse: devices and networks, one mailbox with tags, one address for the goods, one payee for the money. */
export const makeKit = (simulation: Simulation) => {
  const { draw, town, world } = simulation;
  const tools = makeTools(simulation);
  const mail: MailHabit = { ...world.mail, throwAwayShare: throwAwayShareOf(simulation) };
  const mailbox = draw.chance(0.15) ? makeEmail(draw, mail) : undefined;
  const dropCountry = draw.chance(0.75) ? draw.pick(world.countries) : draw.pick(COUNTRIES);
  const drop = draw.chance(0.6) ? makeAddress(draw, dropCountry.code) : undefined;
  const payee = draw.chance(0.4)
    ? draw.chance(0.6)
      ? makePayee(simulation)
      : draw.pick(town.counterparties)
    : undefined;
  return { tools, mail, mailbox, drop, payee };
};
export type Kit = ReturnType<typeof makeKit>;

/** One running attack: its kit, its victims and the writing of its fraud. */
export const makeAttacker = (
  simulation: Simulation,
  fraud: Fraud,
  people: readonly Person[],
  day: number,
  limit: number,
  { tools, mail, mailbox, drop, payee }: Kit,
) => {
  const { draw, output, town, world, today } = simulation;
  const newPayee = (): Counterparty => makePayee(simulation);
  let { reason } = fraud;
  const begin = world.start + day * DAY_MS;
  const greed = draw.weighted(['usual', 'more', 'large', 'huge'] as const, [2, 3, 4, 1]);
  const factor = { usual: [0.6, 1.6], more: [1.5, 4], large: [3, 12], huge: [10, 60] }[greed] as [number, number];
  const pickVictim = (): Person => {
    // Prefers active people: without a history, an attacker cannot be distinguished from the owner.
    for (let i = 0; i < 8; i++) {
      const person = draw.pick(people);
      if (person.lastDay >= 0 && person.habit !== 'machine') return person;
    }
    return draw.pick(people);
  };
  return {
    ...simulation,
    people,
    day,
    tools,
    /** Intended maximum number of items. */
    limit,
    /** Start of the attack: at any time, or when legitimate traffic is high. */
    startsAt: draw.chance(0.2) ? begin + draw.random() * DAY_MS : timeOf(simulation, draw.pick(people), day),
    makePace: (fastestMs: number, slowestMs: number) => makePace(draw, fastestMs, slowestMs),
    drawCount: (min: number, max: number): number =>
      Math.max(1, Math.round(draw.logBetween(min, Math.max(min + 1, Math.min(max, limit))))),
    pickVictim,
    /** The owner goes on living: recovers the account, replaces the card, and pays as before. */
    leave: (person: Person, at: number): void => goOnLiving(simulation, person, at),
    /** Sets the reason of the items that follow, where it differs from the usual reason of the attack. */
    setReason: (other: LabelReason): void => {
      reason = other;
    },
    /** Time between two steps: none, or log-uniform up to the longest wait of attackers in this world. */
    wait: (): number =>
      draw.chance(0.25) ? draw.between(5000, 600_000) : draw.logBetween(0.02, world.patienceDays * 24) * HOUR_MS,
    /** The address goods are sent to: the one of the attacker, a new one, or the one on file. */
    dropFor: (person: Person): PostalAddress | undefined => {
      if (drop !== undefined) return drop;
      return draw.chance(0.4) ? makeAddress(draw, person.country.code) : undefined;
    },
    payee,
    newPayee,
    /** Round sums are hardly more frequent in fraud than in the business itself. */
    isRound: (): boolean => draw.chance(Math.min(0.95, world.roundShare + 0.05)),
    /** A tagged address of the attacker's own mailbox, for accounts whose e-mail address was changed. */
    ownEmail: (): string => (mailbox === undefined ? makeEmail(draw, mail) : aliasOf(draw, mailbox)),
    /** A time shortly after legitimate activity of the owner, who may be far away. */
    timeAfterOwner: (person: Person): number => {
      const at = timeOf(simulation, person, day);
      const session = sessionOf(simulation, person, at);
      if (draw.chance(0.5)) output.event(at, person, session, 'login');
      if (draw.chance(0.5)) payUsual(simulation, person, session, at + draw.between(5000, 300_000));
      return at + draw.logBetween(0.02, 6) * HOUR_MS;
    },
    /** The time at which an attacker who knows the victim's habits would act. */
    usualTimeOf: (person: Person, at: number): number =>
      timeOf(simulation, person, Math.floor((at - world.start) / DAY_MS)),
    newAccount: (): Person => {
      const person = makePerson(world, town, draw, { mail, ordinary: true });
      if (mailbox !== undefined) person.email = aliasOf(draw, mailbox);
      return person;
    },
    newCard: (): Card => makeCard(world, draw),
    /** Some stolen cards belong to customers of this business. */
    pickStolenCard: (): Card => (draw.chance(0.12) ? (pickVictim().cards[0] as Card) : makeCard(world, draw)),
    /** The amount of one fraudulent payment, scaled by the greed of this attacker. */
    stolenDollars: (person: Person): number =>
      (draw.chance(0.6) ? person.dollars : world.dollars) * today.prices * draw.logBetween(...factor),
    pickShop: (): Counterparty =>
      draw.chance(0.7) ? draw.pickEarly(town.counterparties) : draw.pick(town.counterparties),
    pay: (
      at: number,
      person: Person,
      session: Session,
      dollars: number,
      rest: {
        card?: Card;
        counterparty?: Counterparty;
        round?: boolean;
        category?: Category;
        shipping?: Person['billing'];
        billing?: Person['billing'];
      } = {},
    ): boolean => {
      const { card = person.cards[0] as Card, counterparty = draw.pick(town.counterparties), ...others } = rest;
      // Where customers pay round sums, attackers do so too.
      const { round = draw.chance(world.roundShare), ...payment } = others;
      const amount = round ? roundOf(dollars, person.currency) : priceOf(world, draw, dollars, person.currency);
      return output.pay(at, person, session, { amount, card, counterparty, ...payment }, { ...fraud, reason });
    },
    event: (at: number, person: Person, session: Session, type: EventType, outcome?: 'succeeded' | 'failed'): boolean =>
      output.event(at, person, session, type, outcome, { ...fraud, reason }),
  };
};
export type Attacker = ReturnType<typeof makeAttacker>;
export type Attack = (attacker: Attacker) => void;

/** A delay that hides the link between two steps of an attack. */
export const randomHours = (draw: Draw, maxHours: number): number => draw.logBetween(0.02, maxHours) * HOUR_MS;
