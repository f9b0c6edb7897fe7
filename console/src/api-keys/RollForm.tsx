import type { ApiKey, RolledApiKey } from '@portcullis/client';
import { useState } from 'react';
import { Choice, Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { useClient } from '../api/environment.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { nameOf } from './words.ts';

const OVERLAPS: readonly (readonly [seconds: string, text: string])[] = [
  ['0', 'Not at all'],
  ['3600', 'For an hour'],
  ['86400', 'For a day'],
  ['604800', 'For 7 days'],
  ['2592000', 'For 30 days'],
];

interface Props {
  readonly of: ApiKey;
  readonly close: () => void;
  readonly onRolled: (key: RolledApiKey) => void;
}

/** Replaces a key. The old one works for a while, so that callers can change to the new one. */
export const RollForm = ({ of, close, onRolled }: Props) => {
  const client = useClient();
  const [overlap, setOverlap] = useState('86400');
  const sending = useSend();
  return (
    <Dialog opened onClose={close} title={`Roll ${nameOf(of)}`} size={440}>
      <Form
        sending={sending}
        submit="Roll key"
        close={close}
        onSubmit={async () => onRolled(await client.apiKeys.roll(of.key_id, { overlap_seconds: Number(overlap) }))}
      >
        <p className="dim">
          The new key has the same permissions and settings. Switch your programs to it before the old key stops
          working.
        </p>
        <Choice
          label="Keep the old key working"
          value={overlap}
          options={OVERLAPS}
          onPick={setOverlap}
          data-autofocus
        />
      </Form>
    </Dialog>
  );
};
