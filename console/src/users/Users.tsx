import type { SearchHit, UserSummary } from '@portcullis/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { ENTITY_FILTERS, entityItemsPath, isEntityKind } from '../entity/path.ts';
import { formatMoment } from '../explorer/moment.ts';
import { Button } from '../parts/Button.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { formatName, plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Bones, Failed, State } from '../parts/State.tsx';
import { Time } from '../parts/Time.tsx';
import { useAddressQuery } from '../parts/use-address.ts';
import { VirtualTable } from '../parts/VirtualTable.tsx';
import { useKeys } from '../shell/keys.ts';
import { COLUMNS, cardOf } from './columns.tsx';
import { queryOf, readChosen, readTerms, suggestTerms, writeChosen } from './filters.ts';
import { userPath } from './path.ts';
import './users.css';

const PAGE = 50;

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

/** Everything that a whole value may be. */
const Found = ({ text }: { text: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const mayReadPersonal = useMay('read_personal');
  const q = useDeferredValue(text);
  const search = useQuery({
    queryKey: [environment, 'search', q],
    queryFn: ({ signal }) => client.screenings.search({ q }, { signal }),
    staleTime: 30_000,
    retry: false,
  });
  if (search.isError) return <Failed error={search.error} />;
  if (search.data === undefined) return <Bones rows={2} />;
  if (search.data.hits.length === 0)
    return (
      <State icon="search" title="Nothing is known by this">
        Whole values are found, not parts of them: a user id
        {mayReadPersonal ? ', an e-mail address, a card, a device or an IP address.' : '.'}
      </State>
    );
  return (
    <ul className="found">
      {search.data.hits.map((hit) => (
        <Hit key={`${hit.kind}${hit.id}`} hit={hit} />
      ))}
    </ul>
  );
};

const useUsers = (query: ReturnType<typeof queryOf>) => {
  const client = useClient();
  const environment = useEnvironment();
  const list = useInfiniteQuery({
    queryKey: [environment, 'users', query],
    queryFn: ({ pageParam, signal }) =>
      client.users.list({ ...query, limit: PAGE, ...(pageParam !== '' && { before: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const rows = useMemo(() => (list.data?.pages ?? []).flatMap(({ users }) => users), [list.data]);
  const lookedBackTo = list.hasNextPage ? list.data?.pages.at(-1)?.looked_back_to : null;
  return { ...list, rows, lookedBackTo };
};
const keyOf = ({ user_id }: UserSummary): string => user_id;

/** Who is it? Users by their newest activity, or by anything that they used. */
export default function Users() {
  const [, go] = useLocation();
  const chosen = readChosen(useAddressQuery());
  const query = queryOf(chosen);
  const list = useUsers(query);
  const { rows } = list;
  const [cursor, setCursor] = useState(0);
  const at = Math.min(cursor, rows.length - 1);
  const findRef = useRef<HTMLInputElement>(null);
  const filterRef = useRef<HTMLInputElement>(null);
  const change = (next: Partial<typeof chosen>): void =>
    go(`/users${writeChosen({ ...chosen, ...next })}`, { replace: true });
  useEffect(() => {
    document.title = 'Users · Portcullis';
  }, []);
  const open = (index: number): void => {
    const user = rows[index];
    if (user !== undefined) go(userPath(user.user_id));
  };
  useKeys('Users', [
    { keys: 'j', label: 'Next row', run: () => setCursor(Math.min(at + 1, rows.length - 1)) },
    { keys: 'k', label: 'Row before', run: () => setCursor(Math.max(0, at - 1)) },
    { keys: 'Enter', label: 'Open', run: () => open(at) },
    { keys: '/', label: 'Find', run: () => findRef.current?.focus() },
    { keys: 'f', label: 'Filter', run: () => filterRef.current?.focus() },
  ]);
  return (
    <div className="users">
      <div className="page-head">
        <h1>Users</h1>
        <label className="find">
          <Icon name="search" size={17} />
          <span className="unseen">Find</span>
          <input
            ref={findRef}
            type="search"
            value={chosen.find}
            placeholder="A user id, e-mail address, card, device or IP address"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change({ find: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </label>
      </div>
      {chosen.find.trim().length > 1 && (
        <section className="card found-card" aria-label="Found">
          <Found text={chosen.find.trim()} />
        </section>
      )}
      <FilterBar
        terms={chosen.terms}
        onChange={(terms) => change({ terms })}
        inputRef={filterRef}
        read={readTerms}
        suggest={suggestTerms}
        placeholder="Filter: label:fraud  score>60  country:NG  signal:new_device"
        example="label:fraud"
      />
      <div className="card users-card">
        {list.isError && rows.length === 0 ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <div style={{ padding: 20 }}>
            <Bones rows={10} height={24} />
          </div>
        ) : rows.length === 0 && !list.hasNextPage ? (
          chosen.terms.length === 0 ? (
            <State icon="user" title="No users yet">
              Users appear here with their first payment or event.
            </State>
          ) : (
            <State
              icon="filter"
              title="No user matches"
              more={<Button onClick={() => change({ terms: [] })}>Clear the filters</Button>}
            >
              {chosen.terms.join('  ')}
            </State>
          )
        ) : (
          <VirtualTable
            name="Users"
            rows={rows}
            columns={COLUMNS}
            card={cardOf}
            keyOf={keyOf}
            at={at}
            onAt={(index) => {
              setCursor(index);
              open(index);
            }}
            onEnd={() => {
              if (list.hasNextPage && !list.isFetchingNextPage && list.lookedBackTo === null) void list.fetchNextPage();
            }}
            foot={
              list.lookedBackTo == null ? (
                list.hasNextPage ? (
                  ''
                ) : (
                  plural(rows.length, 'user')
                )
              ) : (
                <>
                  Looked back to <Time at={list.lookedBackTo} as={formatMoment} />.{' '}
                  <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                    Go on
                  </Button>
                </>
              )
            }
            address={`users${JSON.stringify(query)}`}
          />
        )}
      </div>
    </div>
  );
}
