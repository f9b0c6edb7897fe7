import type { UserSummary } from '@portcullis/client';
import { Link } from 'wouter';
import { DecisionBadge } from '../parts/Badge.tsx';
import { formatCount, formatDay, formatUsd, plural } from '../parts/format.ts';
import { Ago, Time } from '../parts/Time.tsx';
import type { Column } from '../parts/VirtualTable.tsx';
import { userPath } from './path.ts';

/** Figures are of the newest 1,000 items. */
const MOST_ITEMS = 1000;
const count = (items: number): string => (items === 0 ? '' : formatCount(items));
const itemsOf = (items: number): string => (items >= MOST_ITEMS ? `${formatCount(MOST_ITEMS)}+` : formatCount(items));

const Newest = ({ user: { risk_score, decision } }: { user: UserSummary }) => (
  <DecisionBadge decision={decision}>
    {risk_score} {decision}
  </DecisionBadge>
);
const Frauds = ({ fraud }: { fraud: number }) =>
  fraud === 0 ? null : <span className="badge badge-block">{formatCount(fraud)}</span>;

export const COLUMNS: readonly Column<UserSummary>[] = [
  {
    id: 'user',
    title: 'User',
    width: 'minmax(150px, 1fr)',
    show: ({ user_id }) => (
      <Link href={userPath(user_id)} className="mono" title={user_id}>
        {user_id}
      </Link>
    ),
  },
  { id: 'newest', title: 'Newest decision', width: '128px', show: (user) => <Newest user={user} /> },
  {
    id: 'last',
    title: 'Last seen',
    width: '116px',
    show: ({ last_seen_at }) => (
      <span className="dim">
        <Ago at={last_seen_at} /> ago
      </span>
    ),
  },
  {
    id: 'first',
    title: 'First seen',
    width: '100px',
    show: ({ first_seen_at }) => (
      <span className="dim">
        <Time at={first_seen_at} as={formatDay} />
      </span>
    ),
  },
  { id: 'items', title: 'Items', width: '76px', isEnd: true, show: ({ items }) => itemsOf(items) },
  {
    id: 'usd',
    title: 'Payments',
    width: '104px',
    isEnd: true,
    show: ({ amount_usd }) => (amount_usd === 0 ? '' : formatUsd(amount_usd)),
  },
  { id: 'review', title: 'Held', width: '62px', isEnd: true, show: ({ review }) => count(review) },
  { id: 'block', title: 'Blocked', width: '76px', isEnd: true, show: ({ block }) => count(block) },
  { id: 'fraud', title: 'Fraud', width: '66px', isEnd: true, show: ({ fraud }) => <Frauds fraud={fraud} /> },
];

/** A row of a narrow screen. */
export const cardOf = (user: UserSummary) => (
  <>
    <span role="gridcell">
      <Link href={userPath(user.user_id)} className="mono">
        {user.user_id}
      </Link>
    </span>
    <span role="gridcell">
      <Newest user={user} />
    </span>
    <span role="gridcell" className="dim">
      {plural(user.items, 'item')}
      {user.fraud > 0 && `, ${plural(user.fraud, 'fraud')}`}
    </span>
    <span role="gridcell" className="dim">
      <Ago at={user.last_seen_at} /> ago
    </span>
  </>
);
