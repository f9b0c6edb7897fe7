import type { Delivery, DeliveryDetail } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatClock, formatDayTime, formatDuration } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time, useNow } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';
import { DeliveryStatus } from './Status.tsx';

const indent = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

const Attempts = ({ of }: { of: Delivery }) => {
  const now = useNow(1000);
  const next = of.next_attempt_at === null ? undefined : Date.parse(of.next_attempt_at) - now;
  return (
    <section aria-label="Attempts">
      <h3>Attempts</h3>
      <ol className="attempts">
        {of.attempts.map(({ attempted_at, http_status, latency_ms, error }) => (
          <li key={attempted_at} className={error === null ? 'is-ok' : 'is-bad'}>
            <span className="num">
              <Time at={attempted_at} as={formatClock} />
            </span>
            <span>
              <strong>{http_status ?? 'No response'}</strong> <span className="dim num">{latency_ms} ms</span>
              {error !== null && <span className="row-note">{error}</span>}
            </span>
          </li>
        ))}
        {next !== undefined && of.status === 'owed' && (
          <li className="is-next">
            <span className="dim">Next</span>
            <span>{next <= 0 ? 'now' : `in ${formatDuration(next)}`}</span>
          </li>
        )}
      </ol>
    </section>
  );
};

const Message = ({ body, headers }: DeliveryDetail) => (
  <>
    <section aria-label="Headers">
      <h3>Headers of the last attempt</h3>
      {headers === null ? (
        <p className="dim">Not sent yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
        <pre className="code" tabIndex={0}>
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      )}
    </section>
    <section aria-label="Body">
      <h3>Body</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus */}
      <pre className="code" tabIndex={0}>
        {indent(body)}
      </pre>
    </section>
  </>
);

interface Props {
  readonly webhookId: string;
  readonly messageId: string;
  /** The row of the log, which everybody who reads may see. */
  readonly listed: Delivery | undefined;
  readonly why: string | undefined;
  readonly close: () => void;
}

/** One delivery: its attempts, and what was sent. */
export const DeliveryPanel = ({ webhookId, messageId, listed, why, close }: Props) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [isSending, setSending] = useState(false);
  const whyHidden = useWhyNot('administer');
  const query = useQuery({
    queryKey: [environment, 'webhook', webhookId, 'delivery', messageId],
    queryFn: ({ signal }) => client.webhooks.getDelivery(webhookId, messageId, { signal }),
    enabled: whyHidden === undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'owed' ? 2000 : false),
  });
  const shown = query.data ?? listed;
  const again = async (): Promise<void> => {
    setSending(true);
    try {
      await client.webhooks.retryDelivery(webhookId, messageId);
      await queries.invalidateQueries({ queryKey: [environment, 'webhook', webhookId] });
    } catch (error) {
      notify((error as Error).message);
    }
    setSending(false);
  };
  return (
    <aside className="card delivery" aria-label="Delivery">
      <div className="delivery-head">
        <h2 className="cut">{shown?.type ?? 'Delivery'}</h2>
        <Button small look="ghost" icon="cross" label="Close" onClick={close} />
      </div>
      {shown === undefined ? (
        query.isError ? (
          <Failed error={query.error} gone="Deliveries are deleted after 30 days." />
        ) : (
          <Skeleton rows={5} />
        )
      ) : (
        <>
          <div className="delivery-meta">
            <DeliveryStatus status={shown.status} />
            <span className="dim">
              <Time at={shown.created_at} as={formatDayTime} />
            </span>
            <Button small why={why} busy={isSending} onClick={() => void again()}>
              Send again
            </Button>
          </div>
          <Copy value={shown.message_id} />
          <Attempts of={shown} />
          {whyHidden !== undefined ? (
            <p className="notice is-plain">The body of the message is hidden. {whyHidden}</p>
          ) : query.data === undefined ? (
            <Skeleton rows={4} />
          ) : (
            <Message {...query.data} />
          )}
        </>
      )}
    </aside>
  );
};
