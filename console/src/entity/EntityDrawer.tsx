import type { Entity, Knowledge } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { WhereMap } from '../map/WhereMap.tsx';
import { Card } from '../parts/Card.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Drawer } from '../parts/Drawer.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatCountry, formatDay, formatUsd, plural } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Ago, Time } from '../parts/Time.tsx';
import { userPath } from '../users/path.ts';
import { ENTITY_FILTERS, type EntityKind, entityItemsPath } from './path.ts';
import './entity.css';

const ICONS: Readonly<Record<EntityKind, IconName>> = {
  user: 'user',
  device: 'device',
  ip_address: 'ip_address',
  network: 'ip_address',
  email: 'email',
  email_domain: 'email',
  payment_fingerprint: 'card',
  counterparty: 'counterparty',
};
const WORDS: Readonly<Record<EntityKind, string>> = {
  user: 'User',
  device: 'Device',
  ip_address: 'IP address',
  network: 'Network',
  email: 'E-mail address',
  email_domain: 'E-mail domain',
  payment_fingerprint: 'Card, account or wallet',
  counterparty: 'Counterparty',
};

const Figure = ({ name, children, isBad = false }: { name: string; children: ReactNode; isBad?: boolean }) => (
  <div>
    <dt>{name}</dt>
    <dd className={isBad ? 'num is-bad' : 'num'}>{children}</dd>
  </div>
);

const Figures = ({ entity }: { entity: Entity }) => {
  const { items, users, by_decision, amount_usd, confirmed_fraud, first_seen_at, last_seen_at } = entity;
  return (
    <dl className="figures">
      <Figure name="Users">{formatCount(users)}</Figure>
      <Figure name="Items">{formatCount(items)}</Figure>
      <Figure name="Payments">{formatUsd(amount_usd)}</Figure>
      <Figure name="Confirmed fraud" isBad={confirmed_fraud > 0}>
        {formatCount(confirmed_fraud)}
      </Figure>
      <Figure name="Held">{formatCount(by_decision.review)}</Figure>
      <Figure name="Blocked">{formatCount(by_decision.block)}</Figure>
      <Figure name="First seen">{first_seen_at === null ? '–' : <Time at={first_seen_at} as={formatDay} />}</Figure>
      <Figure name="Last seen">
        {last_seen_at === null ? (
          '–'
        ) : (
          <>
            <Ago at={last_seen_at} /> ago
          </>
        )}
      </Figure>
    </dl>
  );
};

/** What was looked up, in words. */
const factsOf = (known: Knowledge): readonly { text: string; isBad: boolean }[] => {
  const facts: readonly (readonly [boolean | null, string, boolean])[] = [
    [known.hosting, 'hosting provider', true],
    [known.vpn, 'VPN', true],
    [known.proxy, 'proxy', true],
    [known.tor, 'Tor exit', true],
    [known.reserved, 'reserved address', true],
    [known.email_disposable, 'disposable addresses', true],
    [known.email_free, 'free provider', false],
  ];
  return facts.flatMap(([isOn, text, isBad]) => (isOn === true ? [{ text, isBad }] : []));
};
const Known = ({ known }: { known: Knowledge }) => {
  const facts = factsOf(known);
  if (known.country === null && known.asn === null && facts.length === 0) return null;
  return (
    <Card title="Lookup">
      <p className="chips">
        {known.country !== null && <span className="badge badge-plain">{formatCountry(known.country)}</span>}
        {known.asn !== null && <span className="badge badge-plain">AS{known.asn}</span>}
        {facts.map(({ text, isBad }) => (
          <span key={text} className={`badge ${isBad ? 'badge-review' : 'badge-plain'}`}>
            {text}
          </span>
        ))}
      </p>
      {known.place !== null && known.country !== null && (
        <WhereMap
          countries={[]}
          here={{ ...known.place, label: formatCountry(known.country) }}
          label={`Map of ${formatCountry(known.country)}`}
        />
      )}
    </Card>
  );
};

const Listed = ({ lists }: { lists: Entity['lists'] }) => (
  <Card title="On lists">
    {lists.length === 0 ? (
      <p className="dim">Not on any list.</p>
    ) : (
      <ul className="entity-lists">
        {lists.map(({ list_id, entry_id, treatment, reason, author, expires_at }) => (
          <li key={entry_id}>
            <span
              className={`badge badge-${{ block: 'block', review: 'review', trusted: 'allow', none: 'plain' }[treatment]}`}
            >
              {list_id}
            </span>
            <span>
              {reason ?? 'No reason'} <span className="dim">by {author}</span>
              <span className="dim"> · {expires_at === null ? 'no end date' : `until ${formatDay(expires_at)}`}</span>
            </span>
          </li>
        ))}
      </ul>
    )}
  </Card>
);

const MOST_USERS = 12;
/** Who used it, with the most items first. */
const Users = ({ entity: { kind, value, users } }: { entity: Entity }) => {
  const client = useClient();
  const environment = useEnvironment();
  const groups = useQuery({
    queryKey: [environment, 'entity-users', kind, value],
    queryFn: ({ signal }) =>
      client.screenings.group({ [ENTITY_FILTERS[kind]]: value, by: 'user_id', limit: MOST_USERS }, { signal }),
    staleTime: 60_000,
    retry: false,
  });
  return (
    <Card title="Users" note={users > MOST_USERS ? `${MOST_USERS} of ${formatCount(users)}` : undefined}>
      {groups.data === undefined ? (
        groups.isError ? (
          <Failed error={groups.error} retry={() => void groups.refetch()} />
        ) : (
          <Skeleton rows={3} />
        )
      ) : (
        <ul className="entity-users">
          {groups.data.groups.map(({ value: user, items, fraud }) =>
            user === null ? null : (
              <li key={user}>
                <Link href={userPath(user)} className="mono cut">
                  {user}
                </Link>
                {fraud > 0 && <span className="badge badge-block">{plural(fraud, 'fraud')}</span>}
                <span className="dim num">{plural(items, 'item')}</span>
              </li>
            ),
          )}
        </ul>
      )}
    </Card>
  );
};

interface Props {
  readonly kind: EntityKind;
  readonly value: string;
  readonly close: () => void;
}
/** A device, address, e-mail address, card or counterparty in figures. */
export default function EntityDrawer({ kind, value, close }: Props) {
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'entity', kind, value],
    queryFn: ({ signal }) => client.links.getEntity(kind, value, { signal }),
    staleTime: 30_000,
    retry: false,
  });
  const entity = query.data;
  return (
    <Drawer label={`${WORDS[kind]} ${value}`} close={close} takesFocus>
      <div className="drawer-head">
        <span className="entity-mark">
          <Icon name={ICONS[kind]} size={22} />
        </span>
        <div>
          <div className="dim">{WORDS[kind]}</div>
          <h2 className="entity-value">
            <Copy value={value} />
          </h2>
        </div>
      </div>
      {entity === undefined ? (
        query.isError ? (
          <Failed error={query.error} gone="Nothing was found for this value." />
        ) : (
          <Skeleton rows={8} height={26} />
        )
      ) : (
        <>
          <div className="drawer-actions">
            <Link href={entityItemsPath(kind, value) ?? '/explorer'} className="button is-primary">
              <Icon name="explorer" size={17} />
              {plural(entity.items, 'item')}
            </Link>
          </div>
          <Figures entity={entity} />
          {kind !== 'user' && entity.users > 0 && <Users entity={entity} />}
          {entity.knowledge !== null && <Known known={entity.knowledge} />}
          <Listed lists={entity.lists} />
        </>
      )}
    </Drawer>
  );
}
