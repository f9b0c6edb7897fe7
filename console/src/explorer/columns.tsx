import type { Screening } from '@portcullis/client';
import { Link } from 'wouter';
import { DecisionBadge } from '../parts/Badge.tsx';
import { formatCountry, formatMoney, formatName, formatUsd } from '../parts/format.ts';
import { Time } from '../parts/Time.tsx';
import type { Column } from '../parts/VirtualTable.tsx';
import { userPath } from '../users/path.ts';
import type { ColumnId } from './column-ids.ts';
import { formatMoment } from './moment.ts';

/** What happened, in a few words. */
export const whatIs = ({ amount, currency, event_type, outcome }: Screening): string => {
  if (amount !== null && currency !== null) return formatMoney(amount, currency);
  const name = formatName(event_type ?? 'event');
  return outcome === 'failed' ? `${name}, failed` : name;
};

export const LabelBadge = ({ label }: { label: Screening['label'] }) =>
  label === null ? null : (
    <span className={`badge ${label === 'fraud' ? 'badge-block' : 'badge-allow'}`}>{formatName(label)}</span>
  );

const Signals = ({ signals }: { signals: readonly string[] }) => (
  <span className="dim" title={signals.join(', ')}>
    {signals.map((signal) => signal.replaceAll('_', ' ')).join(' · ')}
  </span>
);

const SHOWN: Readonly<Record<ColumnId, Omit<Column<Screening>, 'id'>>> = {
  time: {
    title: 'Time',
    width: '132px',
    show: ({ screened_at }) => (
      <span className="dim num">
        <Time at={screened_at} as={formatMoment} />
      </span>
    ),
  },
  decision: {
    title: 'Decision',
    width: '104px',
    show: ({ risk_score, decision }) => (
      <DecisionBadge decision={decision}>
        {risk_score} {decision}
      </DecisionBadge>
    ),
  },
  what: {
    title: 'Item',
    width: 'minmax(110px, 150px)',
    show: (row) => (
      <Link href={`/decisions/${row.decision_id}`} className="num">
        {whatIs(row)}
      </Link>
    ),
  },
  usd: {
    title: 'US dollars',
    width: '104px',
    isEnd: true,
    show: ({ amount_usd }) => (amount_usd === null ? '' : formatUsd(amount_usd)),
  },
  user: {
    title: 'User',
    width: 'minmax(110px, 170px)',
    show: ({ user_id }) => (
      <Link href={userPath(user_id)} className="mono" title={user_id}>
        {user_id}
      </Link>
    ),
  },
  country: {
    title: 'From',
    width: '48px',
    show: ({ country }) => <span title={country === null ? undefined : formatCountry(country)}>{country}</span>,
  },
  signals: {
    title: 'Signals',
    width: 'minmax(160px, 1fr)',
    show: ({ signals }) => <Signals signals={signals} />,
  },
  label: { title: 'Label', width: '92px', show: ({ label }) => <LabelBadge label={label} /> },
  automated: {
    title: 'Automated',
    width: '116px',
    show: ({ automated_decision }) => <DecisionBadge decision={automated_decision} />,
  },
  outcome: {
    title: 'Outcome',
    width: '96px',
    show: ({ outcome }) => (outcome === null ? '' : formatName(outcome)),
  },
  case: {
    title: 'Case',
    width: '64px',
    show: ({ case_id }) => case_id !== null && <Link href={`/cases/${case_id}`}>Case</Link>,
  },
  id: {
    title: 'Id',
    width: 'minmax(120px, 260px)',
    show: ({ subject_id }) => <span className="mono dim">{subject_id}</span>,
  },
};
export const titleOf = (id: ColumnId): string => SHOWN[id].title;
export const columnsOf = (ids: readonly ColumnId[]): readonly Column<Screening>[] => {
  const columns = ids.map((id) => ({ id, ...SHOWN[id] }));
  // Without a column that stretches, the table would end in the middle of the page.
  return ids.includes('signals')
    ? columns
    : columns.map((one, at) => (at < columns.length - 1 ? one : { ...one, width: 'minmax(120px, 1fr)' }));
};

/** A row of a narrow screen. */
export const cardOf = (row: Screening) => (
  <>
    <span role="gridcell">
      <Link href={`/decisions/${row.decision_id}`} className="num">
        {whatIs(row)}
      </Link>
    </span>
    <span role="gridcell">
      <DecisionBadge decision={row.decision}>
        {row.risk_score} {row.decision}
      </DecisionBadge>
    </span>
    <span role="gridcell" className="mono">
      {row.user_id}
    </span>
    <span role="gridcell" className="dim num">
      <Time at={row.screened_at} as={formatMoment} />
    </span>
  </>
);
