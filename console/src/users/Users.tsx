import type { UserSummary } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { formatMoment } from '../explorer/moment.ts';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useAddressQuery } from '../parts/use-address.ts';
import { VirtualTable } from '../parts/VirtualTable.tsx';
import { useKeys } from '../shell/keys.ts';
import { COLUMNS, cardOf } from './columns.tsx';
import { Found } from './Found.tsx';
import { queryOf, readTerms, readUrlState, suggestTerms, writeUrlState } from './filters.ts';
import { userPath } from './path.ts';
import './users.css';

const PAGE = 50;

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
  const urlState = readUrlState(useAddressQuery());
  const query = queryOf(urlState);
  const list = useUsers(query);
  const { rows } = list;
  const [cursor, setCursor] = useState(0);
  const at = Math.min(cursor, rows.length - 1);
  const findRef = useRef<HTMLInputElement>(null);
  const filterRef = useRef<HTMLInputElement>(null);
  const change = (next: Partial<typeof urlState>): void =>
    go(`/users${writeUrlState({ ...urlState, ...next })}`, { replace: true });
  useEffect(() => {
    document.title = 'Users · Portcullis';
  }, []);
  const open = (index: number): void => {
    const user = rows[index];
    if (user !== undefined) go(userPath(user.user_id));
  };
  useKeys('Users', [
    { keys: 'j', label: 'Next row', run: () => setCursor(Math.min(at + 1, rows.length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => setCursor(Math.max(0, at - 1)) },
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
            value={urlState.find}
            placeholder="The start of a user id, or an e-mail address, card, device or IP address"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change({ find: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </label>
      </div>
      {urlState.find.trim().length > 1 && (
        <section className="card found-card" aria-label="Found">
          <Found text={urlState.find.trim()} />
        </section>
      )}
      <FilterBar
        terms={urlState.terms}
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
            <Skeleton rows={10} height={24} />
          </div>
        ) : rows.length === 0 && !list.hasNextPage ? (
          urlState.terms.length === 0 ? (
            <EmptyState icon="user" title="No users yet">
              Users appear here with their first payment or event.
            </EmptyState>
          ) : (
            <EmptyState
              icon="filter"
              title="No user matches"
              more={<Button onClick={() => change({ terms: [] })}>Clear the filters</Button>}
            >
              {urlState.terms.join('  ')}
            </EmptyState>
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
                  Searched back to <Time at={list.lookedBackTo} as={formatMoment} />.{' '}
                  <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                    Continue
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
