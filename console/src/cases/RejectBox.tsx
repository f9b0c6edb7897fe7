import type { Case, CaseResolution } from '@portcullis/client';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { plural } from '../parts/format.ts';
import { useSettings } from '../settings/use-settings.ts';
import { type Outcome, REASONS } from './resolve.ts';
import './reject.css';

interface Props {
  readonly cases: readonly Case[];
  readonly status: Outcome;
  /** The sum of the cases, if it is known. */
  readonly sum?: string | undefined;
  readonly close: () => void;
  readonly onSend: (body: CaseResolution) => void;
}

const Form = ({ cases, status, sum, close, onSend }: Props) => {
  const [reason, setReason] = useState<CaseResolution['reason']>();
  const [notes, setNotes] = useState('');
  const id = useId();
  const isRejected = status === 'rejected';
  const isNoteRequired = (useSettings().data?.note_required_on_reject ?? false) && isRejected;
  const noteRef = useRef<HTMLTextAreaElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isNoteRequired && notes.trim() === '') {
      noteRef.current?.focus();
      return;
    }
    onSend({
      status,
      ...(isRejected && reason !== undefined && { reason }),
      ...(notes.trim() !== '' && { notes: notes.trim() }),
    });
  };
  const pick = (key: string): boolean => {
    const found = REASONS[Number(key) - 1];
    if (found === undefined || !isRejected) return false;
    setReason(found[0]);
    return true;
  };
  return (
    <form
      className="reject"
      onSubmit={submit}
      onKeyDown={(event) => {
        const isTyping = event.target instanceof HTMLTextAreaElement;
        if (
          isTyping
            ? event.key === 'Enter' && !event.shiftKey
            : event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)
        )
          submit(event);
        else if (!isTyping && pick(event.key)) event.preventDefault();
      }}
    >
      <p className="dim">
        {cases.length === 1 ? (cases[0] as Case).user_id : plural(cases.length, 'case')}
        {sum !== undefined && `, ${sum}`}
        {isRejected ? ', as fraud' : ', as legitimate'}
      </p>
      {isRejected && (
        <div className="reasons" role="radiogroup" aria-label="How was the fraud done?">
          {REASONS.map(([value, label], index) => (
            <label key={value} className="reason">
              <input
                type="radio"
                name="reason"
                checked={reason === value}
                data-autofocus={index === 0 || undefined}
                onChange={() => setReason(value)}
              />
              {label}
              <kbd aria-hidden="true">{index + 1}</kbd>
            </label>
          ))}
        </div>
      )}
      <div className="field">
        <label htmlFor={id}>Note</label>
        <textarea
          id={id}
          className="input"
          ref={noteRef}
          rows={3}
          required={isNoteRequired}
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
          data-autofocus={!isRejected || undefined}
          placeholder={isNoteRequired ? 'Required: why it is fraud' : 'For the next person who looks at it (optional)'}
        />
      </div>
      <div className="row-buttons">
        <Button type="submit" look={isRejected ? 'reject' : 'approve'} hint="Enter">
          {isRejected ? 'Reject' : 'Approve'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

/** Asks for the reason and a note. Numbers choose the reason, Enter sends. */
export const RejectBox = (props: Omit<Props, 'cases'> & { cases: readonly Case[] | undefined }) => {
  const { cases, status, close } = props;
  const title = status === 'rejected' ? 'Reject as fraud' : 'Approve as legitimate';
  return (
    <Dialog opened={cases !== undefined} onClose={close} title={title} size={440}>
      {cases !== undefined && <Form {...props} cases={cases} />}
    </Dialog>
  );
};
