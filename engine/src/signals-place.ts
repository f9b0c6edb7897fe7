import {
  burst,
  device,
  email,
  get,
  ip,
  looksKnown,
  names,
  network,
  newDevice,
  newNetwork,
  ordinal,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';

/** What addresses, networks and devices give away. */
export const PLACE_SIGNALS: readonly Signal[] = [
  {
    name: 'ip_mismatch',
    meaning:
      'The address is in a network this user was never seen in, although they have been known for a day or more. Not concluded of users seen in as many networks as nine tenths of their actions.',
    on: 'both',
    active: newNetwork,
    describe: (f) => `A network new to this user, who was seen in ${get(f, user.networks.d30)} other(s) in 30 days`,
  },
  {
    name: 'many_networks',
    meaning: 'The user appears from a fourth network, or more, within 24 hours.',
    on: 'both',
    active: (f, s) =>
      names(s, 'ip_address') && withThis(f, user.networks.h24, user.thisNetwork) >= 4 && get(f, user.networks.h24) >= 3,
    describe: (f) => `${withThis(f, user.networks.h24, user.thisNetwork)} networks of one user in 24 hours`,
  },
  {
    name: 'ip_velocity',
    meaning: 'A tenth payment from one address within 10 minutes.',
    on: 'transaction',
    active: (f) => get(f, ip.transactions.m10) >= 9,
    describe: (f) => `The ${ordinal(get(f, ip.transactions.m10) + 1)} payment from this address in 10 minutes`,
  },
  {
    name: 'shared_ip',
    meaning: 'Ten users or more appeared from the address within 24 hours.',
    on: 'both',
    active: (f) => get(f, ip.users.h24) >= 10,
    describe: (f) => `${get(f, ip.users.h24)} users from this address in 24 hours`,
  },
  {
    name: 'network_velocity',
    meaning: 'Fifty payments from one network within 10 minutes, over ten times its weekly average.',
    on: 'transaction',
    active: (f) =>
      get(f, network.transactions.m10) >= 49 && burst(f, network.transactions.m10, network.transactions.d7, 1008, 10),
    describe: (f) => `The ${ordinal(get(f, network.transactions.m10) + 1)} payment from this network in 10 minutes`,
  },
  {
    name: 'new_device',
    meaning:
      'A device this user was never seen with, although they have been known for a day or more. Not concluded where it looks like one they had a day ago or earlier: see `storage_cleared`.',
    on: 'both',
    active: newDevice,
    describe: () => 'First time this user is seen with this device',
  },
  {
    name: 'device_switching',
    meaning:
      'A third device of the user, or more, within 24 hours. Not concluded where it looks like one they had a day ago or earlier.',
    on: 'both',
    active: (f, s) =>
      names(s, 'device_token') &&
      withThis(f, user.devices.h24, user.thisDevice) >= 3 &&
      get(f, user.devices.h24) >= 2 &&
      !looksKnown(f),
    describe: (f) => `${withThis(f, user.devices.h24, user.thisDevice)} devices of one user in 24 hours`,
  },
  {
    name: 'shared_device',
    meaning: 'The device was used by four users or more in 30 days.',
    on: 'both',
    active: (f) => get(f, device.users.d30) >= 4,
    describe: (f) => `${get(f, device.users.d30)} users on this device in 30 days`,
  },
  {
    name: 'device_many_users',
    meaning: 'A third user, or more, on one device within an hour.',
    on: 'both',
    active: (f) => withThis(f, device.users.h1, user.thisDevice) >= 3,
    describe: (f) => `${withThis(f, device.users.h1, user.thisDevice)} users on one device in an hour`,
  },
  {
    name: 'device_velocity',
    meaning: 'An eighth payment from one device within an hour.',
    on: 'transaction',
    active: (f) => get(f, device.transactions.h1) >= 7,
    describe: (f) => `The ${ordinal(get(f, device.transactions.h1) + 1)} payment from this device in an hour`,
  },
  {
    name: 'shared_email',
    meaning: 'The e-mail address was used by two users or more in 30 days.',
    on: 'both',
    active: (f) => get(f, email.users.d30) >= 2,
    describe: (f) => `${get(f, email.users.d30)} users with this e-mail address in 30 days`,
  },
];
