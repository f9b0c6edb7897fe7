import type { NewWebhook, Webhook } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { NewSecret } from './NewSecret.tsx';
import { EndpointStatus, HealthStrip } from './Status.tsx';
import { hostOf } from './types.ts';
import { useHealth } from './use-health.ts';
import '../admin/admin.css';
import './endpoints.css';

const Endpoint = ({ webhook, isAt }: { webhook: Webhook; isAt: boolean }) => {
  const health = useHealth(webhook.webhook_id);
  return (
    <li className={`card endpoint ${isAt ? 'is-at' : ''}`}>
      <div className="endpoint-name">
        <h2>
          <Link href={`/webhooks/${webhook.webhook_id}`}>{webhook.label || hostOf(webhook.url)}</Link>
        </h2>
        <EndpointStatus webhook={webhook} />
      </div>
      <p className="mono dim endpoint-url">{webhook.url}</p>
      <div className="endpoint-health">
        <HealthStrip health={health} />
        <span className="dim">{health?.words ?? '…'}</span>
      </div>
      <div className="chips">
        {webhook.events.map((type) => (
          <span key={type} className="chip">
            {type}
          </span>
        ))}
      </div>
    </li>
  );
};

/** Endpoints that get messages, with their health. */
export default function Webhooks() {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewWebhook | undefined>();
  const [at, setAt] = useState(-1);
  const why = useWhyNot('administer');
  const list = useQuery({
    queryKey: [environment, 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ signal }),
    refetchInterval: 30_000,
  });
  const webhooks = list.data?.webhooks ?? [];
  useEffect(() => {
    document.title = 'Webhooks · Portcullis';
  }, []);
  useKeys('Webhooks', [
    { keys: 'j', label: 'Next endpoint', run: () => setAt(Math.min(at + 1, webhooks.length - 1)) },
    { keys: 'k', label: 'Previous endpoint', run: () => setAt(Math.max(0, at - 1)) },
    { keys: 'Enter', label: 'Open', run: () => webhooks[at] && go(`/webhooks/${webhooks[at].webhook_id}`) },
    { keys: 'n', label: 'Add an endpoint', run: () => setAdding(true), disabled: why !== undefined },
  ]);
  return (
    <>
      <div className="page-head">
        <h1>Webhooks {list.data !== undefined && <span className="dim num">{formatCount(webhooks.length)}</span>}</h1>
        <div className="page-more actions">
          <Button look="primary" hint="N" why={why} onClick={() => setAdding(true)}>
            Add endpoint
          </Button>
        </div>
      </div>
      {list.data === undefined ? (
        list.isError ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : (
          <Skeleton rows={4} height={64} />
        )
      ) : webhooks.length === 0 ? (
        <div className="card">
          <EmptyState
            icon="webhooks"
            title="No endpoints yet"
            more={
              <Button why={why} onClick={() => setAdding(true)}>
                Add the first endpoint
              </Button>
            }
          >
            An endpoint receives each case and decision as it happens. Messages are signed, and retried for days.{' '}
            <a href="/docs/guides/webhooks">The guide</a> has a receiver to begin with.
          </EmptyState>
        </div>
      ) : (
        <ul className="endpoints">
          {webhooks.map((webhook, index) => (
            <Endpoint key={webhook.webhook_id} webhook={webhook} isAt={index === at} />
          ))}
        </ul>
      )}
      {isAdding && (
        <EndpointForm
          close={() => setAdding(false)}
          onSaved={(saved) => {
            setAdding(false);
            setMade(saved as NewWebhook);
            void queries.invalidateQueries({ queryKey: [environment, 'webhooks'] });
          }}
        />
      )}
      {made !== undefined && <NewSecret made={made} close={() => go(`/webhooks/${made.webhook_id}`)} />}
    </>
  );
}
