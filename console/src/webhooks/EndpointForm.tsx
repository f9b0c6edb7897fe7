import type { NewWebhook, Webhook, WebhookRequest } from '@portcullis/client';
import { useState } from 'react';
import { Checks, Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { useClient } from '../api/environment.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { TYPE_NAMES, TYPES } from './types.ts';

interface Props {
  /** The endpoint to change; undefined for a new one. */
  readonly webhook?: Webhook | undefined;
  readonly close: () => void;
  readonly onSaved: (made: Webhook | NewWebhook) => void;
}

/** Adds an endpoint, or changes one. */
export const EndpointForm = ({ webhook, close, onSaved }: Props) => {
  const client = useClient();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [label, setLabel] = useState(webhook?.label ?? '');
  const [events, setEvents] = useState<ReadonlySet<string>>(
    new Set(webhook?.events ?? ['case.created', 'case.resolved']),
  );
  const sending = useSend();
  const save = async (): Promise<void> => {
    const body: WebhookRequest = {
      url: url.trim(),
      events: TYPE_NAMES.filter((type) => events.has(type)),
      label: label.trim(),
    };
    onSaved(
      webhook === undefined
        ? await client.webhooks.create(body)
        : await client.webhooks.change(webhook.webhook_id, body),
    );
  };
  return (
    <Dialog opened onClose={close} title={webhook === undefined ? 'Add an endpoint' : 'Change the endpoint'} size={520}>
      <Form sending={sending} submit={webhook === undefined ? 'Add endpoint' : 'Save'} close={close} onSubmit={save}>
        <Field
          label="URL"
          note="HTTPS. Messages are signed and retried until your endpoint accepts them."
          placeholder="https://hooks.example.com/portcullis"
          type="url"
          value={url}
          error={sending.errorOf('url')}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Field
          label="Name"
          placeholder="Case queue"
          value={label}
          maxLength={200}
          error={sending.errorOf('label')}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Checks
          label="Messages to send"
          options={TYPE_NAMES.filter((type) => type !== 'webhook.test').map((type) => ({
            value: type,
            text: <span className="mono">{type}</span>,
            note: TYPES[type],
          }))}
          picked={events}
          error={sending.errorOf('events')}
          onChange={setEvents}
        />
      </Form>
    </Dialog>
  );
};
