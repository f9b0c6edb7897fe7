import type { NewWebhook, Webhook } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Confirm } from '../admin/Confirm.tsx';
import { useParams } from '../admin/use-params.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { remember } from '../shell/recent.ts';
import { Deliveries } from './Deliveries.tsx';
import { EndpointForm } from './EndpointForm.tsx';
import { NewSecret } from './NewSecret.tsx';
import { OldSecret } from './OldSecret.tsx';
import { EndpointStatus, HealthStrip } from './Status.tsx';
import { hostOf } from './types.ts';
import { useHealth } from './use-health.ts';
import '../admin/admin.css';
import './endpoints.css';

type Layer = 'change' | 'rotate' | 'disable' | 'delete';

const Head = ({ webhook }: { webhook: Webhook }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [, change] = useParams();
  const [layer, setLayer] = useState<Layer | undefined>();
  const [made, setMade] = useState<NewWebhook | undefined>();
  const [isTesting, setTesting] = useState(false);
  const why = useWhyNot('administer');
  const health = useHealth(webhook.webhook_id);
  const id = webhook.webhook_id;
  const name = webhook.label || hostOf(webhook.url);
  const isEnabled = webhook.status === 'enabled';
  const whyNotTest = why ?? (isEnabled ? undefined : 'Enable the endpoint first.');
  const close = (): void => setLayer(undefined);
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: [environment, 'webhook', id] });
    await queries.invalidateQueries({ queryKey: [environment, 'webhooks'] });
  };
  const setStatus = async (status: Webhook['status']): Promise<void> => {
    await client.webhooks.change(id, { status });
    await refresh();
  };
  const test = async (): Promise<void> => {
    setTesting(true);
    try {
      const { message_id } = await client.webhooks.test(id);
      await refresh();
      change({ message: message_id });
    } catch (error) {
      notify((error as Error).message);
    }
    setTesting(false);
  };
  useKeys('Webhook', [
    { keys: 't', label: 'Send a test', run: () => void test(), disabled: whyNotTest !== undefined },
    { keys: 'e', label: 'Change', run: () => setLayer('change'), disabled: why !== undefined },
  ]);
  return (
    <>
      <div className="crumbs">
        <Link href="/webhooks">Webhooks</Link>
        <span className="dim">/</span>
        <Copy value={id} />
      </div>
      <div className="endpoint-head">
        <div className="endpoint-title">
          <h1>{name}</h1>
          <p className="mono dim endpoint-url">{webhook.url}</p>
          <div className="endpoint-meta">
            <EndpointStatus webhook={webhook} />
            <span className="dim">
              Since <Time at={webhook.created_at} as={formatDayTime} />
            </span>
            <HealthStrip health={health} />
            <span className="dim">{health?.words}</span>
          </div>
        </div>
        <div className="actions">
          <Button hint="T" why={whyNotTest} busy={isTesting} onClick={() => void test()}>
            Send test
          </Button>
          <Button hint="E" why={why} onClick={() => setLayer('change')}>
            Change
          </Button>
          <Menu
            width={220}
            position="bottom-end"
            button={<Button icon="more" label="More" />}
            items={[
              ...(why === undefined ? [] : [{ id: 'why', label: why }]),
              {
                id: 'rotate',
                label: 'Rotate the secret…',
                isDisabled: why !== undefined,
                run: () => setLayer('rotate'),
              },
              {
                id: 'status',
                label: isEnabled ? 'Disable…' : 'Enable',
                isDisabled: why !== undefined,
                run: () =>
                  isEnabled
                    ? setLayer('disable')
                    : void setStatus('enabled').catch((error: Error) => notify(error.message)),
              },
              { id: 'delete', label: 'Delete…', isDisabled: why !== undefined, run: () => setLayer('delete') },
            ]}
          />
        </div>
      </div>
      <div className="chips endpoint-events">
        {webhook.events.map((type) => (
          <span key={type} className="chip">
            {type}
          </span>
        ))}
      </div>
      {webhook.previous_secret_until !== null && <OldSecret until={webhook.previous_secret_until} />}
      {layer === 'change' && (
        <EndpointForm
          webhook={webhook}
          close={close}
          onSaved={() => {
            close();
            void refresh();
          }}
        />
      )}
      {layer === 'rotate' && (
        <Confirm
          title="Rotate the signing secret"
          act="Rotate"
          close={close}
          run={async () => {
            setMade(await client.webhooks.rotateSecret(id));
            await refresh();
          }}
        >
          <p>
            You get a new secret. For 24 hours every message is signed with both. A second rotation within that time
            removes the oldest secret at once.
          </p>
        </Confirm>
      )}
      {layer === 'disable' && (
        <Confirm title={`Disable ${name}`} act="Disable" close={close} run={() => setStatus('disabled')}>
          <p>It gets no messages. Events that happen while it is disabled are never sent to it.</p>
        </Confirm>
      )}
      {layer === 'delete' && (
        <Confirm
          title={`Delete ${name}`}
          act="Delete"
          typed={name}
          close={close}
          run={async () => {
            await client.webhooks.delete(id);
            await queries.invalidateQueries({ queryKey: [environment, 'webhooks'] });
            go('/webhooks');
          }}
        >
          <p>The endpoint gets no further messages, and its delivery log is deleted.</p>
        </Confirm>
      )}
      {made !== undefined && <NewSecret made={made} close={() => setMade(undefined)} />}
    </>
  );
};

/** One endpoint, with the log of its deliveries. */
export default function WebhookPage({ id }: { id: string }) {
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'webhook', id],
    queryFn: ({ signal }) => client.webhooks.get(id, { signal }),
    refetchInterval: 15_000,
  });
  const webhook = query.data;
  useEffect(() => {
    if (webhook === undefined) return;
    const name = webhook.label || hostOf(webhook.url);
    document.title = `${name} · Portcullis`;
    remember(`Webhook: ${name}`, `/webhooks/${webhook.webhook_id}`);
  }, [webhook]);
  if (webhook === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={8} height={30} />
    );
  return (
    <>
      <Head webhook={webhook} />
      <Deliveries webhook={webhook} />
    </>
  );
}
