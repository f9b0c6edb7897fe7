import type { List } from '@portcullis/client';
import { type FormEvent, useState } from 'react';
import { useClient, useMay } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { plural } from '../parts/format.ts';
import type { Effect } from './use-lists.ts';
import '../cases/reject.css';

const DAY_MS = 86_400_000;
const DAYS = [7, 30, 90] as const;

const TITLES: Readonly<Record<Effect, string>> = { block: 'Block this user', trusted: 'Trust this user' };
const EFFECTS: Readonly<Record<Effect, string>> = {
  block: 'Every payment and event of this user gets the decision block.',
  trusted: 'Every payment and event of this user gets the decision allow, regardless of its score.',
};

interface Props {
  readonly userId: string;
  readonly effect: Effect | undefined;
  /** The lists with this effect that the person may add to. */
  readonly lists: readonly List[];
  readonly close: () => void;
  readonly onDone: () => Promise<unknown>;
}

const Form = ({ userId, effect, lists, close, onDone }: Props & { effect: Effect }) => {
  const client = useClient();
  const mayTune = useMay('tune');
  const [listId, setListId] = useState(lists[0]?.list_id ?? '');
  const [days, setDays] = useState('30');
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const expires_at = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const entry = { kind: 'user' as const, value: userId, reason: reason.trim(), ...(days !== '' && { expires_at }) };
    try {
      await client.lists.addEntries(listId, { entries: [entry] });
      await onDone();
      close();
    } catch (failure) {
      setError((failure as Error).message);
      setBusy(false);
    }
  };
  return (
    <form className="reject" onSubmit={(event) => void submit(event)}>
      <p className="dim">{EFFECTS[effect]}</p>
      {lists.length > 1 && (
        <label className="field">
          <span className="field-name">List</span>
          <select className="input" value={listId} onChange={(event) => setListId(event.currentTarget.value)}>
            {lists.map(({ list_id, name }) => (
              <option key={list_id} value={list_id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="field">
        <span className="field-name">Duration</span>
        <select className="input" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          {DAYS.map((one) => (
            <option key={one} value={one}>
              {plural(one, 'day')}
            </option>
          ))}
          {effect === 'block' && mayTune && <option value="">no end date</option>}
        </select>
      </label>
      <Field
        label="Reason"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={200}
        required
        data-autofocus
        error={error}
      />
      <div className="row-buttons">
        <Button type="submit" look={effect === 'block' ? 'reject' : 'approve'} busy={isBusy}>
          {effect === 'block' ? 'Block' : 'Trust'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

/** Puts a user on a list, with a reason and an end. */
export default function ListBox(props: Props) {
  return (
    <Dialog
      opened={props.effect !== undefined}
      onClose={props.close}
      title={TITLES[props.effect ?? 'block']}
      size={420}
    >
      {props.effect !== undefined && <Form {...props} effect={props.effect} />}
    </Dialog>
  );
}
