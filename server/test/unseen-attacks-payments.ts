import {
  type Attack,
  event,
  HOUR_MS,
  type Members,
  MINUTE_MS,
  type Person,
  pay,
  type Step,
  type World,
} from './unseen-world.ts';

const fraud = { fraud: true };
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const payments = (count: number, durationMs: number, make: (i: number) => Members): Step[] =>
  times(count, (i) => pay((i / count) * durationMs, { currency: 'USD', payment_method: 'card', ...make(i) }, fraud));

/** Where a customer pays from on any day. */
const atHome = ({ id, ip, devices, currency }: Person): Members => ({
  user_id: id,
  ip_address: ip,
  device_token: devices[0],
  currency,
});

const cardTesting = (world: World, userOf: (i: number) => string): Step[] => {
  const where = { ip_address: world.hostingIp(), device_token: world.device() };
  return payments(60, 10 * MINUTE_MS, (i) => ({
    user_id: userOf(i),
    amount: world.cents(world.between(0.5, 3)),
    ...where,
    payment_fingerprint: world.card(),
    counterparty_id: 'merchant_12',
  }));
};

export const PAYMENT_ATTACKS: readonly Attack[] = [
  {
    name: 'card testing burst, guests',
    afterItems: 5,
    make: (world) => cardTesting(world, () => `guest_${world.hex(6)}`),
  },
  {
    name: 'card testing burst, one user',
    afterItems: 5,
    make: (world) => {
      const user = `tester_${world.hex(6)}`;
      return cardTesting(world, () => user);
    },
  },
  {
    name: 'card testing, slow, rotating addresses',
    afterShare: 0.2,
    make: (world) => {
      const bins = times(20, () => `guest_${world.hex(6)}`);
      return payments(60, 8 * HOUR_MS, (i) => ({
        user_id: bins[Math.floor(i / 3)],
        amount: world.cents(world.between(1, 4.5)),
        ip_address: world.chance(0.5) ? world.hostingIp() : world.lineIn(world.far()),
        payment_fingerprint: world.card(),
        counterparty_id: 'merchant_charity',
      }));
    },
  },
  {
    name: 'stolen card across accounts',
    afterItems: 3,
    make: (world) => {
      const card = world.card();
      return payments(16, 3 * HOUR_MS, (i) => ({
        user_id: `buyer_${Math.floor(i / 2)}`,
        amount: world.cents(world.between(80, 300)),
        ip_address: world.lineIn('RU'),
        device_token: world.device(),
        payment_fingerprint: card,
        counterparty_id: world.oneOf(world.shops),
      }));
    },
  },
  {
    name: 'one account, many stolen cards',
    afterItems: 4,
    make: (world) => {
      const who = { user_id: `fresh_${world.hex(6)}`, ip_address: world.lineIn('NG'), device_token: world.device() };
      return times(10, world.card).flatMap((payment_fingerprint, i) => [
        event(i * 4 * MINUTE_MS, { ...who, type: 'payment_method_added' }, fraud),
        pay(
          i * 4 * MINUTE_MS + MINUTE_MS,
          {
            ...who,
            amount: world.cents(world.between(150, 600)),
            currency: 'USD',
            payment_fingerprint,
            counterparty_id: world.oneOf(world.shops),
          },
          fraud,
        ),
      ]);
    },
  },
  {
    name: 'velocity spree, rising amounts',
    afterItems: 5,
    make: (world) => {
      const [victim] = world.victims(1) as [Person];
      return payments(25, 40 * MINUTE_MS, (i) => ({
        ...atHome(victim),
        ip_address: world.chance(0.5) ? victim.ip : victim.away,
        amount: world.inCurrency(victim.meanDollars * 1.2 ** i, victim.currency),
        payment_fingerprint: victim.card,
        counterparty_id: world.oneOf(world.shops),
      }));
    },
  },
  {
    name: '50 times the amount, new device abroad',
    notIn: ['empty'],
    afterItems: 0,
    make: (world) =>
      world.victims(12).map((victim, campaign) =>
        pay(
          campaign * 3 * HOUR_MS,
          {
            user_id: victim.id,
            amount: world.inCurrency(victim.meanDollars * 50, victim.currency),
            currency: victim.currency,
            ip_address: world.lineIn(world.far(victim.country)),
            device_token: world.device(),
            payment_fingerprint: victim.card,
            counterparty_id: 'merchant_jewels',
          },
          { fraud: true, campaign },
        ),
      ),
  },
  {
    name: 'mule paid by many victims',
    afterItems: 5,
    make: (world) =>
      world.victims(30).map((victim, i) =>
        pay(
          i * 80 * MINUTE_MS,
          {
            ...atHome(victim),
            amount: world.inCurrency(world.between(400, 2000), victim.currency),
            payment_method: 'bank',
            counterparty_id: 'payee_mule',
          },
          fraud,
        ),
      ),
  },
  {
    name: 'gift cards of one amount',
    afterItems: 5,
    make: (world) => {
      const who = { user_id: `gifter_${world.hex(6)}`, ip_address: world.lineIn('VN'), device_token: world.device() };
      const cards = times(4, world.card);
      return payments(30, HOUR_MS, () => ({
        ...who,
        amount: 100,
        payment_fingerprint: world.oneOf(cards),
        counterparty_id: 'merchant_giftcards',
      }));
    },
  },
  {
    name: 'laundering, in and out below a limit',
    afterShare: 0.25,
    make: (world) => {
      const hub = world.newcomer(`hub_${world.hex(5)}`, 'GB');
      const money = (): number => world.inCurrency(world.between(9000, 9900), 'GBP');
      const common = { currency: 'GBP', payment_method: 'bank' };
      return times(16, (i) => i).flatMap((i) => {
        const at = i * 50 * MINUTE_MS;
        const sender = world.newcomer(`sender_${world.hex(5)}`, 'GB');
        const into = { ...atHome(sender), ...common, amount: money(), counterparty_id: hub.id };
        const out = { ...atHome(hub), ...common, amount: money(), counterparty_id: `payee_${world.hex(5)}` };
        return [pay(at, into, fraud), pay(at + 20 * MINUTE_MS, out, fraud)];
      });
    },
  },
  {
    name: 'bot with rotating devices',
    afterItems: 8,
    make: (world) => {
      const ip_address = world.hostingIp();
      return payments(60, 20 * MINUTE_MS, () => ({
        user_id: `shopper_${world.hex(6)}`,
        amount: world.cents(world.between(40, 160)),
        ip_address,
        device_token: world.device(),
        payment_fingerprint: world.card(),
        counterparty_id: 'merchant_sneakers',
      }));
    },
  },
  {
    name: 'fresh account, large order, mismatched addresses',
    afterItems: 1,
    make: (world) =>
      times(12, (i) => i).flatMap((campaign) => {
        const at = campaign * 2 * HOUR_MS;
        const more = { fraud: true, campaign };
        const email = world.emailOf('guerrillamail.com');
        const who = {
          user_id: `fresh_${world.hex(6)}`,
          ip_address: world.hostingIp(),
          device_token: world.device(),
          email,
        };
        const order = {
          amount: world.cents(world.between(700, 1900)),
          currency: 'USD',
          payment_method: 'card',
          payment_fingerprint: world.card(),
          counterparty_id: 'merchant_electronics',
          billing_address: { line1: '12 Oak Avenue', city: 'Dayton', postal_code: '45402', country: 'US' },
          shipping_address: { line1: '5 Marina Road', city: 'Lagos', postal_code: '101001', country: 'NG' },
        };
        return [
          event(at, { ...who, type: 'signup' }, more),
          pay(at + 4 * MINUTE_MS, { ...who, ...order }, more),
          pay(at + 7 * MINUTE_MS, { ...who, ...order, amount: order.amount * 2 }, more),
        ];
      }),
  },
  {
    name: 'bare amount spike',
    notIn: ['empty'],
    afterItems: 0,
    isBare: true,
    make: (world) =>
      world
        .victims(12)
        .map(({ id, meanDollars, currency }, campaign) =>
          pay(
            campaign * HOUR_MS,
            { user_id: id, amount: world.inCurrency(meanDollars * 25, currency), currency },
            { fraud: true, campaign },
          ),
        ),
  },
  {
    name: 'bare velocity',
    afterItems: 8,
    isBare: true,
    make: (world) => {
      const [{ id, meanDollars, currency }] = world.victims(1) as [Person];
      return payments(40, 6 * MINUTE_MS, () => ({
        user_id: id,
        amount: world.inCurrency(meanDollars * world.between(0.5, 2), currency),
        currency,
      }));
    },
  },
];
