import type { List } from '@portcullis/client';
import { type FormEvent, useId, useState } from 'react';
import { useClient } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { problemOf } from '../parts/problem.ts';
import { useChanged } from './use-lists.ts';
import { TREATMENT_WORDS } from './words.ts';

const TREATMENTS = ['none', 'block', 'review', 'trusted'] as const;

/** Creates a list, or changes one. The name of a list stays. */
export const ListForm = ({
  list,
  close,
  onSaved,
}: {
  list?: List;
  close: () => void;
  onSaved?: (list: List) => void;
}) => {
  const client = useClient();
  const changed = useChanged();
  const [name, setName] = useState('');
  const [description, setDescription] = useState(list?.description ?? '');
  const [treatment, setTreatment] = useState<List['treatment']>(list?.treatment ?? 'none');
  const [isOpen, setOpen] = useState(list?.open_to_analysts ?? false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const body = { description, treatment, open_to_analysts: isOpen };
    try {
      const saved = await (list === undefined
        ? client.lists.create({ name, ...body })
        : client.lists.change(list.list_id, body));
      await changed();
      close();
      onSaved?.(saved);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {list === undefined && (
        <Field
          label="Name"
          note="Lower-case letters, digits and _. Rules refer to the list by this name."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          pattern="[a-z][a-z0-9_]*"
          maxLength={64}
          required
          data-autofocus
        />
      )}
      <div className="field">
        <label htmlFor={`${id}-treatment`}>On a match</label>
        <select
          id={`${id}-treatment`}
          className="input"
          value={treatment}
          onChange={(event) => setTreatment(event.currentTarget.value as List['treatment'])}
        >
          {TREATMENTS.map((one) => (
            <option key={one} value={one}>
              {TREATMENT_WORDS[one]}
            </option>
          ))}
        </select>
      </div>
      <Field
        label="Description"
        value={description}
        maxLength={500}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <label className="check">
        <input type="checkbox" checked={isOpen} onChange={(event) => setOpen(event.currentTarget.checked)} />
        Analysts may add entries that end within 90 days
      </label>
      {problem !== undefined && (
        <p className="notice rule-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          {list === undefined ? 'Create the list' : 'Save'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};
