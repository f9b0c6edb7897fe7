import {
  type Attack,
  DAY_MS,
  event,
  HOUR_MS,
  MINUTE_MS,
  type Person,
  pay,
  type Step,
  type World,
} from './unseen-world.ts';

const fraud = { fraud: true };
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Names and passwords of a leak: half of the names are those of customers, and few passwords fit. */
const stuffing = (world: World, count: number, durationMs: number, addressOf: (i: number) => string): Step[] =>
  times(count, (i) =>
    event(
      (i / count) * durationMs,
      {
        user_id: world.chance(0.5) ? world.oneOf(world.people).id : `leaked_${world.hex(6)}`,
        type: 'login',
        outcome: world.chance(0.04) ? 'succeeded' : 'failed',
        ip_address: addressOf(i),
        device_token: `bot_${world.hex(8)}`,
      },
      fraud,
    ),
  );

const signups = (
  world: World,
  count: number,
  durationMs: number,
  where: (i: number) => { ip_address: string; device_token: string; email: string },
): Step[] =>
  times(count, (i) =>
    event((i / count) * durationMs, { user_id: `new_${world.hex(8)}`, type: 'signup', ...where(i) }, fraud),
  );

const takeover = (world: World, victim: Person, campaign: number): Step[] => {
  const at = campaign * 5 * HOUR_MS;
  const more = { fraud: true, campaign };
  const who = {
    user_id: victim.id,
    ip_address: world.lineIn(world.far(victim.country)),
    device_token: world.device(),
  };
  const loot = world.inCurrency(victim.meanDollars * world.between(6, 15), victim.currency);
  return [
    event(at, { ...who, type: 'password_reset' }, more),
    event(at + 2 * MINUTE_MS, { ...who, type: 'login', outcome: 'succeeded' }, more),
    event(at + 4 * MINUTE_MS, { ...who, type: 'email_change', email: world.emailOf('proton.me') }, more),
    event(at + 6 * MINUTE_MS, { ...who, type: 'phone_change' }, more),
    pay(
      at + 11 * MINUTE_MS,
      {
        ...who,
        amount: loot,
        currency: victim.currency,
        payment_method: 'card',
        payment_fingerprint: victim.card,
        counterparty_id: 'merchant_electronics',
      },
      more,
    ),
    event(at + 16 * MINUTE_MS, { ...who, type: 'payout_request' }, more),
  ];
};

