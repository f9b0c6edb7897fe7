import { addressIn, hostingNetwork } from '../world/addresses.ts';
import { homeSession, mobileSession, usualSession } from '../world/ordinary-days.ts';
import { DAY_MS, event, HOUR_MS, MINUTE_MS, pay } from '../world/steps.ts';
import { repeat, SITUATION_AT, type Situation } from './scene.ts';

const billDay: Situation = {
  name: 'all bills of the month in a quarter of an hour, as every month',
  businesses: ['bank', 'wholesale', 'wallet'],
  happen: (scene) =>
    repeat(10, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const bills = Array.from({ length: draw.whole(4, 9) }, () => ({
        dollars: who.dollars * draw.logBetween(0.3, 6),
        payee: draw.pick(place.payees),
      }));
      const hour = draw.between(6, 20) * HOUR_MS;
      for (const month of [-1, 0]) {
        let at = SITUATION_AT + (20 + 30 * month) * DAY_MS + hour + scene.minutes(0, 200);
        const session = homeSession(place, who);
        for (const bill of bills) {
          if (month < 0) scene.addHistory(pay(place, at, who, session, bill));
          else scene.pays(at, who, session, bill);
          at += scene.minutes(0.5, 3);
        }
      }
    }),
};

const rent: Situation = {
  name: 'rent: the same large sum to the same payee every month',
  businesses: ['bank', 'wallet', 'remittance'],
  happen: (scene) =>
    repeat(40, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const payment = { dollars: who.dollars * draw.between(5, 14), payee: place.newPayee() };
      const at = SITUATION_AT + draw.between(8, 26) * DAY_MS;
      for (const month of [2, 1])
        scene.addHistory(pay(place, at - month * 30 * DAY_MS, who, homeSession(place, who), payment));
      const session = draw.chance(0.7) ? homeSession(place, who) : mobileSession(place, who);
      scene.buys(at, who, session, payment);
    }),
};

const bigPurchase: Situation = {
  name: 'a car or kitchen: one very large payment from home',
  businesses: ['bank', 'marketplace', 'wholesale'],
  happen: (scene) =>
    repeat(40, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const session = homeSession(place, who);
      const next = scene.logsIn(scene.timeOf(who, draw.between(0, 20)), who, session);
      scene.pays(next, who, session, scene.payment(who, draw.logBetween(8, 25), { payee: draw.pick(place.payees) }));
    }),
};

const youngFirm: Situation = {
  name: 'a young firm equips its office in its first week as a customer',
  businesses: ['wholesale', 'marketplace', 'tickets'],
  happen: (scene) =>
    repeat(12, () => {
      const { draw, place } = scene;
      const who = place.newCustomer();
      const session = homeSession(place, who);
      const at = scene.timeOf(who, draw.between(0, 10));
      scene.does(at, who, session, 'signup');
      scene.does(at + scene.minutes(2, 20), who, session, 'payment_method_added');
      repeat(draw.whole(4, 8), (i) => {
        const payment = scene.payment(who, draw.logBetween(1, 6), { payee: draw.pick(place.payees) });
        scene.buys(at + scene.minutes(20, 90) + i * draw.between(1, 30) * HOUR_MS, who, session, payment);
      });
    }),
};

const childOnTablet: Situation = {
  name: 'a child on the family tablet: many small purchases in an evening',
  businesses: ['games', 'wallet'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      let at = SITUATION_AT + draw.whole(0, 10) * DAY_MS + (18 - who.country.hoursFromUtc) * HOUR_MS;
      repeat(draw.whole(12, 35), () => {
        scene.pays(at, who, homeSession(place, who), scene.payment(who, draw.logBetween(0.1, 0.6)));
        at += draw.exponential(4 * MINUTE_MS) + 15_000;
      });
    }),
};

const remoteOffice: Situation = {
  name: 'colleagues whose company moves them to one cloud VPN, with a shared card',
  businesses: ['wholesale', 'tickets', 'marketplace'],
  happen: (scene) => {
    const { draw, place } = scene;
    const gateways = Array.from({ length: 2 }, () => addressIn(draw, hostingNetwork(draw)));
    const card = place.newCard();
    repeat(12, () => {
      const who = scene.established();
      repeat(draw.whole(4, 8), () => {
        const session = { device: who.devices[0], ip: draw.pick(gateways) };
        const payment = scene.payment(who, draw.logBetween(0.5, 2.5), draw.chance(0.5) ? { card } : {});
        scene.buys(scene.timeOf(who, draw.between(0, 20)), who, session, payment);
      });
    });
  },
};

const sellers: Situation = {
  name: 'sellers and drivers who take their earnings to a new bank account',
  businesses: ['marketplace', 'rides', 'games'],
  happen: (scene) =>
    repeat(12, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const session = usualSession(place, who);
      repeat(5, (i) => {
        const at = SITUATION_AT - (7 * i + draw.between(1, 3)) * DAY_MS;
        scene.addHistory(event(place, at, who, usualSession(place, who), 'payout_request'));
      });
      const at = scene.logsIn(scene.timeOf(who, 0), who, session);
      scene.does(at, who, session, 'payment_method_added');
      scene.does(at + scene.minutes(2, 60), who, session, 'payout_request');
      repeat(3, (i) => scene.does(scene.timeOf(who, 7 * (i + 1)), who, usualSession(place, who), 'payout_request'));
      repeat(draw.whole(3, 6), () => scene.buys(scene.timeOf(who, draw.between(1, 25)), who, usualSession(place, who)));
    }),
};

const remitter: Situation = {
  name: 'a relative abroad in need: extra transfers besides the monthly one',
  businesses: ['remittance', 'bank'],
  happen: (scene) =>
    repeat(20, () => {
      const { draw, place } = scene;
      const who = scene.established();
      repeat(draw.whole(3, 5), (i) => {
        const at = scene.timeOf(who, i * draw.between(0.3, 3));
        const payment = scene.payment(who, draw.logBetween(0.7, 3), { payee: who.payees[0], isRound: true });
        scene.buys(at, who, draw.chance(0.6) ? mobileSession(place, who) : homeSession(place, who), payment);
      });
    }),
};

export const MONEY = [billDay, rent, bigPurchase, youngFirm, childOnTablet, remoteOffice, sellers, remitter] as const;
