import type { ApiKeyRequest, NewApiKey } from '@portcullis/client';
import { useState } from 'react';
import { Checks, Choice, Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { useClient } from '../api/environment.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type KeyRole, PERMISSIONS, ROLES } from './words.ts';

const RESTRICTED = 'restricted';
const DAY_MS = 86_400_000;
const LIVES: readonly (readonly [days: string, text: string])[] = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
];

/** Makes a key with a role, or with permissions of its own. */
export const KeyForm = ({ close, onMade }: { close: () => void; onMade: (key: NewApiKey) => void }) => {
  const client = useClient();
  const [label, setLabel] = useState('');
  const [role, setRole] = useState<string>('service');
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set(['screen']));
  const [life, setLife] = useState('');
  const [networks, setNetworks] = useState('');
  const [limit, setLimit] = useState('');
  const sending = useSend();
  const make = async (): Promise<void> => {
    const allowed = networks.split(/[\s,]+/).filter((network) => network !== '');
    const body: ApiKeyRequest = {
      ...(role === RESTRICTED
        ? { permissions: PERMISSIONS.map(([name]) => name).filter((name) => permissions.has(name)) }
        : { role: role as KeyRole }),
      ...(label.trim() !== '' && { label: label.trim() }),
      ...(life !== '' && { expires_at: new Date(Date.now() + Number(life) * DAY_MS).toISOString() }),
      ...(allowed.length > 0 && { allowed_networks: allowed }),
      ...(limit !== '' && { rate_limit_per_minute: Number(limit) }),
    };
    onMade(await client.apiKeys.create(body));
  };
  return (
    <Dialog opened onClose={close} title="Create an API key" size={520}>
      <Form sending={sending} submit="Create key" close={close} onSubmit={make}>
        <Field
          label="Name"
          placeholder="Checkout"
          note="Helps you recognise the key."
          value={label}
          maxLength={200}
          error={sending.errorOf('label')}
          onChange={(event) => setLabel(event.currentTarget.value)}
          data-autofocus
        />
        <Choice
          label="Role"
          value={role}
          options={[...ROLES, [RESTRICTED, 'Restricted: only selected permissions']]}
          onPick={setRole}
        />
        {role === RESTRICTED && (
          <Checks
            label="Permissions"
            options={PERMISSIONS.map(([value, note]) => ({
              value,
              text: <span className="mono">{value}</span>,
              note,
            }))}
            picked={permissions}
            error={sending.errorOf('permissions')}
            onChange={setPermissions}
          />
        )}
        <div className="form-pair">
          <Choice label="Expires" value={life} options={LIVES} onPick={setLife} />
          <Field
            label="Requests per minute"
            type="number"
            min={1}
            max={10_000_000}
            placeholder="No separate limit"
            value={limit}
            error={sending.errorOf('rate_limit_per_minute')}
            onChange={(event) => setLimit(event.currentTarget.value)}
          />
        </div>
        <Field
          label="Networks"
          placeholder="203.0.113.0/24"
          note="Addresses or networks that may use the key, separated by spaces. Leave empty to allow all."
          value={networks}
          error={sending.errorOf('allowed_networks')}
          onChange={(event) => setNetworks(event.currentTarget.value)}
        />
      </Form>
    </Dialog>
  );
};
