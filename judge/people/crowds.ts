import { addressIn, homeNetwork } from '../world/addresses.ts';
import { type Country, countryNamed } from '../world/countries.ts';
import type { Customer } from '../world/customers.ts';
import { homeSession, mobileSession, usualSession } from '../world/ordinary-days.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, pay } from '../world/steps.ts';
import { HISTORY_DAYS, repeat, type Scene, SITUATION_AT, type Situation } from './scene.ts';

const mainCountry = ({ business }: Scene): Country => countryNamed(business.countries[0] as string);
/** An address that many people share, in the first country of the business. */
const sharedAddress = (scene: Scene): string =>
  addressIn(scene.draw, homeNetwork(scene.draw, mainCountry(scene), scene.draw.whole(0, 2)));

const dormitory: Situation = {
  name: 'students moving into a dormitory, all behind one address',
  businesses: ['groceries', 'fashion', 'games', 'marketplace'],
  happen: (scene) => {
    const { draw, place } = scene;
    const ip = sharedAddress(scene);
    repeat(30, () => {
      const who = place.newCustomer(mainCountry(scene));
      const session = { device: who.devices[0], ip };
      const at = scene.timeOf(who, draw.between(0, 7));
      scene.does(at, who, session, 'signup');
      repeat(draw.whole(1, 3), (i) =>
        scene.buys(at + scene.minutes(3, 40) + i * draw.between(1, 4) * DAY_MS, who, session),
      );
    });
  },
};

const ticketRush: Situation = {
  name: 'ticket sale opens at ten: everybody at once, timeouts and retries',
  businesses: ['tickets', 'fashion', 'games'],
  happen: (scene) => {
    const { draw, place } = scene;
    const event = draw.pick(place.payees);
    const opening = SITUATION_AT + 3 * DAY_MS + 10 * HOUR_MS;
    repeat(60, () => {
      const who = draw.chance(0.8) ? scene.established() : place.newCustomer();
      const session = draw.chance(0.6) ? mobileSession(place, who) : homeSession(place, who);
      let at = opening + draw.exponential(3 * MINUTE_MS);
      const payment = scene.payment(who, draw.logBetween(0.8, 3), { payee: event });
      do {
        scene.pays(at, who, session, payment);
        at += draw.between(8000, 90_000);
      } while (draw.chance(0.3));
    });
  },
};

const outage: Situation = {
  name: 'logins fail for everybody for half an hour, then work again',
  businesses: ['bank', 'remittance', 'games', 'tickets'],
  happen: (scene) => {
    const { draw, place } = scene;
    const from = SITUATION_AT + 2 * DAY_MS + 17 * HOUR_MS;
    repeat(40, () => {
      const who = scene.established();
      const session = usualSession(place, who);
      let at = from + draw.between(0, 25) * MINUTE_MS;
      repeat(draw.whole(1, 6), () => {
        scene.does(at, who, session, 'login', 'failed');
        at += draw.between(5000, 120_000);
      });
      at = Math.max(at, from + 30 * MINUTE_MS + draw.exponential(20 * MINUTE_MS));
      scene.pays(scene.logsIn(at, who, session), who, session);
    });
  },
};

const donations: Situation = {
  name: 'donations to a new relief fund after a flood',
  businesses: ['wallet', 'bank', 'remittance', 'marketplace'],
  happen: (scene) => {
    const { draw, place } = scene;
    const fund = place.newPayee();
    repeat(80, () => {
      const who = draw.chance(0.85) ? scene.established() : place.newCustomer();
      const at = SITUATION_AT + DAY_MS + 18 * HOUR_MS + draw.exponential(8 * HOUR_MS);
      const payment = scene.payment(who, draw.logBetween(0.3, 2), { payee: fund, isRound: true });
      scene.buys(at, who, usualSession(place, who), payment);
    });
  },
};

const weddingGift: Situation = {
  name: 'wedding guests paying into one new collection',
  businesses: ['wallet', 'bank', 'remittance'],
  happen: (scene) => {
    const { draw, place } = scene;
    const collection = place.newPayee();
    repeat(60, () => {
      const who = draw.chance(0.7) ? scene.established() : place.newCustomer();
      const payment = scene.payment(who, draw.logBetween(0.5, 3), { payee: collection, isRound: true });
      scene.buys(scene.timeOf(who, draw.between(0, 7)), who, usualSession(place, who), payment);
    });
  },
};

const library: Situation = {
  name: 'customers of one computer in a public library',
  businesses: ['tickets', 'marketplace', 'remittance', 'games'],
  happen: (scene) => {
    const { draw, place } = scene;
    const session = { device: place.newDevice(), ip: sharedAddress(scene) };
    repeat(25, () => {
      const who = draw.chance(0.7)
        ? scene.established(HISTORY_DAYS, SITUATION_AT, mainCountry(scene))
        : place.newCustomer(mainCountry(scene));
      repeat(draw.whole(1, 3), () => scene.buys(scene.timeOf(who, draw.between(0, 20)), who, session));
    });
  },
};

const neighbours: Situation = {
  name: 'residents of a hall behind the address of a convicted fraudster',
  businesses: ['fashion', 'games', 'groceries', 'wallet'],
  happen: (scene) => {
    const { draw, place } = scene;
    const ip = sharedAddress(scene);
    const thief = place.newCustomer(mainCountry(scene));
    repeat(4, (i) => {
      const at = SITUATION_AT - 9 * DAY_MS + i * scene.minutes(2, 20);
      const payment = { dollars: draw.logNormal(2 * scene.business.dollars, 0.5), card: place.newCard() };
      scene.addHistory(pay(place, at, thief, { device: thief.devices[0], ip }, payment, { fraud: 'stolen_card' }));
    });
    const resident = (): Customer => {
      const who = place.newCustomer(mainCountry(scene));
      repeat(draw.whole(5, 10), () => {
        const at = SITUATION_AT - draw.between(0, 45) * DAY_MS;
        scene.addHistory(pay(place, at, who, { device: who.devices[0], ip }, scene.payment(who, 1)));
      });
      return who;
    };
    repeat(12, () => {
      const who = resident();
      repeat(draw.whole(4, 8), () =>
        scene.buys(scene.timeOf(who, draw.between(0, 21)), who, { device: who.devices[0], ip }),
      );
    });
  },
};

export const CROWDS = [dormitory, ticketRush, outage, donations, weddingGift, library, neighbours] as const;
