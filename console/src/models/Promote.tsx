import type { Model } from '@portcullis/client';
import { type FormEvent, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Gates } from './Gates.tsx';

/** Asks before another model scores. A rejected one takes its version, typed: nobody promotes it by accident. */
export const Promote = (props: {
  model: Model;
  isBusy: boolean;
  close: () => void;
  onYes: (force: boolean) => void;
}) => {
  const { model, isBusy, close, onYes } = props;
  const [typed, setTyped] = useState('');
  const isForced = model.status === 'rejected';
  const failed = model.gates.filter(({ passed }) => !passed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isForced || typed.trim() === model.model_version) onYes(isForced);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>
        <span className="mono">{model.model_version}</span> scores every screening from now on, in production and in the
        sandbox. You can roll back at any time.
      </p>
      {isForced && (
        <>
          <p className="notice">
            <span>This model was rejected{model.reason === null ? '' : `: ${model.reason}`}</span>
          </p>
          {failed.length > 0 && <Gates gates={failed} />}
          <Field
            label="Type the version of the model to promote it anyway"
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
          />
        </>
      )}
      <div className="row-buttons">
        <Button
          type="submit"
          look={isForced ? 'reject' : 'primary'}
          busy={isBusy}
          why={isForced && typed.trim() !== model.model_version ? 'Type the version of the model first.' : undefined}
        >
          {isForced ? 'Promote anyway' : 'Promote'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};
