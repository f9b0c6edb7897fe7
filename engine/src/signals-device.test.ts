import { checkSignals } from '../test/signal-table.ts';
import { act, DAY, HOUR, type KnownToo, MINUTE, pay, type Step, sdk, times } from '../test/subjects.ts';
import { countryNumber, DEVICE_STATES } from './knowledge.ts';
import { DEVICE_SIGNALS } from './signals-device.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'dvk_phone' };
const AWAY = { ip_address: '192.0.2.1', device_token: 'dvk_phone' };
const CLEARED = { ...HOME, device_token: 'dvk_phone_again' };
const NO_KEY = { ip_address: HOME.ip_address };
const { unkept, unsigned, tampered } = DEVICE_STATES;
let made = 0;
/** A token that was not there before. */
const fresh = (looks = 'phone', too: KnownToo = {}): KnownToo => sdk(looks, `token ${made++}`, too);
const told = (too: KnownToo): Step[] => [pay(0, HOME, fresh('phone', too))];

/** Someone known for three days, with a phone. */
const known = times(4, (i) => act(i * DAY, 'login', HOME, fresh()));
const now = 4 * DAY;
const other = (i: number) => ({ ...HOME, user_id: `user_${i}`, device_token: `dvk_${i}` });
/** A phone that many have, over a month. */
const common = times(60, (i) => pay(i * 11 * HOUR, other(i), fresh()));
const monthLater = 28 * DAY;

const WHERE = { ip_hosting: 0, ip_vpn: 0 };
const VIETNAM = { ...WHERE, device_zone_country: countryNumber('VN'), device_zone_fits: 0, device_language_fits: 0 };

