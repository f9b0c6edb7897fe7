import type { ReviewRequest } from '@portcullis/client';
import { type FormEvent, useId, useState } from 'react';
import { REASONS } from '../cases/resolve.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import '../cases/reject.css';

const Form = ({ close, onSend }: { close: () => void; onSend: (body: ReviewRequest) => Promise<void> }) => {
  const [decision, setDecision] = useState<ReviewRequest['decision']>('allow');
  const [reason, setReason] = useState<string>('');
  const [notes, setNotes] = useState('');
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const why = decision === 'block' && reason !== '' ? { reason: reason as NonNullable<ReviewRequest['reason']> } : {};
    await onSend({ decision, ...why, ...(notes.trim() !== '' && { notes: notes.trim() }) });
    setBusy(false);
  };
  return (
    <form className="reject" onSubmit={(event) => void submit(event)}>
      <div className="reasons" role="radiogroup" aria-label="Decision">
        {(['allow', 'block'] as const).map((one) => (
          <label key={one} className="reason">
            <input type="radio" name="decision" checked={decision === one} onChange={() => setDecision(one)} />
            {one === 'allow' ? 'Allow: legitimate' : 'Block: fraud'}
          </label>
        ))}
      </div>
      {decision === 'block' && (
        <div className="field">
          <label htmlFor={`${id}-reason`}>How was the fraud done?</label>
          <select
            id={`${id}-reason`}
            className="input"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          >
            <option value="">Unknown</option>
            {REASONS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor={id}>Note</label>
        <textarea
          id={id}
          className="input"
          rows={3}
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
      </div>
      <p className="dim">Takes effect immediately, creates a label and resolves the open case, if there is one.</p>
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Override
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

/** A person decides otherwise than the screening. */
export const Override = (props: {
  isOpen: boolean;
  close: () => void;
  onSend: (body: ReviewRequest) => Promise<void>;
}) => (
  <Dialog opened={props.isOpen} onClose={props.close} title="Override the decision" size={440}>
    <Form close={props.close} onSend={props.onSend} />
  </Dialog>
);
