import type { SearchHit, UserSummary } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { ENTITY_FILTERS, entityItemsPath, isEntityKind } from '../entity/path.ts';
import { formatMoment } from '../explorer/moment.ts';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatName, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { userPath } from './path.ts';

/** The users of a value, such as a device. */
const UsersOf = ({ hit: { kind, id } }: { hit: SearchHit }) => {
  const client = useClient();
  const environment = useEnvironment();
  const filter = isEntityKind(kind) ? ENTITY_FILTERS[kind] : undefined;
  const groups = useQuery({
    queryKey: [environment, 'entity-users', kind, id],
    queryFn: ({ signal }) => client.screenings.group({ [filter ?? '']: id, by: 'user_id', limit: 12 }, { signal }),
    enabled: filter !== undefined,
    staleTime: 60_000,
    retry: false,
  });
  if (groups.data === undefined) return null;
  return groups.data.groups.map(({ value, items }) =>
    value === null ? null : (
      <Link key={value} href={userPath(value)} className="found-user">
        <span className="mono cut">{value}</span>
        <span className="dim num">{plural(items, 'item')}</span>
      </Link>
    ),
  );
};

const Hit = ({ hit }: { hit: SearchHit }) => {
  const { kind, id, items, last_seen_at } = hit;
  const href =
    kind === 'user'
      ? userPath(id)
      : kind === 'case' || kind === 'decision'
        ? `/${kind}s/${encodeURIComponent(id)}`
        : (entityItemsPath(kind, id) ?? `/explorer?range=90d&row=${encodeURIComponent(id)}`);
  return (
    <li>
      <Link href={href} className="found-what">
        <strong className="mono">{id}</strong>
      </Link>
      <span className="dim">
        {formatName(kind)} · {plural(items, 'item')} · last seen <Time at={last_seen_at} as={formatMoment} />
      </span>
      {kind !== 'user' && isEntityKind(kind) && (
        <span className="found-users">
          <UsersOf hit={hit} />
        </span>
      )}
    </li>
  );
};

/** As many ids as one looks through. With more, another letter finds the user sooner. */
const MOST = 10;
/** No id is longer. */
const MAX_ID = 255;

const useStarts = (q: string) => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'users-by-id', q],
    queryFn: ({ signal }) => client.users.list({ q, limit: MOST }, { signal }),
    enabled: q.length <= MAX_ID,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
};

const UserLine = ({ user: { user_id, items, last_seen_at } }: { user: UserSummary }) => (
  <li>
    <Link href={userPath(user_id)} className="found-what">
      <strong className="mono">{user_id}</strong>
    </Link>
    <span className="dim">
      User · {plural(items, 'item')} · last seen <Time at={last_seen_at} as={formatMoment} />
    </span>
  </li>
);

/** Users whose id begins with the text, and everything else that the text may be as a whole. */
export const Found = ({ text }: { text: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const mayReadPersonal = useMay('read_personal');
  const q = useDeferredValue(text);
  const search = useQuery({
    queryKey: [environment, 'search', q],
    queryFn: ({ signal }) => client.screenings.search({ q }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  const starts = useStarts(q);
  const users = q.length <= MAX_ID ? (starts.data?.users ?? []) : [];
  if (search.isError) return <Failed error={search.error} retry={() => void search.refetch()} />;
  if (starts.isError) return <Failed error={starts.error} retry={() => void starts.refetch()} />;
  if (search.data === undefined || starts.isLoading) return <Skeleton rows={2} />;
  const hits = search.data.hits.filter(({ kind, id }) => kind !== 'user' || !users.some((user) => user.user_id === id));
  if (hits.length + users.length === 0)
    return (
      <EmptyState icon="search" title="Nothing was found">
        Enter the start of a user id, as it was sent
        {mayReadPersonal ? ', or a complete e-mail address, card, device or IP address.' : '.'}
      </EmptyState>
    );
  return (
    <ul className="found">
      {hits.map((hit) => (
        <Hit key={`${hit.kind}${hit.id}`} hit={hit} />
      ))}
      {users.map((user) => (
        <UserLine key={user.user_id} user={user} />
      ))}
      {users.length > 0 && starts.data?.has_more === true && (
        <li className="dim">More user ids begin with this. Type more of the id to see them.</li>
      )}
    </ul>
  );
};
