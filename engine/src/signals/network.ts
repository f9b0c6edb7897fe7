import { ordinal } from '../words.ts';
import {
  countWithThis,
  describeFirst,
  describeOthers,
  doubtInNetwork,
  get,
  hasField,
  isBurst,
  isNewNetwork,
} from './conditions.ts';
import { ip, network, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

/** Patterns in the use of IP addresses and networks. Signals of their country and type are in `origin.ts`. */
export const NETWORK_SIGNALS: readonly Signal[] = [
  {
    name: 'ip_mismatch',
    meaning:
      'The IP address is in a network new to this user, who has been known for a day or more. It stays new until use on three days, or a payment two days ago, has earned trust. Not raised for users who come from a new network in nine of ten actions, or who had more than six others in 30 days, one for every five visits, or who were in none of their networks for five months.',
    on: 'both',
    theme: 'place',
    topics: ['user.network'],
    active: isNewNetwork,
    grade: doubtInNetwork,
    describe: (f) =>
      `${describeFirst(f, user.thisNetwork, 'activity', 'from this network')}, ${describeOthers(f, user.thisNetwork, user.networks, 'network')}`,
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
];
