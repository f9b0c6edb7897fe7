import type { EventType } from '@portcullis/contract';
import { HOUR_MS, payUsual, type Scene, sessionOf, timeOf } from './acts.ts';
import type { Draw } from './draw.ts';
import { DAY_MS, type Session } from './journal.ts';
import { aliasOf, type MailHabit, makeEmail } from './names.ts';
import { type Access, addressOf, COUNTRIES, HOSTING, homeAccess, pooledAccess, poolIn } from './networks.ts';
import { type Card, type Counterparty, makeCard, makePerson, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import type { Category } from './world.ts';

/** How fast one acts: from a program without a pause to a person with hours in between, evenly or in bursts. */
const makePace = (draw: Draw, fastestMs: number, slowestMs: number) => {
  const meanMs = draw.logBetween(fastestMs, slowestMs);
  const style = draw.pick(['even', 'random', 'bursts'] as const);
  return (): number => {
    if (style === 'even') return meanMs * draw.between(0.85, 1.15);
    if (style === 'random') return 200 + draw.exponential(meanMs);
    return draw.chance(0.8) ? 300 + draw.exponential(meanMs * 0.15) : draw.exponential(meanMs * 4.4);
  };
};

const makeNetworks = ({ draw, town, world }: Scene): ((victim: Person | undefined) => Access) => {
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

/** What thieves work with: good tools show a device and an address of their own to every account, bad ones the same to all. */
export const makeTools = (scene: Scene) => {
  const { draw, world } = scene;
  const networkOf = makeNetworks(scene);
  const style = draw.weighted(['one', 'few', 'each', 'fresh', 'copied'] as const, [3, 2, 5, 1.5, 0.5]);
  const few = Array.from({ length: style === 'one' ? 1 : draw.whole(2, 10) }, () => world.newDevice());
  const deviceOf = (victim: Person | undefined): string => {
    if (style === 'one' || style === 'few') return draw.pick(few);
    if (style === 'copied' && victim !== undefined) return victim.devices[0] as string;
    return world.newDevice();
  };
  /** How often the address is another one in the midst of things. */
  const hops = draw.chance(0.3) ? draw.between(0.05, 1) : 0;
  return {
    /** A new start with one account. */
    begin: (victim?: Person): Session => ({ device: deviceOf(victim), ip: addressOf(draw, networkOf(victim)) }),
    /** The same start a little later. */
    go: (session: Session, victim?: Person): Session => ({
      device: style === 'fresh' ? world.newDevice() : session.device,
      ip: hops > 0 && draw.chance(hops) ? addressOf(draw, networkOf(victim)) : session.ip,
    }),
  };
};

/** One attack under way: what it may use, whom it may meet, and how it takes down what it does. */
export const makeCrime = (scene: Scene, attack: string, people: readonly Person[], day: number, limit: number) => {
  const { draw, journal, town, world } = scene;
  const tools = makeTools(scene);
  const mail: MailHabit = {
    ...world.mail,
    throwAwayShare: draw.chance(0.6) ? world.mail.throwAwayShare : draw.between(0.05, 0.6),
  };
  // Some open all their accounts with one mailbox.
  const mailbox = draw.chance(0.1) ? makeEmail(draw, mail) : undefined;
  const begin = world.start + day * DAY_MS;
  const greed = draw.weighted(['usual', 'more', 'large', 'huge'] as const, [2, 3, 4, 1]);
  const factor = { usual: [0.6, 1.6], more: [1.5, 4], large: [3, 12], huge: [10, 60] }[greed] as [number, number];
  const victim = (): Person => {
    // Those who were seen lately: the others have no past that tells a thief from them.
    for (let i = 0; i < 8; i++) {
      const person = draw.pick(people);
      if (person.lastDay >= 0 && person.habit !== 'machine') return person;
    }
    return draw.pick(people);
  };
  return {
    ...scene,
    people,
    day,
    tools,
    /** At most how many items it should come to. */
    limit,
    /** When it begins: at any time, or when there are many to hide among. */
    from: draw.chance(0.5) ? begin + draw.random() * DAY_MS : timeOf(scene, draw.pick(people), day),
    pace: (fastestMs: number, slowestMs: number) => makePace(draw, fastestMs, slowestMs),
    size: (least: number, most: number): number =>
      Math.max(1, Math.round(draw.logBetween(least, Math.max(least + 1, Math.min(most, limit))))),
    victim,
    /** What the owner does when they notice: shut out, they ask for a new password. It is honest. */
    aftermath: (person: Person, at: number): void => {
      if (draw.chance(0.5)) return;
      let time = at + draw.logBetween(0.3, 90) * HOUR_MS;
      const session = sessionOf(scene, person, time);
      for (let i = draw.whole(0, 3); i > 0; i--) {
        journal.event(time, person, session, 'login', 'failed');
        time += draw.between(4000, 50_000);
      }
      journal.event(time, person, session, 'password_reset');
      journal.event(
        time + draw.between(20_000, 200_000),
        person,
        session,
        draw.chance(0.7) ? 'login' : 'password_change',
      );
    },
    /** Shortly after the owner was there, who is honest and may be far away. */
    afterOwner: (person: Person): number => {
      const at = timeOf(scene, person, day);
      const session = sessionOf(scene, person, at);
      if (draw.chance(0.5)) journal.event(at, person, session, 'login');
      if (draw.chance(0.5)) payUsual(scene, person, session, at + draw.between(5000, 300_000));
      return at + draw.logBetween(0.02, 6) * HOUR_MS;
    },
    /** When a thief who knows the victim's habits would act. */
    usualTime: (person: Person, at: number): number => timeOf(scene, person, Math.floor((at - world.start) / DAY_MS)),
    account: (): Person => {
      const person = makePerson(world, town, draw, { mail, ordinary: true });
      if (mailbox !== undefined) person.email = aliasOf(draw, mailbox);
      return person;
    },
    card: (): Card => makeCard(world, draw),
    /** Some belong to people who pay here too. */
    stolenCard: (): Card => (draw.chance(0.12) ? (victim().cards[0] as Card) : makeCard(world, draw)),
    /** What is taken in one payment: as greedy as this thief is. */
    loot: (person: Person): number => (draw.chance(0.5) ? person.dollars : world.dollars) * draw.logBetween(...factor),
    shop: (): Counterparty => (draw.chance(0.7) ? draw.pickEarly(town.counterparties) : draw.pick(town.counterparties)),
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
      return journal.pay(at, person, session, { amount, card, counterparty, ...others }, attack);
    },
    event: (at: number, person: Person, session: Session, type: EventType, outcome?: 'succeeded' | 'failed'): boolean =>
      journal.event(at, person, session, type, outcome, attack),
  };
};
export type Crime = ReturnType<typeof makeCrime>;
export type Attack = (crime: Crime) => void;

/** Long enough that nobody connects the two. */
export const someHours = (draw: Draw, most: number): number => draw.logBetween(0.02, most) * HOUR_MS;
