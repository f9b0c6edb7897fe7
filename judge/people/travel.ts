import { addressIn, homeNetwork, hostingNetwork, mobileNetwork, vpnNetwork } from '../world/addresses.ts';
import { COUNTRIES, type Country } from '../world/countries.ts';
import type { Customer } from '../world/customers.ts';
import { homeSession, mobileSession, usualPayment } from '../world/ordinary-days.ts';
import { DAY_MS, pay, type Session } from '../world/steps.ts';
import { HISTORY_DAYS, repeat, type Scene, SITUATION_AT, type Situation } from './scene.ts';

const abroadFor = ({ draw }: Scene, { country }: Customer): Country =>
  draw.pick(COUNTRIES.filter(({ code }) => code !== country.code));

/** Wi-Fi of a hotel or flat, the phone on a foreign carrier, or roaming through the carrier at home. */
const makeTripSession = (scene: Scene, who: Customer, country: Country): (() => Session) => {
  const { draw, place } = scene;
  const city = draw.whole(0, 2);
  const hotel = addressIn(draw, homeNetwork(draw, country, city));
  const carrier = mobileNetwork(draw, country, city);
  return () => {
    const [device] = who.devices;
    return draw.pick([
      { device, ip: hotel },
      { device, ip: hotel },
      { device, ip: addressIn(draw, carrier) },
      mobileSession(place, who),
    ]);
  };
};

const honeymoon: Situation = {
  name: 'two weeks abroad on honeymoon, spending more',
  businesses: ['bank', 'tickets', 'rides', 'wallet', 'marketplace'],
  happen: (scene) =>
    repeat(8, () => {
      const who = scene.established();
      const session = makeTripSession(scene, who, abroadFor(scene, who));
      repeat(scene.draw.whole(8, 18), () => {
        const at = scene.timeOf(who, scene.draw.between(0, 14));
        scene.buys(at, who, session(), scene.payment(who, scene.draw.logBetween(0.6, 3.5)));
      });
    }),
};

const crew: Situation = {
  name: 'flight crew, another country every few days, all year',
  businesses: ['bank', 'games', 'rides', 'marketplace'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = place.newCustomer();
      for (let day = 0; day < HISTORY_DAYS + 20; day += draw.whole(1, 4)) {
        const session = makeTripSession(scene, who, draw.chance(0.4) ? who.country : abroadFor(scene, who));
        const at = scene.timeOf(who, day - HISTORY_DAYS);
        repeat(draw.whole(1, 3), (i) => {
          const time = at + i * scene.minutes(30, 200);
          if (time < SITUATION_AT) scene.addHistory(pay(place, time, who, session(), usualPayment(place, who)));
          else scene.buys(time, who, session());
        });
      }
    }),
};

const secondHome: Situation = {
  name: 'three weeks in a holiday home elsewhere in the country',
  businesses: ['groceries', 'fashion', 'bank', 'games'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw } = scene;
      const who = scene.established();
      const ip = addressIn(draw, homeNetwork(draw, who.country, (who.city + 1) % 3));
      const shipping = scene.place.newPostalAddress(who.country, (who.city + 1) % 3);
      repeat(draw.whole(5, 10), () => {
        const device = draw.pick(who.devices);
        scene.buys(scene.timeOf(who, draw.between(0, 21)), who, { device, ip }, scene.payment(who, 1.2, { shipping }));
      });
    }),
};

const emigrant: Situation = {
  name: 'moved abroad for work, own phone, new SIM card',
  businesses: ['remittance', 'bank', 'games', 'tickets'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw } = scene;
      const who = scene.established();
      const country = abroadFor(scene, who);
      const home = homeNetwork(draw, country, 0);
      const carrier = mobileNetwork(draw, country, 0);
      const [device] = who.devices;
      scene.does(scene.timeOf(who, 1), who, { device, ip: addressIn(draw, carrier) }, 'phone_change');
      repeat(draw.whole(5, 10), () => {
        const ip = addressIn(draw, draw.chance(0.5) ? home : carrier);
        scene.buys(scene.timeOf(who, draw.between(1, 24)), who, { device, ip });
      });
    }),
};

const privacyMinded: Situation = {
  name: 'always behind a VPN, cookies deleted after every visit',
  businesses: ['fashion', 'games', 'marketplace', 'tickets'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = place.newCustomer();
      const session = (): Session => ({
        device: place.newDevice(),
        ip: addressIn(draw, draw.chance(0.7) ? vpnNetwork(draw) : hostingNetwork(draw)),
      });
      repeat(draw.whole(6, 12), () =>
        scene.addHistory(
          pay(place, SITUATION_AT - draw.between(0, HISTORY_DAYS) * DAY_MS, who, session(), usualPayment(place, who)),
        ),
      );
      repeat(draw.whole(6, 12), () => scene.buys(scene.timeOf(who, draw.between(0, 25)), who, session()));
    }),
};

const coupleApart: Situation = {
  name: 'couple with one account, one of them travelling',
  businesses: ['groceries', 'marketplace', 'games', 'rides', 'bank'],
  happen: (scene) =>
    repeat(8, () => {
      const { draw, place } = scene;
      const who = place.newCustomer();
      const partner = place.newDevice();
      who.devices = [who.devices[0] as string, partner];
      repeat(draw.whole(10, 18), () => {
        const at = SITUATION_AT - draw.between(0, HISTORY_DAYS) * DAY_MS;
        const session = draw.chance(0.5) ? homeSession(place, who) : { device: partner, ip: who.homeAddress };
        scene.addHistory(pay(place, at, who, session, usualPayment(place, who)));
      });
      const trip = makeTripSession(scene, who, draw.chance(0.5) ? who.country : abroadFor(scene, who));
      repeat(draw.whole(4, 8), () => {
        const at = scene.timeOf(who, draw.between(0, 7));
        scene.buys(at, who, homeSession(place, who));
        scene.buys(at + scene.minutes(10, 300), who, { ...trip(), device: partner });
      });
    }),
};

export const TRAVEL = [honeymoon, crew, secondHome, emigrant, privacyMinded, coupleApart] as const;
