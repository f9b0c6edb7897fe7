import { addressIn, homeNetwork } from '../world/addresses.ts';
import { homeSession, mobileSession, usualSession } from '../world/ordinary-days.ts';
import { DAY_MS, type Session } from '../world/steps.ts';
import { repeat, SITUATION_AT, type Situation } from './scene.ts';

const newPhone: Situation = {
  name: 'new phone, password forgotten and reset',
  businesses: ['fashion', 'bank', 'wallet', 'rides', 'games', 'groceries'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      who.devices = [place.newDevice(), ...who.devices.slice(1)];
      const session = draw.chance(0.5) ? homeSession(place, who) : mobileSession(place, who);
      let at = scene.timeOf(who, 0);
      repeat(draw.whole(1, 3), () => {
        scene.does(at, who, session, 'login', 'failed');
        at += draw.between(5000, 40_000);
      });
      scene.does(at + scene.minutes(1, 4), who, session, 'password_reset');
      at = scene.logsIn(at + scene.minutes(4, 8), who, session);
      if (draw.chance(0.6)) scene.pays(at, who, session);
      repeat(draw.whole(3, 7), () =>
        scene.buys(
          scene.timeOf(who, draw.between(1, 20)),
          who,
          draw.chance(0.5) ? homeSession(place, who) : mobileSession(place, who),
        ),
      );
    }),
};

const movedHouse: Situation = {
  name: 'moved house, furnishing it',
  businesses: ['fashion', 'groceries', 'marketplace', 'bank'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      who.city = (who.city + draw.whole(0, 2)) % 3;
      who.homeNetwork = homeNetwork(draw, who.country, who.city);
      who.homeAddress = addressIn(draw, who.homeNetwork);
      who.address = place.newPostalAddress(who.country, who.city);
      scene.does(scene.timeOf(who, 0), who, mobileSession(place, who), 'address_change');
      repeat(draw.whole(5, 9), () => {
        const session = draw.chance(0.7) ? homeSession(place, who) : mobileSession(place, who);
        scene.buys(scene.timeOf(who, draw.between(0, 12)), who, session, scene.payment(who, draw.logBetween(0.8, 5)));
      });
    }),
};

const christmas: Situation = {
  name: 'grandparents before Christmas, parcels to the whole family',
  businesses: ['fashion', 'marketplace', 'tickets', 'games'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      repeat(draw.whole(6, 12), () => {
        const shipping = place.newPostalAddress(who.country, draw.whole(0, 2));
        const at = scene.timeOf(who, draw.between(0, 4));
        scene.buys(at, who, homeSession(place, who), scene.payment(who, draw.logBetween(0.4, 3), { shipping }));
      });
    }),
};

const lostWallet: Situation = {
  name: 'wallet lost, card and password replaced',
  businesses: ['fashion', 'groceries', 'rides', 'marketplace', 'games'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      who.cards = [place.newCard()];
      const session = homeSession(place, who);
      const at = scene.logsIn(scene.timeOf(who, 0), who, session);
      if (draw.chance(0.6)) scene.does(at, who, session, 'password_change');
      scene.does(at + scene.minutes(1, 5), who, session, 'payment_method_added');
      scene.pays(at + scene.minutes(6, 30), who, session, scene.payment(who, draw.logBetween(0.7, 3)));
      repeat(draw.whole(3, 6), () => scene.buys(scene.timeOf(who, draw.between(1, 15)), who, usualSession(place, who)));
    }),
};

const helpedByGrandchild: Situation = {
  name: 'password forgotten, helped on the phone of a grandchild',
  businesses: ['groceries', 'fashion', 'bank', 'tickets'],
  happen: (scene) =>
    repeat(10, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const own = homeSession(place, who);
      const at = scene.timeOf(who, 0);
      repeat(draw.whole(2, 5), (i) => scene.does(at + i * scene.minutes(1, 40), who, own, 'login', 'failed'));
      const network = homeNetwork(draw, who.country, who.city);
      const borrowed: Session = { device: place.newDevice(), ip: addressIn(draw, network) };
      const later = scene.timeOf(who, draw.whole(1, 2));
      scene.does(later, who, borrowed, 'password_reset');
      const next = scene.logsIn(later + scene.minutes(2, 6), who, borrowed);
      scene.pays(next, who, borrowed, scene.payment(who, draw.logBetween(0.6, 1.8)));
      repeat(draw.whole(2, 5), () => scene.buys(scene.timeOf(who, draw.between(3, 25)), who, homeSession(place, who)));
    }),
};

const newName: Situation = {
  name: 'married, new name: e-mail, address, phone and second factor changed',
  businesses: ['fashion', 'bank', 'marketplace', 'tickets', 'groceries'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = scene.established();
      const session = homeSession(place, who);
      let at = scene.logsIn(scene.timeOf(who, 0), who, session);
      who.email = place.newEmail();
      for (const type of ['email_change', 'address_change', 'phone_change', 'mfa_change'] as const) {
        if (draw.chance(0.2)) continue;
        scene.does(at, who, session, type);
        at += scene.minutes(1, 6);
      }
      repeat(draw.whole(4, 8), (i) =>
        scene.buys(i === 0 ? at : scene.timeOf(who, draw.between(0, 20)), who, usualSession(place, who)),
      );
    }),
};

const returned: Situation = {
  name: 'back after a year, with a new phone, flat and card',
  businesses: ['fashion', 'tickets', 'marketplace', 'games', 'remittance'],
  happen: (scene) =>
    repeat(10, () => {
      const { draw, place } = scene;
      const who = scene.established(60, SITUATION_AT - draw.whole(300, 420) * DAY_MS);
      who.devices = [place.newDevice()];
      who.cards = [place.newCard()];
      who.homeNetwork = homeNetwork(draw, who.country, who.city);
      who.homeAddress = addressIn(draw, who.homeNetwork);
      const session = homeSession(place, who);
      const at = scene.timeOf(who, 0);
      scene.does(at, who, session, 'password_reset');
      const next = scene.logsIn(at + scene.minutes(2, 10), who, session);
      scene.does(next, who, session, 'payment_method_added');
      scene.pays(next + scene.minutes(2, 20), who, session, scene.payment(who, draw.logBetween(0.7, 2)));
      repeat(draw.whole(3, 6), () => scene.buys(scene.timeOf(who, draw.between(1, 25)), who, homeSession(place, who)));
    }),
};

export const HOUSEHOLD = [newPhone, movedHouse, christmas, lostWallet, helpedByGrandchild, newName, returned] as const;
