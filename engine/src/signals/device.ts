import { ordinal } from '../words.ts';
import {
  countWithThis,
  describeFirst,
  doubtInDevice,
  get,
  hasField,
  hasKnownProfile,
  isNewDevice,
} from './conditions.ts';
import { device, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

/** Patterns in the use of devices. Signals that need a token of the device SDK are in `device-token.ts`. */
export const DEVICE_SIGNALS: readonly Signal[] = [
  {
    name: 'new_device',
    meaning:
      'The device is new to this user, who has been known for a day or more. It stays new until use on three days, or a payment two days ago, has earned trust. Not raised if it looks like a device they had a day ago or earlier: see `storage_cleared`; nor for users who had more than three others in 30 days, one for every five visits, as with a browser that forgets; nor for users who were with none of their devices for five months.',
    on: 'both',
    theme: 'device',
    topics: ['user.device'],
    active: isNewDevice,
    grade: doubtInDevice,
    describe: (f, s) =>
      describeFirst(f, user.thisDevice, s.type === 'transaction' ? 'payment' : 'activity', 'from this device'),
    brief: () => 'new device',
  },
  {
    name: 'device_switching',
    meaning:
      'The user appears on a third device, or more, in 24 hours. Not raised if it looks like a device they had a day ago or earlier.',
    on: 'both',
    theme: 'device',
    topics: ['user.distinct_device'],
    active: (f, s) =>
      hasField(s, 'device_token') &&
      countWithThis(f, user.devices.h24, user.thisDevice) >= 3 &&
      get(f, user.devices.h24) >= 2 &&
      !hasKnownProfile(f),
    describe: (f) => `${countWithThis(f, user.devices.h24, user.thisDevice)} devices used by this user in 24 hours`,
    brief: (f) => `${countWithThis(f, user.devices.h24, user.thisDevice)} devices in 24 hours`,
  },
  {
    name: 'shared_device',
    meaning: 'Four or more users used the device in the last 30 days.',
    on: 'both',
    theme: 'links',
    topics: ['device.distinct_user'],
    active: (f) => get(f, device.users.d30) >= 4,
    describe: (f) => `${get(f, device.users.d30)} users on this device in the last 30 days`,
    brief: (f) => `device of ${get(f, device.users.d30)} users`,
  },
  {
    name: 'device_many_users',
    meaning: 'A third user, or more, on one device in an hour.',
    on: 'both',
    theme: 'links',
    topics: ['device.distinct_user'],
    active: (f) => countWithThis(f, device.users.h1, user.thisDevice) >= 3,
    describe: (f) => `${countWithThis(f, device.users.h1, user.thisDevice)} users on this device in an hour`,
    brief: (f) => `${countWithThis(f, device.users.h1, user.thisDevice)} users on this device in an hour`,
  },
  {
    name: 'device_velocity',
    meaning: 'An eighth payment or more from one device in an hour.',
    on: 'transaction',
    theme: 'pace',
    topics: ['device.pace'],
    active: (f) => get(f, device.transactions.h1) >= 7,
    describe: (f) => `${ordinal(get(f, device.transactions.h1) + 1)} payment from this device in an hour`,
    brief: (f) => `${get(f, device.transactions.h1) + 1} payments from this device in an hour`,
  },
];
