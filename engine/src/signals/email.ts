import type { Facts } from '../history/facts.ts';
import { duration, plural } from '../words.ts';
import { DAY_MS, get, isNo, isYes } from './conditions.ts';
import { domain, email, known } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const sinceThen = (f: Facts): string => {
  const [users, signups] = [get(f, domain.users.h24), get(f, domain.signups.h24)];
  return signups > 0 ? `${plural(users, 'user')} and ${plural(signups, 'signup')}` : plural(users, 'user');
};

/** Patterns in the use of an e-mail address. */
export const EMAIL_SIGNALS: readonly Signal[] = [
  {
    name: 'shared_email',
    meaning: 'Two or more users used the mailbox of the e-mail address, in any spelling, in the last 30 days.',
    on: 'both',
    theme: 'links',
    topics: ['email.distinct_user'],
    active: (f) => get(f, email.users.d30) >= 2,
    describe: (f) => `${get(f, email.users.d30)} users with this mailbox in the last 30 days`,
    brief: (f) => `mailbox of ${get(f, email.users.d30)} users`,
  },
];

/** What the domain of the e-mail address tells about the account. */
export const EMAIL_DOMAIN_SIGNALS: readonly Signal[] = [
  {
    name: 'disposable_email',
    meaning: 'The e-mail address belongs to a provider of disposable addresses.',
    on: 'both',
    theme: 'account',
    topics: ['email_disposable'],
    active: (f) => isYes(f, known.disposable),
    describe: () => 'Disposable e-mail address',
    brief: () => 'disposable e-mail address',
  },
  {
    name: 'fresh_email_domain',
    meaning:
      'The e-mail domain was first seen less than a day ago, had three or more users or signups since, and is not a free mail provider.',
    on: 'both',
    theme: 'links',
    topics: ['domain.age', 'domain.signups', 'domain.distinct_user'],
    // If the list of free mail providers is unavailable, the largest of them would look fresh to a new installation.
    active: (f) =>
      isNo(f, known.free) &&
      get(f, domain.age) < DAY_MS &&
      (get(f, domain.users.h24) >= 3 || get(f, domain.signups.h24) >= 3),
    describe: (f) => `E-mail domain first seen ${duration(get(f, domain.age))} ago, with ${sinceThen(f)} since`,
    brief: (f) => `e-mail domain first seen ${duration(get(f, domain.age))} ago`,
  },
];