checkSignals(DEVICE_SIGNALS, {
  tampered_token: {
    active: { 'a token that is none': [pay(0, NO_KEY, { device_state: tampered })] },
    says: ['The device token was not made by the SDK, or was changed since'],
    near: {
      'a token that the browser could not sign': [pay(0, NO_KEY, fresh('phone', { device_state: unsigned }))],
      "a caller's own name": [pay(0, HOME)],
    },
  },
  replayed_token: {
    active: {
      'the same token after eleven minutes': [
        ...known,
        act(now, 'login', HOME, sdk('phone', 'same')),
        pay(now + 11 * MINUTE, HOME, sdk('phone', 'same')),
      ],
      'the same token for another user at once': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        act(MINUTE, 'login', { ...HOME, user_id: 'thief' }, sdk('phone', 'same')),
      ],
      'the same token for another user, the second time too': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        act(MINUTE, 'login', { ...HOME, user_id: 'thief' }, sdk('phone', 'same')),
        pay(2 * MINUTE, { ...HOME, user_id: 'thief' }, sdk('phone', 'same')),
      ],
      'the same token every nine minutes': [
        ...known,
        ...times(3, (i) => act(now + i * 9 * MINUTE, 'login', HOME, sdk('phone', 'same'))),
      ],
      'a token without a key, for another user': [
        act(0, 'login', NO_KEY, sdk('phone', 'same', { device_state: unsigned })),
        act(MINUTE, 'login', { ...NO_KEY, user_id: 'thief' }, sdk('phone', 'same', { device_state: unsigned })),
      ],
      'one of a phone that everybody has': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        ...times(40, (i) => act(i * MINUTE, 'login', other(i), fresh())),
        pay(HOUR, HOME, sdk('phone', 'same')),
      ],
      'one of the last 32': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        ...times(31, (i) => act(i * MINUTE, 'login', HOME, fresh())),
        pay(HOUR, HOME, sdk('phone', 'same')),
      ],
    },
    says: [
      'This very device token was used 11 minutes ago',
      'This very device token was used 1 minutes ago, by another user',
      'This very device token was used 2 minutes ago, by another user',
      'This very device token was used 18 minutes ago',
      'This very device token was used 1 minutes ago, by another user',
      'This very device token was used 60 minutes ago',
      'This very device token was used 60 minutes ago',
    ],
    near: {
      'the same token for a login and a payment of one page': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        pay(10 * MINUTE, HOME, sdk('phone', 'same')),
      ],
      'another token': [act(0, 'login', HOME, fresh()), pay(DAY, HOME, fresh())],
      'another device whose token has the same number': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        act(MINUTE, 'login', { ...other(1) }, sdk('laptop', 'same')),
      ],
      'a second user of the device, with a token of their own': [
        act(0, 'login', HOME, fresh()),
        act(MINUTE, 'login', { ...HOME, user_id: 'spouse' }, fresh()),
      ],
    },
  },
  old_token: {
    active: {
      'a token of over an hour': told({ device_token_age_ms: HOUR + 1 }),
      'a token that is dated ahead': told({ device_token_age_ms: -26 * HOUR }),
    },
    says: ['The device token was made 1.0 hours before it arrived', 'The device token is dated 26.0 hours ahead'],
    near: {
      'a token of an hour': told({ device_token_age_ms: HOUR }),
      'a clock that is an hour ahead': told({ device_token_age_ms: -HOUR }),
    },
  },
  automated_browser: {
    active: { 'a browser that a driver steers': told({ device_automation: 2 | 8 }) },
    says: ['A program steers the browser: it says so itself, it has no window'],
    near: { 'a browser without a hint': told({ device_automation: 0 }) },
  },
  storage_cleared: {
    active: { 'a new key on a phone that looks the same': [...known, pay(now, CLEARED, fresh())] },
    says: ["A device that looks like one of this user's, with a new key"],
    near: {
      'the same key': [...known, pay(now, HOME, fresh())],
      'a phone that looks otherwise': [...known, pay(now, CLEARED, fresh('other phone'))],
      'a phone that looks like one of an hour ago': [
        ...known,
        act(now, 'login', { ...HOME, device_token: 'dvk_thief' }, fresh('other phone')),
        pay(now + HOUR, { ...HOME, device_token: 'dvk_thief_again' }, fresh('other phone')),
      ],
      "a caller's own name": [...known, pay(now, CLEARED)],
    },
  },
  unproven_device: {
    active: {
      'a browser that cannot sign and looks like none before': [
        ...known,
        pay(now, NO_KEY, fresh('other', { device_state: unsigned })),
      ],
      'a browser that keeps no key, too little of which is known': [
        ...known,
        pay(now, NO_KEY, { ...fresh('', { device_state: unkept }), device_likeness: Number.NaN }),
      ],
    },
    says: [
      'The browser keeps no key to tell it by, and does not look like one of this user',
      'The browser keeps no key to tell it by, and does not look like one of this user',
    ],
    near: {
      'one that looks like the phone of before': [
        ...known,
        pay(now, NO_KEY, fresh('phone', { device_state: unsigned })),
      ],
      'someone who never had a key that is kept': [
        ...times(4, (i) => act(i * DAY, 'login', NO_KEY, fresh(`${i}`, { device_state: unkept }))),
        pay(now, NO_KEY, fresh('other', { device_state: unkept })),
      ],
      'a key that is kept': [...known, pay(now, CLEARED, fresh('other'))],
      'a first visit': [pay(0, NO_KEY, fresh('other', { device_state: unsigned }))],
    },
  },
  similar_device_burst: {
    active: {
      'a fifth user in an hour': times(5, (i) => act(i * MINUTE, 'signup', other(i), fresh('farm'))),
      'a sixth key of one user in an hour': times(6, (i) =>
        pay(i * MINUTE, { ...HOME, device_token: `dvk_${i}` }, fresh('farm')),
      ),
    },
    says: [
      '5 users and 4 keys in an hour on devices that look like this one',
      '1 users and 5 keys in an hour on devices that look like this one',
    ],
    near: {
      'a fourth user in an hour': times(4, (i) => act(i * MINUTE, 'signup', other(i), fresh('farm'))),
      'a fifth user in two hours': times(5, (i) => act(i * 25 * MINUTE, 'signup', other(i), fresh('farm'))),
      'five more of a phone that many have': [
        ...common,
        ...times(5, (i) => pay(monthLater + i * MINUTE, other(100 + i), fresh())),
      ],
      'devices that do not look alike': times(5, (i) => act(i * MINUTE, 'signup', other(i), fresh(`${i}`))),
    },
  },
  time_zone_mismatch: {
    active: { 'a browser of Hanoi with an address in Berlin': [pay(0, HOME, fresh('phone', VIETNAM))] },
    says: ['The time zone of the browser is that of VN, the address is in DE'],
    near: {
      'the same time as in Berlin': [pay(0, HOME, fresh('phone', { ...VIETNAM, device_zone_fits: 1 }))],
      'an address of a VPN': [pay(0, HOME, fresh('phone', { ...VIETNAM, ip_vpn: 1 }))],
      'someone who was in that network two days ago': [
        act(0, 'login', HOME, fresh('phone', VIETNAM)),
        pay(2 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
      'an address of no known country': [pay(0, { ip_address: '10.0.0.1' }, fresh('phone', VIETNAM))],
    },
  },
  language_mismatch: {
    active: { 'a browser in Vietnamese with an address in Berlin': [pay(0, HOME, fresh('phone', VIETNAM))] },
    says: ['The first language of the browser is not one of DE'],
    near: {
      'a language of the country': [pay(0, HOME, fresh('phone', { ...VIETNAM, device_language_fits: 1 }))],
      'an address of rented servers': [pay(0, AWAY, fresh('phone', { ...VIETNAM, ip_hosting: 1 }))],
      'someone who was in that network two days ago': [
        act(0, 'login', HOME, fresh('phone', VIETNAM)),
        pay(2 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
    },
  },
});
