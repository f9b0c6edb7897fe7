import type { ApiKey, NewApiKey, RolledApiKey } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Confirm } from '../admin/Confirm.tsx';
import { RoleRequired } from '../admin/RoleRequired.tsx';
import { CopyBox, ShownOnceDialog } from '../admin/ShownOnceDialog.tsx';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDayTime, formatDuration, formatName } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time, useNow } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { KeyForm } from './KeyForm.tsx';
import { RollForm } from './RollForm.tsx';
import { makerOf, nameOf } from './words.ts';
import '../admin/admin.css';

const WEEK_MS = 7 * 86_400_000;

const Expiry = ({ of }: { of: ApiKey }) => {
  const now = useNow();
  if (of.expires_at === null) return <span className="dim">Never</span>;
  const left = Date.parse(of.expires_at) - now;
  return (
    <span className={left < WEEK_MS ? 'badge badge-review' : ''}>
      {left <= 0 ? 'Expired' : <Time at={of.expires_at} as={() => `in ${formatDuration(left)}`} />}
    </span>
  );
};

const Row = ({ one, onRoll, onRevoke }: { one: ApiKey; onRoll: () => void; onRevoke: () => void }) => (
  <tr>
    <td>
      <span className="row-name">{one.label || 'Unnamed'}</span>
      <span className="row-note mono">{one.hint}</span>
    </td>
    <td data-name="Role">
      <span>
        <span className="badge badge-plain">{formatName(one.role)}</span>
        {one.role === 'restricted' && <span className="row-note mono">{one.permissions.join(', ')}</span>}
      </span>
    </td>
    <td data-name="Networks">
      {one.allowed_networks === null ? (
        <span className="dim">All</span>
      ) : (
        <span className="mono">{one.allowed_networks.join(', ')}</span>
      )}
    </td>
    <td data-name="Limit" className="num">
      {one.rate_limit_per_minute === null ? (
        <span className="dim">None</span>
      ) : (
        <span>{formatCount(one.rate_limit_per_minute)} per minute</span>
      )}
    </td>
    <td data-name="Expires">
      <Expiry of={one} />
    </td>
    <td data-name="Last used">
      {one.last_used_at === null ? (
        <span className="dim">Unknown</span>
      ) : (
        <Time at={one.last_used_at} as={formatDayTime} />
      )}
    </td>
    <td data-name="Created by">
      <span>
        {makerOf(one.made_by)}
        <span className="row-note">
          <Time at={one.created_at} as={formatDayTime} />
        </span>
      </span>
    </td>
    <td className="end row-actions">
      <Menu
        width={180}
        position="bottom-end"
        button={<Button small icon="more" label={`Actions for ${nameOf(one)}`} />}
        items={[
          { id: 'roll', label: 'Roll…', run: onRoll },
          { id: 'revoke', label: 'Revoke…', run: onRevoke },
        ]}
      />
    </td>
  </tr>
);

const curlOf = (secret: string): string =>
  `curl -s "${location.origin}/v1/transactions/screen" \\
  -H "Authorization: Bearer ${secret}" \\
  -H 'Content-Type: application/json' \\
  -d '{"user_id": "user_1842", "amount": 49.90, "currency": "EUR", "ip_address": "203.0.113.2"}'`;

const NewKeyDialog = ({ made, close }: { made: NewApiKey | RolledApiKey; close: () => void }) => (
  <ShownOnceDialog title={`Secret of ${nameOf(made)}`} label="Secret" value={made.secret} close={close}>
    {'replaced' in made && (
      <p>
        The old key works until <Time at={made.replaced.expires_at} as={formatDayTime} />.
      </p>
    )}
    {made.permissions.includes('screen') && (
      <details>
        <summary>Try it with curl</summary>
        <CopyBox label="curl" value={curlOf(made.secret)} />
      </details>
    )}
  </ShownOnceDialog>
);

/** The keys of programs. */
export default function ApiKeys() {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const why = useWhyNot('administer');
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey | RolledApiKey | undefined>();
  const [rolled, setRolled] = useState<ApiKey | undefined>();
  const [revoked, setRevoked] = useState<ApiKey | undefined>();
  const key = [environment, 'api-keys'];
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.apiKeys.list({ signal }),
    enabled: why === undefined,
  });
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: key });
  const keys = list.data?.api_keys ?? [];
  useEffect(() => {
    document.title = 'API keys · Portcullis';
  }, []);
  useKeys('API keys', [{ keys: 'n', label: 'Create a key', run: () => setMaking(true), disabled: why !== undefined }]);
  return (
    <>
      <div className="page-head">
        <h1>API keys {list.data !== undefined && <span className="dim num">{formatCount(keys.length)}</span>}</h1>
        <div className="page-more actions">
          <Button look="primary" hint="N" why={why} onClick={() => setMaking(true)}>
            Create key
          </Button>
        </div>
      </div>
      {why !== undefined ? (
        <RoleRequired why={why}>
          API keys give programs access to the account, so only administrators can see and create them.
        </RoleRequired>
      ) : list.data === undefined ? (
        list.isError ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : (
          <Skeleton rows={6} height={32} />
        )
      ) : keys.length === 0 ? (
        <div className="card">
          <EmptyState
            icon="apiKeys"
            title="No keys yet"
            more={<Button onClick={() => setMaking(true)}>Create the first key</Button>}
          >
            Your programs send a key with each request. These keys are for {environment}.
          </EmptyState>
        </div>
      ) : (
        <section className="card table-card" aria-label="Keys">
          <table className="rows">
            <thead>
              <tr>
                {['Key', 'Role', 'Networks', 'Limit', 'Expires', 'Last used', 'Created by'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((one) => (
                <Row key={one.key_id} one={one} onRoll={() => setRolled(one)} onRevoke={() => setRevoked(one)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isMaking && (
        <KeyForm
          close={() => setMaking(false)}
          onMade={(one) => {
            setMaking(false);
            setMade(one);
            void refresh();
          }}
        />
      )}
      {rolled !== undefined && (
        <RollForm
          of={rolled}
          close={() => setRolled(undefined)}
          onRolled={(one) => {
            setRolled(undefined);
            setMade(one);
            void refresh();
          }}
        />
      )}
      {revoked !== undefined && (
        <Confirm
          title={`Revoke ${nameOf(revoked)}`}
          act="Revoke"
          typed={revoked.label || revoked.hint}
          close={() => setRevoked(undefined)}
          run={async () => {
            await client.apiKeys.delete(revoked.key_id);
            await refresh();
          }}
        >
          <p>Requests with this key are refused immediately. This cannot be undone.</p>
        </Confirm>
      )}
      {made !== undefined && <NewKeyDialog made={made} close={() => setMade(undefined)} />}
    </>
  );
}
