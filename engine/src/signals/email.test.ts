import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, HOUR, pay, times } from '../../test/subjects.ts';
import { identifyOffline } from '../subject/identity.ts';
import { UNAVAILABLE } from '../subject/lookup-facts.ts';
import { eventSubject } from '../subject/subject.ts';
import { EMAIL_DOMAIN_SIGNALS, EMAIL_SIGNALS } from './email.ts';

const someone = (i: number) => ({ user_id: `user_${i}` });
const joins = (count: number, domain: string, extra: object) =>
  times(count, (i) => act(i * HOUR, 'signup', { email: `${i}@${domain}`, ...someone(i) }, extra));
const COMPANY = { email_free: 0 };

checkSignals([...EMAIL_SIGNALS, ...EMAIL_DOMAIN_SIGNALS], {
  shared_email: {
    active: {
      'an e-mail address of two users, in either case': times(3, (i) =>
        act(i * DAY, 'login', { email: i === 1 ? 'ADA@example.com' : 'ada@example.com', ...someone(i) }),
      ),
    },
    descriptions: ['2 users with this mailbox in the last 30 days'],
    near: {
      'an e-mail address of one user': times(3, (i) =>
        act(i * DAY, 'login', { email: 'ada@example.com', ...someone(0) }),
      ),
      'no e-mail address': [
        ...times(2, (i) => act(i * DAY, 'login', { email: 'ada@example.com', ...someone(i) })),
        act(3 * DAY, 'login'),
      ],
    },
  },
  disposable_email: {
    active: { 'a disposable address': [act(0, 'signup', { email: 'a@b.example' }, { email_disposable: 1 })] },
    descriptions: ['Disposable e-mail address'],
    near: {
      'an ordinary address': [act(0, 'signup', { email: 'a@b.example' }, { email_disposable: 0 })],
      'an unavailable list of disposable domains': [
        act(0, 'signup', { email: 'a@b.example' }, { email_disposable: UNAVAILABLE }),
      ],
      'no e-mail address': [act(0, 'signup')],
    },
  },
  fresh_email_domain: {
    active: {
      'a fourth signup with a domain first seen today': joins(4, 'fresh.example', COMPANY),
      'a fourth signup by one user': joins(4, 'fresh.example', COMPANY).map(({ request, at, knowledge }) =>
        eventSubject(identifyOffline, { ...request, user_id: 'u' }, at, knowledge),
      ),
      'a fourth user with a domain first seen today': times(4, (i) =>
        pay(i * HOUR, { email: `${i}@fresh.example`, ...someone(i) }, COMPANY),
      ),
    },
    descriptions: [
      'E-mail domain first seen 3 hours ago, with 3 users and 3 signups since',
      'E-mail domain first seen 3 hours ago, with 1 user and 3 signups since',
      'E-mail domain first seen 3 hours ago, with 3 users since',
    ],
    near: {
      'a third signup': joins(3, 'fresh.example', COMPANY),
      'a free mail provider': joins(4, 'free.example', { email_free: 1 }),
      'an unavailable list of free mail providers': joins(4, 'free.example', { email_free: UNAVAILABLE }),
      'a domain known for a day': [
        pay(-DAY, { email: 'x@fresh.example', ...someone(9) }, COMPANY),
        ...joins(4, 'fresh.example', COMPANY).slice(1),
      ],
      'four domains': times(4, (i) => act(i, 'signup', { email: `a@fresh${i}.example`, ...someone(i) }, COMPANY)),
    },
  },
});
