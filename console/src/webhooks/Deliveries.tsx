import type { Delivery, DeliveryQuery, Webhook } from '@portcullis/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useParams } from '../admin/use-params.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { DeliveryPanel } from './DeliveryPanel.tsx';
import { DeliveryStatus } from './Status.tsx';
import { STATUS_WORDS, TYPE_NAMES } from './types.ts';

const PAGE = 50;
const DAY_MS = 86_400_000;
const RANGES: Readonly<Record<string, readonly [days: number, text: string]>> = {
  '24h': [1, 'Last 24 hours'],
  '7d': [7, 'Last 7 days'],
};
const STATUSES = Object.keys(STATUS_WORDS) as readonly Delivery['status'][];
const MINUTE_MS = 60_000;

/** The filters of the address. The time is that of the minute, so that the requests of one minute are alike. */
const queryOf = (params: URLSearchParams): DeliveryQuery => {
  const status = STATUSES.find((one) => one === params.get('status'));
  const type = TYPE_NAMES.find((one) => one === params.get('type'));
  const range = RANGES[params.get('range') ?? ''];
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  return {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(range !== undefined && { from: new Date(now - range[0] * DAY_MS).toISOString() }),
  };
};

const useDeliveries = (webhookId: string, query: DeliveryQuery) => {
  const client = useClient();
  const environment = useEnvironment();
  const list = useInfiniteQuery({
    queryKey: [environment, 'webhook', webhookId, 'deliveries', query],
    queryFn: ({ pageParam, signal }) =>
      client.webhooks.listDeliveries(
        webhookId,
        { ...query, limit: PAGE, ...(pageParam !== '' && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ has_more, deliveries }) => (has_more ? deliveries.at(-1)?.message_id : undefined),
    placeholderData: (before) => before,
    // A pending message is sent soon.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ deliveries }) => deliveries.some(({ status }) => status === 'owed')) ? 2000 : 5000,
  });
  return { ...list, rows: (list.data?.pages ?? []).flatMap(({ deliveries }) => deliveries) };
};

const lastOf = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  if (last === undefined) return 'Not sent yet';
  return `${last.http_status ?? 'No response'} · ${last.latency_ms} ms`;
};

/** The log of an endpoint, with the picked delivery beside it. */
export const Deliveries = ({ webhook }: { webhook: Webhook }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const [isRetrying, setRetrying] = useState(false);
  const statusRef = useRef<HTMLSelectElement>(null);
  const query = queryOf(params);
  const { rows, ...list } = useDeliveries(webhook.webhook_id, query);
  const picked = params.get('message') ?? undefined;
  const at = rows.findIndex(({ message_id }) => message_id === picked);
  const why = useWhyNot('administer') ?? (webhook.status === 'enabled' ? undefined : 'Enable the endpoint first.');
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const move = (to: number): void => {
    const next = rows[Math.max(0, Math.min(to, rows.length - 1))];
    if (next !== undefined) change({ message: next.message_id });
  };
  useKeys('Deliveries', [
    { keys: 'j', label: 'Next delivery', run: () => move(at + 1) },
    { keys: 'k', label: 'Previous delivery', run: () => move(at - 1) },
    { keys: 'Enter', label: 'Open', run: () => move(Math.max(0, at)) },
    { keys: '/', label: 'Filter', run: () => statusRef.current?.focus() },
    { keys: 'Escape', label: 'Close', run: () => change({ message: undefined }) },
  ]);
  const retryAll = async (): Promise<void> => {
    setRetrying(true);
    try {
      const { from } = query;
      await client.webhooks.retryDeliveries(webhook.webhook_id, {
        status: 'failed',
        ...(from !== undefined && { from }),
      });
      await queries.invalidateQueries({ queryKey: [environment, 'webhook', webhook.webhook_id] });
    } catch (error) {
      notify((error as Error).message);
    }
    setRetrying(false);
  };
  const hasFilter = Object.keys(query).length > 0;
  return (
    <div className={picked === undefined ? 'log' : 'log has-panel'}>
      <section className="card table-card" aria-label="Deliveries">
        <div className="log-head filter-row">
          <h2>Deliveries</h2>
          <select
            ref={statusRef}
            aria-label="Status"
            value={query.status ?? ''}
            onChange={(event) => change({ status: event.currentTarget.value, message: undefined })}
          >
            <option value="">Any status</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_WORDS[status]}
              </option>
            ))}
          </select>
          <select
            aria-label="Type"
            value={query.type ?? ''}
            onChange={(event) => change({ type: event.currentTarget.value, message: undefined })}
          >
            <option value="">Any type</option>
            {TYPE_NAMES.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
          <select
            aria-label="Time"
            value={params.get('range') ?? ''}
            onChange={(event) => change({ range: event.currentTarget.value, message: undefined })}
          >
            <option value="">Last 30 days</option>
            {Object.entries(RANGES).map(([value, [, text]]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          {failed > 0 && (
            <Button small why={why} busy={isRetrying} onClick={() => void retryAll()}>
              Send all failed again
            </Button>
          )}
        </div>
        {list.isPending ? (
          <div style={{ padding: 20 }}>
            <Skeleton rows={6} />
          </div>
        ) : list.isError && rows.length === 0 ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : rows.length === 0 ? (
          <EmptyState
            icon="webhooks"
            title={hasFilter ? 'No delivery matches' : 'Nothing was sent yet'}
            more={
              hasFilter && (
                <Button onClick={() => change({ status: undefined, type: undefined, range: undefined })}>
                  Clear the filters
                </Button>
              )
            }
          >
            {hasFilter
              ? 'Deliveries are kept for 30 days.'
              : 'Messages appear here as they are sent. Send a test to try it.'}
          </EmptyState>
        ) : (
          <table className="rows deliveries">
            <thead>
              <tr>
                <th scope="col">Message</th>
                <th scope="col">Status</th>
                <th scope="col">Response</th>
                <th scope="col">Attempts</th>
                <th scope="col" className="end">
                  Time
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.message_id} className={one.message_id === picked ? 'is-at' : ''}>
                  <td>
                    <button
                      type="button"
                      className="row-button"
                      aria-expanded={one.message_id === picked}
                      onClick={() => change({ message: one.message_id === picked ? undefined : one.message_id })}
                    >
                      <span className="row-name">{one.type}</span>
                      <span className="row-note mono cut">{one.message_id}</span>
                    </button>
                  </td>
                  <td data-name="Status">
                    <DeliveryStatus status={one.status} />
                  </td>
                  <td data-name="Response" className="num">
                    <span>{lastOf(one)}</span>
                  </td>
                  <td data-name="Attempts" className="num">
                    <span>{one.attempts.length}</span>
                  </td>
                  <td data-name="Time" className="end num">
                    <Time at={one.created_at} as={formatDayTime} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {list.hasNextPage && (
          <div className="rows-foot">
            <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show older deliveries
            </Button>
          </div>
        )}
        <p role="status" className="unseen">
          {plural(rows.length, 'delivery', 'deliveries')}
        </p>
      </section>
      {picked !== undefined && (
        <DeliveryPanel
          key={picked}
          webhookId={webhook.webhook_id}
          messageId={picked}
          listed={rows[at]}
          why={why}
          close={() => change({ message: undefined })}
        />
      )}
    </div>
  );
};
