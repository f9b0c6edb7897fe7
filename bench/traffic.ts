import { makeRandom } from '@portcullis/engine';

/**
 * Realistic payments. A few users pay much more often than most. Each user has a home address, an e-mail address, and one or
 * two devices and cards. Shops differ in popularity. Sometimes a phone is on another network, or a user or device is new.
 * About one payment in a hundred is part of a card testing attack: many stolen cards from one machine, with small amounts.
 */
const USERS = 100_000;
const SHOPS = 3_000;

/**
 * A random rank below `count`; low ranks are more frequent. The first r ranks get (r / count) ** share of all draws. At 0.8
 * the busiest of 100,000 users makes one payment in 10,000; at 0.5 the busiest of 3,000 shops takes one in 55.
 */
const drawRank = (random: () => number, count: number, share: number): number =>
  Math.min(count - 1, Math.floor(count * random() ** (1 / share)));

const CITIES = [
  ['Berlin', '10115', 'DE', 'EUR'],
  ['Paris', '75001', 'FR', 'EUR'],
  ['London', 'EC1A', 'GB', 'GBP'],
  ['Warsaw', '00-001', 'PL', 'PLN'],
  ['Oslo', '0150', 'NO', 'NOK'],
] as const;

const ATTACK_PAYMENTS = 10;
/** All payments of an attack share one `attacker` number: the order number at which the attack ends. */
const cardTest = (random: () => number, order: number, left: number): string => {
  const attacker = order + left;
  return (
    `{"user_id":"throwaway_${order}","amount":${(1 + Math.floor(random() * 300) / 100).toFixed(2)},"currency":"EUR",` +
    `"ip_address":"203.0.${attacker % 256}.${(attacker >> 8) % 256}","device_token":"machine_${attacker}","payment_method":"card",` +
    `"payment_fingerprint":"stolen_${order}","counterparty_id":"shop_${attacker % SHOPS}","email":"t${order}@example.net"}`
  );
};

export const makeTraffic = (seed: number) => {
  const random = makeRandom(seed);
  let orders = 0;
  let newUsers = 0;
  let attack = 0;
  return (): string => {
    orders++;
    if (attack === 0 && random() < 0.001) attack = ATTACK_PAYMENTS;
    if (attack > 0) {
      attack--;
      return cardTest(random, orders, attack);
    }
    const isNew = random() < 0.01;
    const user = isNew ? USERS + seed * 10_000_000 + newUsers++ : drawRank(random, USERS, 0.8);
    const shop = drawRank(random, SHOPS, 0.5);
    const [city, postalCode, country, currency] = CITIES[user % CITIES.length] as (typeof CITIES)[number];
    const isAway = random() < 0.08;
    // About four users share a home network.
    const home = Math.floor(user / 4);
    const ip = isAway
      ? `100.${64 + Math.floor(random() * 32)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`
      : `${20 + (home % 150)}.${Math.floor(home / 150) % 256}.${Math.floor(home / 38_400) % 256}.${user % 200}`;
    const device = random() < 0.02 ? `${user}-${orders}` : `${user}-${random() < 0.8 ? 'a' : 'b'}`;
    const card = `${user}-${random() < 0.85 ? 1 : 2}`;
    const cents = Math.floor(Math.exp(random() * 5) * 100 + 199);
    return (
      `{"user_id":"user_${user}","amount":${cents / 100},"currency":"${currency}","ip_address":"${ip}",` +
      `"device_token":"device_${device}","payment_method":"card","payment_fingerprint":"card_${card}",` +
      `"counterparty_id":"shop_${shop}","email":"user${user}@example.com","billing_address":{"line1":"Main Street ${user % 99}",` +
      `"city":"${city}","postal_code":"${postalCode}","country":"${country}"},"metadata":{"order_id":"A-${seed}-${orders}","channel":"web"}}`
    );
  };
};
