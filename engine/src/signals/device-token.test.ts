import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, type ExtraFacts, HOUR, MINUTE, pay, type Step, sdk, times } from '../../test/subjects.ts';
import { countryNumber, DEVICE_STATES } from '../subject/lookup-facts.ts';
import { DEVICE_TOKEN_SIGNALS } from './device-token.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'dvk_phone' };
const AWAY = { ip_address: '192.0.2.1', device_token: 'dvk_phone' };
const CLEARED = { ...HOME, device_token: 'dvk_phone_again' };
const NO_KEY = { ip_address: HOME.ip_address };
const { unkept, unsigned, tampered } = DEVICE_STATES;
let made = 0;
/** A new token. */
const fresh = (looks = 'phone', extra: ExtraFacts = {}): ExtraFacts => sdk(looks, `token ${made++}`, extra);
const payWith = (extra: ExtraFacts): Step[] => [pay(0, HOME, fresh('phone', extra))];

/** A user known for three days, with a phone. */
const known = times(4, (i) => act(i * DAY, 'login', HOME, fresh()));
const now = 4 * DAY;
const other = (i: number) => ({ ...HOME, user_id: `user_${i}`, device_token: `dvk_${i}` });
/** A popular phone model, over a month. */
const common = times(60, (i) => pay(i * 11 * HOUR, other(i), fresh()));
const monthLater = 28 * DAY;

const WHERE = { ip_hosting: 0, ip_vpn: 0 };
const VIETNAM = { ...WHERE, device_zone_country: countryNumber('VN'), device_zone_fits: 0, device_language_fits: 0 };

checkSignals(DEVICE_TOKEN_SIGNALS, {
  tampered_token: {
    active: { 'a forged token': [pay(0, NO_KEY, { device_state: tampered })] },
    descriptions: ['The device token is forged or was altered'],
    near: {
      'a token that the browser could not sign': [pay(0, NO_KEY, fresh('phone', { device_state: unsigned }))],
      "a caller's own identifier": [pay(0, HOME)],
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
      'a token of a popular phone model': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        ...times(40, (i) => act(i * MINUTE, 'login', other(i), fresh())),
        pay(HOUR, HOME, sdk('phone', 'same')),
      ],
      'one of the last 32 tokens': [
        act(0, 'login', HOME, sdk('phone', 'same')),
        ...times(31, (i) => act(i * MINUTE, 'login', HOME, fresh())),
        pay(HOUR, HOME, sdk('phone', 'same')),
      ],
    },
    descriptions: [
      'This device token was first used 11 minutes ago',
      'This device token was first used 60 seconds ago, by another user',
      'This device token was first used 2 minutes ago, by another user',
      'This device token was first used 18 minutes ago',
      'This device token was first used 60 seconds ago, by another user',
      'This device token was first used 60 minutes ago',
      'This device token was first used 60 minutes ago',
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
      'a token of over an hour': payWith({ device_token_age_ms: HOUR + 1 }),
      'a token that is dated ahead': payWith({ device_token_age_ms: -26 * HOUR }),
    },
    descriptions: ['Device token made 60 minutes before it arrived', 'Device token dated 26 hours in the future'],
    near: {
      'a token of an hour': payWith({ device_token_age_ms: HOUR }),
      'a clock that is an hour ahead': payWith({ device_token_age_ms: -HOUR }),
    },
  },
  automated_browser: {
    active: { 'an automated browser': payWith({ device_automation: 2 | 8 }) },
    descriptions: ['Automated browser: the browser reports WebDriver, the browser has no window'],
    near: { 'a browser without a hint': payWith({ device_automation: 0 }) },
  },
  storage_cleared: {
    active: { 'a new key on a phone with the same profile': [...known, pay(now, CLEARED, fresh())] },
    descriptions: ['The browser storage was cleared: the device looks like one this user had before'],
    near: {
      'the same key': [...known, pay(now, HOME, fresh())],
      'a phone with another profile': [...known, pay(now, CLEARED, fresh('other phone'))],
      'a phone with a profile first seen an hour ago': [
        ...known,
        act(now, 'login', { ...HOME, device_token: 'dvk_thief' }, fresh('other phone')),
        pay(now + HOUR, { ...HOME, device_token: 'dvk_thief_again' }, fresh('other phone')),
      ],
      "a caller's own identifier": [...known, pay(now, CLEARED)],
    },
  },
  unproven_device: {
    active: {
      'a browser that cannot sign, with a new profile': [
        ...known,
        pay(now, NO_KEY, fresh('other', { device_state: unsigned })),
      ],
      'a browser that stores no key, with an unknown profile': [
        ...known,
        pay(now, NO_KEY, { ...fresh('', { device_state: unkept }), device_likeness: Number.NaN }),
      ],
    },
    descriptions: [
      'The browser cannot be recognised, and looks like no device of this user',
      'The browser cannot be recognised, and looks like no device of this user',
    ],
    near: {
      'a browser with the profile of the earlier phone': [
        ...known,
        pay(now, NO_KEY, fresh('phone', { device_state: unsigned })),
      ],
      'a user who never had a stored key': [
        ...times(4, (i) => act(i * DAY, 'login', NO_KEY, fresh(`${i}`, { device_state: unkept }))),
        pay(now, NO_KEY, fresh('other', { device_state: unkept })),
      ],
      'a stored key': [...known, pay(now, CLEARED, fresh('other'))],
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
    descriptions: [
      '5 users in an hour on 4 devices that look like this one',
      '1 user in an hour on 5 devices that look like this one',
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
    active: {
      'a browser of Hanoi with an address in Berlin': [pay(0, HOME, fresh('phone', VIETNAM))],
      'someone who only logged in there two weeks ago': [
        act(0, 'login', HOME, fresh('phone', VIETNAM)),
        pay(14 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
    },
    descriptions: [
      'Browser time zone of Vietnam, but the IP address is in Germany',
      'Browser time zone of Vietnam, but the IP address is in Germany',
    ],
    near: {
      'the same time as in Berlin': [pay(0, HOME, fresh('phone', { ...VIETNAM, device_zone_fits: 1 }))],
      'an address of a VPN': [pay(0, HOME, fresh('phone', { ...VIETNAM, ip_vpn: 1 }))],
      'someone who paid in that network two days ago': [
        pay(0, HOME, fresh('phone', VIETNAM)),
        pay(2 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
      'an address of no known country': [pay(0, { ip_address: '10.0.0.1' }, fresh('phone', VIETNAM))],
    },
  },
  language_mismatch: {
    active: {
      'a browser in Vietnamese with an address in Berlin': [pay(0, HOME, fresh('phone', VIETNAM))],
      'someone who only logged in there two weeks ago': [
        act(0, 'login', HOME, fresh('phone', VIETNAM)),
        pay(14 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
    },
    descriptions: [
      'The browser language is not spoken in Germany, the country of the IP address',
      'The browser language is not spoken in Germany, the country of the IP address',
    ],
    near: {
      'a language of the country': [pay(0, HOME, fresh('phone', { ...VIETNAM, device_language_fits: 1 }))],
      'an address of rented servers': [pay(0, AWAY, fresh('phone', { ...VIETNAM, ip_hosting: 1 }))],
      'someone who paid in that network two days ago': [
        pay(0, HOME, fresh('phone', VIETNAM)),
        pay(2 * DAY, HOME, fresh('phone', VIETNAM)),
      ],
    },
  },
});
