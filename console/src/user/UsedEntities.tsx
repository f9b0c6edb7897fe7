import type { RiskProfile, Usual } from '@portcullis/client';
import { EntityLink } from '../entity/EntityLink.tsx';
import type { EntityKind } from '../entity/path.ts';
import { Card } from '../parts/Card.tsx';
import { formatCount, formatDay, plural } from '../parts/format.ts';
import { Ago, Time } from '../parts/Time.tsx';
import '../parts/table.css';

interface Row {
  readonly value: string;
  readonly items: number;
  readonly first: string | undefined;
  readonly last: string;
}
interface Props {
  readonly title: string;
  readonly kind: EntityKind;
  readonly rows: readonly Row[];
}

const Values = ({ title, kind, rows }: Props) => {
  const hasFirst = rows.some(({ first }) => first !== undefined);
  return (
    <Card title={title} note={rows.length === 0 ? undefined : plural(rows.length, 'value')}>
      {rows.length === 0 ? (
        <p className="dim">None.</p>
      ) : (
        <div className="table-box">
          <table className="table used">
            <thead>
              <tr>
                <th scope="col">Value</th>
                <th scope="col" className="end">
                  Items
                </th>
                {hasFirst && (
                  <th scope="col" className="end used-first">
                    First seen
                  </th>
                )}
                <th scope="col" className="end">
                  Last seen
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ value, items, first, last }) => (
                <tr key={value}>
                  <td>
                    <EntityLink kind={kind} value={value} />
                  </td>
                  <td className="end num">{formatCount(items)}</td>
                  {hasFirst && (
                    <td className="end dim num used-first">
                      {first !== undefined && <Time at={first} as={formatDay} />}
                    </td>
                  )}
                  <td className="end dim num">
                    <Ago at={last} /> ago
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
};

const ranked = (all: Usual['devices'] | undefined): readonly Row[] =>
  (all ?? []).map(({ value, items, last_seen_at }) => ({ value, items, first: undefined, last: last_seen_at }));

/** Everything that the user used. Each value opens beside the page. */
export const UsedEntities = ({ profile, usual }: { profile: RiskProfile; usual: Usual | undefined }) => (
  <div className="case-column">
    <Values
      title="Devices"
      kind="device"
      rows={profile.devices.map(({ device_token, count, first_seen_at, last_seen_at }) => ({
        value: device_token,
        items: count,
        first: first_seen_at,
        last: last_seen_at,
      }))}
    />
    <Values
      title="IP addresses"
      kind="ip_address"
      rows={profile.ip_addresses.map(({ ip_address, count, first_seen_at, last_seen_at }) => ({
        value: ip_address,
        items: count,
        first: first_seen_at,
        last: last_seen_at,
      }))}
    />
    <Values title="Networks" kind="network" rows={ranked(usual?.networks)} />
    <Values title="Cards, accounts and wallets" kind="payment_fingerprint" rows={ranked(usual?.payment_fingerprints)} />
    <Values title="Counterparties" kind="counterparty" rows={ranked(usual?.counterparties)} />
  </div>
);
