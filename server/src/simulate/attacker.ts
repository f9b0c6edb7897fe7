import type { EventType } from '@portcullis/contract';
import { HOUR_MS, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { aliasOf, type MailHabit, makeEmail } from './names.ts';
import { type Access, addressOf, COUNTRIES, HOSTING, homeAccess, pooledAccess, poolIn } from './networks.ts';
import { DAY_MS, type Session } from './output.ts';
import { type Card, type Counterparty, makeCard, makePerson, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import type { Draw } from './random.ts';
import type { Category } from './world.ts';

/** Time between actions: from a program without pauses to a person with hours between actions, evenly or in bursts. */
const makePace = (draw: Draw, fastestMs: number, slowestMs: number) => {
  const meanMs = draw.logBetween(fastestMs, slowestMs);
  const style = draw.pick(['even', 'random', 'bursts'] as const);
  return (): number => {
    if (style === 'even') return meanMs * draw.between(0.85, 1.15);
    if (style === 'random') return 200 + draw.exponential(meanMs);
    return draw.chance(0.8) ? 300 + draw.exponential(meanMs * 0.15) : draw.exponential(meanMs * 4.4);
  };
};

/** Draws the networks of one attacker. The returned function gives the network to use against a victim. */
const makeNetworks = ({ draw, town, world }: Simulation): ((victim: Person | undefined) => Access) => {
  const style = draw.weighted(
    ['home', 'hosting', 'hosting-many', 'proxies', 'near', 'mobile', 'vpn'] as const,
    [3, 2, 2, 3, 4, 2, 2],
  );
  const from = draw.chance(0.5) ? draw.pick(world.countries) : draw.pick(COUNTRIES);
  const anywhere = (): Access => {
    const country = draw.pick(COUNTRIES);
    return homeAccess(draw, country, world.v6Share, 0);
  };
  if (style === 'proxies') return anywhere;
  if (style === 'near') return (victim) => homeAccess(draw, victim?.country ?? from, world.v6Share, 0);
  if (style === 'mobile') {
    const access = pooledAccess(from.code, town.carrierOf(from));
    return () => access;
  }
  if (style === 'vpn') return () => town.vpn;
  const pool =
    style === 'home'
      ? poolIn(draw, draw.pick(from.home), draw.whole(1, 3), 1)
      : draw
          .pick(HOSTING)
          .flatMap((prefix) =>
            style === 'hosting'
              ? poolIn(draw, prefix, draw.whole(1, 2), 1)
              : poolIn(draw, prefix, 60, draw.whole(1, 20)),
          );
  const few = style === 'hosting' ? pool.slice(0, draw.whole(1, 4)) : pool;
  const access = pooledAccess(from.code, few);
  return () => access;
};

/** Devices and addresses of one attacker. Good tools use new ones for every account; poor tools share them. */
export const makeTools = (simulation: Simulation) => {
  const { draw, world } = simulation;
  const networkOf = makeNetworks(simulation);
  const style = draw.weighted(['one', 'few', 'each', 'fresh', 'copied'] as const, [3, 2, 5, 1.5, 0.5]);
  const few = Array.from({ length: style === 'one' ? 1 : draw.whole(2, 10) }, () => world.newDevice());
  const deviceOf = (victim: Person | undefined): string => {
    if (style === 'one' || style === 'few') return draw.pick(few);
    if (style === 'copied' && victim !== undefined) return victim.devices[0] as string;
    return world.newDevice();
  };
  /** Share of actions that switch to another address within a session. */
  const hopShare = draw.chance(0.3) ? draw.between(0.05, 1) : 0;
  return {
    /** A new session for one account. */
    startSession: (victim?: Person): Session => ({ device: deviceOf(victim), ip: addressOf(draw, networkOf(victim)) }),
    /** The same session at the next action. */
    continueSession: (session: Session, victim?: Person): Session => ({
      device: style === 'fresh' ? world.newDevice() : session.device,
      ip: hopShare > 0 && draw.chance(hopShare) ? addressOf(draw, networkOf(victim)) : session.ip,
    }),
  };
};

/** One running attack: its tools, its victims and the writing of its fraud. */
export const makeAttacker = (
  simulation: Simulation,
  attack: string,
  people: readonly Person[],
  day: number,
  limit: number,
) => {
  const { draw, output, town, world } = simulation;
  const tools = makeTools(simulation);
  const mail: MailHabit = {
    ...world.mail,
    throwAwayShare: draw.chance(0.6) ? world.mail.throwAwayShare : draw.between(0.05, 0.6),
  };
  // Some attackers open all their accounts with one mailbox.
  const mailbox = draw.chance(0.1) ? makeEmail(draw, mail) : undefined;
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
    startsAt: draw.chance(0.5) ? begin + draw.random() * DAY_MS : timeOf(simulation, draw.pick(people), day),
    makePace: (fastestMs: number, slowestMs: number) => makePace(draw, fastestMs, slowestMs),
    drawCount: (least: number, most: number): number =>
      Math.max(1, Math.round(draw.logBetween(least, Math.max(least + 1, Math.min(most, limit))))),
    pickVictim,
    /** The owner, locked out, may reset the password. These events are legitimate. */
    recoverAccount: (person: Person, at: number): void => {
      if (draw.chance(0.5)) return;
      let time = at + draw.logBetween(0.3, 90) * HOUR_MS;
      const session = sessionOf(simulation, person, time);
      for (let i = draw.whole(0, 3); i > 0; i--) {
        output.event(time, person, session, 'login', 'failed');
        time += draw.between(4000, 50_000);
      }
      output.event(time, person, session, 'password_reset');
      output.event(
        time + draw.between(20_000, 200_000),
        person,
        session,
        draw.chance(0.7) ? 'login' : 'password_change',
      );
    },
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
      (draw.chance(0.5) ? person.dollars : world.dollars) * draw.logBetween(...factor),
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
      const { card = person.cards[0] as Card, counterparty = draw.pick(town.counterparties), round, ...others } = rest;
      const amount = round ? roundOf(dollars, person.currency) : priceOf(world, draw, dollars, person.currency);
      return output.pay(at, person, session, { amount, card, counterparty, ...others }, attack);
    },
    event: (at: number, person: Person, session: Session, type: EventType, outcome?: 'succeeded' | 'failed'): boolean =>
      output.event(at, person, session, type, outcome, attack),
  };
};
export type Attacker = ReturnType<typeof makeAttacker>;
export type Attack = (attacker: Attacker) => void;

/** A delay that hides the link between two steps of an attack. */
export const randomHours = (draw: Draw, mostHours: number): number => draw.logBetween(0.02, mostHours) * HOUR_MS;