export const ACCOUNT_ATTACKS: readonly Attack[] = [
  {
    name: 'stuffing from one address',
    afterItems: 10,
    make: (world) => {
      const ip = world.hostingIp();
      return stuffing(world, 150, 12 * MINUTE_MS, () => ip);
    },
  },
  {
    name: 'stuffing from a /24',
    afterItems: 20,
    make: (world) => {
      const prefix = world.lineIn(world.far()).split('.').slice(0, 3).join('.');
      return stuffing(world, 250, 25 * MINUTE_MS, () => `${prefix}.${1 + world.below(254)}`);
    },
  },
  {
    name: 'stuffing from a hosting provider',
    afterShare: 0.2,
    make: (world) => stuffing(world, 250, HOUR_MS, () => world.within(world.chance(0.5) ? '159.65' : '167.99')),
  },
  {
    name: 'brute force on one account',
    afterItems: 5,
    make: (world) => {
      const [victim] = world.victims(1) as [Person];
      const who = { user_id: victim.id, ip_address: world.lineIn(world.far()), device_token: world.device() };
      return times(60, (i) =>
        event(i * 14_000, { ...who, type: 'login', outcome: i < 59 ? 'failed' : 'succeeded' }, fraud),
      );
    },
  },
  {
    name: 'account takeover',
    afterItems: 2,
    make: (world) => world.victims(8).flatMap((victim, i) => takeover(world, victim, i)),
  },
  {
    name: 'quiet takeover and payout',
    notIn: ['empty'],
    afterItems: 1,
    make: (world) =>
      world.victims(8).flatMap((victim, campaign) => {
        const more = { fraud: true, campaign };
        const at = campaign * 4 * HOUR_MS;
        // A line in the victim's own country: bought access, so that nothing looks far away.
        const who = { user_id: victim.id, ip_address: world.lineIn(victim.country), device_token: world.device() };
        return [
          event(at, { ...who, type: 'login', outcome: 'succeeded' }, more),
          event(at + 5 * MINUTE_MS, { ...who, type: 'email_change', email: world.emailOf() }, more),
          event(at + 3 * HOUR_MS, { ...who, type: 'payout_request' }, more),
        ];
      }),
  },
  {
    name: 'signup farm on one device',
    afterItems: 5,
    make: (world) => {
      const device_token = world.device();
      return signups(world, 40, 2 * HOUR_MS, () => ({
        ip_address: world.lineIn(world.oneOf(['VN', 'ID', 'IN'] as const)),
        device_token,
        email: world.emailOf(),
      }));
    },
  },
  {
    name: 'signup farm in one network',
    afterItems: 10,
    make: (world) => {
      const prefix = world.lineIn('VN').split('.').slice(0, 3).join('.');
      return signups(world, 50, HOUR_MS, () => ({
        ip_address: `${prefix}.${1 + world.below(254)}`,
        device_token: world.device(),
        email: world.emailOf(),
      }));
    },
  },
  {
    name: 'signup farm with throw-away e-mail',
    afterShare: 0.2,
    make: (world) => {
      const domains = ['mailinator.com', 'guerrillamail.com', 'yopmail.com', '10minutemail.com', 'temp-mail.org'];
      return signups(world, 40, 3 * HOUR_MS, () => ({
        ip_address: world.hostingIp(),
        device_token: world.device(),
        email: world.emailOf(world.oneOf(domains)),
      }));
    },
  },
  {
    name: 'impossible travel, then payment',
    afterItems: 0,
    make: (world) =>
      world.victims(10).flatMap((victim, campaign) => {
        const at = campaign * 3 * HOUR_MS;
        const more = { fraud: true, campaign };
        const home = { user_id: victim.id, ip_address: victim.ip, device_token: victim.devices[0] };
        const thief = {
          user_id: victim.id,
          ip_address: world.lineIn(world.far(victim.country)),
          device_token: world.device(),
        };
        return [
          event(at, { ...home, type: 'login', outcome: 'succeeded' }, { campaign }),
          event(at + 20 * MINUTE_MS, { ...thief, type: 'login', outcome: 'succeeded' }, more),
          pay(
            at + 26 * MINUTE_MS,
            {
              ...thief,
              amount: world.inCurrency(victim.meanDollars * 4, victim.currency),
              currency: victim.currency,
              payment_fingerprint: victim.card,
              counterparty_id: 'merchant_phones',
            },
            more,
          ),
        ];
      }),
  },
  {
    name: 'many accounts on one device',
    afterItems: 6,
    make: (world) => {
      const device_token = world.device();
      return times(25, (i) => i).flatMap((i) => {
        const at = i * 10 * MINUTE_MS;
        const who = { user_id: `acct_${world.hex(6)}`, ip_address: world.lineIn('RU'), device_token };
        const amount = world.cents(world.between(20, 60));
        return [
          event(at, { ...who, type: 'login', outcome: 'succeeded' }, fraud),
          pay(
            at + 2 * MINUTE_MS,
            { ...who, amount, currency: 'USD', payment_fingerprint: world.card(), counterparty_id: 'merchant_7' },
            fraud,
          ),
        ];
      });
    },
  },
  {
    name: 'dormant account wakes',
    afterItems: 0,
    notIn: ['rush'],
    make: (world) =>
      times(10, (i) => i).flatMap((campaign) => {
        const sleeper = world.newcomer(`sleeper_${world.hex(5)}`);
        const { currency, card, devices, ip } = sleeper;
        const past = times(5, (i) =>
          pay(-(95 + 3 * i) * DAY_MS + world.between(0, DAY_MS), {
            user_id: sleeper.id,
            amount: world.inCurrency(sleeper.meanDollars * world.between(0.6, 1.4), currency),
            currency,
            ip_address: ip,
            device_token: devices[0],
            payment_fingerprint: card,
            counterparty_id: world.oneOf(sleeper.shops),
          }),
        );
        const theft = {
          user_id: sleeper.id,
          amount: world.inCurrency(sleeper.meanDollars * world.between(8, 15), currency),
          currency,
          ip_address: world.lineIn(world.far(sleeper.country)),
          device_token: world.device(),
          payment_fingerprint: card,
          counterparty_id: 'merchant_jewels',
        };
        return [...past, pay(campaign * 2 * HOUR_MS, theft, { fraud: true, campaign })];
      }),
  },
];
