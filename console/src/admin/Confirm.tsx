import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from './Form.tsx';
import { useSend } from './use-send.ts';

interface Props {
  readonly title: string;
  readonly act: string;
  readonly children: ReactNode;
  /** A text to type first, for what cannot be undone. */
  readonly typed?: string;
  readonly close: () => void;
  readonly run: () => Promise<unknown>;
}

/** Asks before something that cannot be undone. */
export const Confirm = ({ title, act, children, typed, close, run }: Props) => {
  const [text, setText] = useState('');
  const sending = useSend();
  const why = typed !== undefined && text.trim() !== typed ? `Type ${typed} first.` : undefined;
  return (
    <Dialog opened onClose={close} title={title} size={440}>
      <Form
        sending={sending}
        submit={act}
        look="reject"
        why={why}
        close={close}
        onSubmit={async () => {
          await run();
          close();
        }}
      >
        <div className="form-text">{children}</div>
        {typed !== undefined && (
          <Field
            label={`Type ${typed} to confirm`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
      </Form>
    </Dialog>
  );
};
