import { ordinal, plural } from '../words.ts';
import {
  countOthers,
  countWithThis,
  describeFirst,
  doubtInDevice,
  doubtInNetwork,
  get,
  hasField,
  hasKnownProfile,
  isBurst,
  isNewDevice,
  isNewNetwork,
} from './conditions.ts';
import { device, email, ip, network, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

/** Patterns in the use of IP addresses, networks and devices. */
export const PLACE_SIGNALS: readonly Signal[] = [
  {
    name: 'ip_mismatch',
    meaning:
      'The IP address is in a network new to this user, who has been known for a day or more. It stays new until use on three days, or a payment two days ago, has earned trust. Not raised for users who come from a new network in nine of ten actions, or who had more than six others in 30 days, one for every five visits.',
    on: 'both',
    theme: 'place',
    topics: ['user.network'],
    active: isNewNetwork,
    grade: doubtInNetwork,
    describe: (f) =>
      `${describeFirst(f, user.thisNetwork, 'activity', 'from this network')}, after ${plural(countOthers(f, user.thisNetwork, user.networks.d30), 'other network')} in 30 days`,
    brief: () => 'new network',
  },
  {
    name: 'many_networks',
    meaning: 'The user appears from a fourth network, or more, in 24 hours.',
    on: 'both',
    theme: 'place',
    topics: ['user.distinct_network'],
    active: (f, s) =>
      hasField(s, 'ip_address') &&
      countWithThis(f, user.networks.h24, user.thisNetwork) >= 4 &&
      get(f, user.networks.h24) >= 3,
    describe: (f) => `${countWithThis(f, user.networks.h24, user.thisNetwork)} networks used by this user in 24 hours`,
    brief: (f) => `${countWithThis(f, user.networks.h24, user.thisNetwork)} networks in 24 hours`,
  },
  {
    name: 'ip_velocity',
    meaning: 'A tenth payment or more from one IP address in 10 minutes.',
    on: 'transaction',
    theme: 'pace',
    topics: ['ip.pace'],
    active: (f) => get(f, ip.transactions.m10) >= 9,
    describe: (f) => `${ordinal(get(f, ip.transactions.m10) + 1)} payment from this IP address in 10 minutes`,
    brief: (f) => `${get(f, ip.transactions.m10) + 1} payments from this IP address in 10 minutes`,
  },
  {
    name: 'shared_ip',
    meaning: 'Ten or more users appeared from the IP address in the last 24 hours.',
    on: 'both',
    theme: 'links',
    topics: ['ip.distinct_user'],
    active: (f) => get(f, ip.users.h24) >= 10,
    describe: (f) => `${get(f, ip.users.h24)} users from this IP address in the last 24 hours`,
    brief: (f) => `${get(f, ip.users.h24)} users from this IP address in 24 hours`,
  },
  {
    name: 'network_velocity',
    meaning: 'A fiftieth payment or more from one network in 10 minutes, over ten times its average of 7 days.',
    on: 'transaction',
    theme: 'pace',
    topics: ['network.pace'],
    active: (f) =>
      get(f, network.transactions.m10) >= 49 && isBurst(f, network.transactions.m10, network.transactions.d7, 1008, 10),
    describe: (f) => `${ordinal(get(f, network.transactions.m10) + 1)} payment from this network in 10 minutes`,
    brief: (f) => `${get(f, network.transactions.m10) + 1} payments from this network in 10 minutes`,
  },
  {
    name: 'new_device',
    meaning:
      'The device is new to this user, who has been known for a day or more. It stays new until use on three days, or a payment two days ago, has earned trust. Not raised if it looks like a device they had a day ago or earlier: see `storage_cleared`; nor for users who had more than three others in 30 days, one for every five visits, as with a browser that forgets.',
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
  {
    name: 'shared_email',
    meaning: 'Two or more users used the e-mail address in the last 30 days.',
    on: 'both',
    theme: 'links',
    topics: ['email.distinct_user'],
    active: (f) => get(f, email.users.d30) >= 2,
    describe: (f) => `${get(f, email.users.d30)} users with this e-mail address in the last 30 days`,
    brief: (f) => `e-mail address of ${get(f, email.users.d30)} users`,
  },
];
