import { type FormEvent, useId, useState } from 'react';
import { useClient } from '../api/environment.tsx';
import { notify } from '../shell/notices.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { useWhyNot } from './use-why-not.ts';
import '../cases/reject.css';

interface SaveProps {
  readonly isOpen: boolean;
  readonly page: string;
  readonly query: string;
  readonly close: () => void;
  readonly onSaved: () => Promise<unknown>;
}
/** Saves the address of the list under a name. */
const SaveForm = ({ page, query, close, onSaved }: Omit<SaveProps, 'isOpen'>) => {
  const client = useClient();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const why = useWhyNot('review');
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.views.create({ page, name: name.trim(), query, shared: isShared });
      await onSaved();
      close();
    } catch (error) {
      notify((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="reject" onSubmit={(event) => void submit(event)}>
      <Field
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <label htmlFor={id} className="check">
        <input
          id={id}
          type="checkbox"
          checked={isShared}
          disabled={why !== undefined}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        Share with everyone{why !== undefined && ` (${why})`}
      </label>
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Save
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

export default function SaveView({ isOpen, ...form }: SaveProps) {
  return (
    <Dialog opened={isOpen} onClose={form.close} title="Save this view" size={400}>
      <SaveForm {...form} />
    </Dialog>
  );
}
