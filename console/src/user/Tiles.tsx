import type { RiskProfile } from '@portcullis/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { explorerPath } from '../explorer/path.ts';
import { formatCount, formatMoney, formatUsd, plural } from '../parts/format.ts';

const Tile = ({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) => (
  <div className="card tile">
    <div className="tile-name">{name}</div>
    <div className="tile-value num">{children}</div>
    <div className="tile-note cut">{note}</div>
  </div>
);

const amountsOf = (totals: Readonly<Record<string, number>>): string =>
  Object.entries(totals)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 2)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ');

/** The user in figures. */
export const Tiles = ({ profile, onCases }: { profile: RiskProfile; onCases: () => void }) => {
  const { user_id, transactions, events, cases, confirmed_fraud, velocity } = profile;
  const itemsOf = (type: 'transaction' | 'event'): string =>
    explorerPath({ type, terms: [`user_id:${user_id}`], range: '90d' });
  const held = (transactions.by_decision.review ?? 0) + (transactions.by_decision.block ?? 0);
  return (
    <div className="tiles">
      <Tile name="Payments" note={amountsOf(transactions.total_by_currency)}>
        <Link href={itemsOf('transaction')}>{formatCount(transactions.count)}</Link>
      </Tile>
      <Tile name="Held or blocked" note={`of ${plural(transactions.count, 'payment')}`}>
        {formatCount(held)}
      </Tile>
      <Tile name="Payments in 24 hours" note={formatUsd(velocity['24h'].amount)}>
        {formatCount(velocity['24h'].count)}
      </Tile>
      <Tile name="Events" note={plural(events.by_type.login ?? 0, 'login')}>
        <Link href={itemsOf('event')}>{formatCount(events.count)}</Link>
      </Tile>
      <Tile name="Cases" note={`${formatCount(cases.by_status.open ?? 0)} open`}>
        <button type="button" className="tile-button" onClick={onCases}>
          {formatCount(cases.count)}
        </button>
      </Tile>
      <Tile name="Confirmed fraud" note={confirmed_fraud === 0 ? 'none' : 'by labels'}>
        <span className={confirmed_fraud > 0 ? 'is-bad' : ''}>{formatCount(confirmed_fraud)}</span>
      </Tile>
    </div>
  );
};
