import { useState } from 'react';
import { Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { loadMe, type Me, makeTotp, removeTotp, type TotpSecret } from '../api/session.ts';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, PasswordField } from '../parts/Field.tsx';
import { ConfirmTotp } from '../sign-in/AddTotp.tsx';
import '../sign-in/sign-in.css';

const Add = ({ close }: { close: () => void }) => {
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState<TotpSecret | undefined>();
  const sending = useSend();
  return (
    <Dialog opened onClose={close} title="Add an authenticator app" size={520}>
      {totp === undefined ? (
        <Form
          sending={sending}
          submit="Continue"
          close={close}
          onSubmit={async () => setTotp(await makeTotp(password))}
        >
          <PasswordField
            label="Current password"
            value={password}
            error={sending.errorOf('current_password')}
            autoComplete="current-password"
            required
            data-autofocus
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </Form>
      ) : (
        <div className="over">
          <ConfirmTotp
            totp={totp}
            cancel="Cancel"
            onEnd={() => {
              close();
              void loadMe();
            }}
          />
        </div>
      )}
    </Dialog>
  );
};

const Remove = ({ close }: { close: () => void }) => {
  const [code, setCode] = useState('');
  const sending = useSend();
  return (
    <Dialog opened onClose={close} title="Remove the second factor" size={440}>
      <Form
        sending={sending}
        submit="Remove"
        look="reject"
        close={close}
        onSubmit={async () => {
          await removeTotp(code.trim());
          await loadMe();
          close();
        }}
      >
        <p className="dim">After that, your password alone is enough to sign in.</p>
        <Field
          label="Code"
          note="Six digits from your app, or a recovery code."
          value={code}
          error={sending.errorOf('code')}
          autoComplete="one-time-code"
          required
          data-autofocus
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </Form>
    </Dialog>
  );
};

/** The second factor. */
export const Totp = ({ person }: { person: Me }) => {
  const [layer, setLayer] = useState<'add' | 'remove' | undefined>();
  const close = (): void => setLayer(undefined);
  return (
    <Card
      title="Second factor"
      more={
        person.has_totp ? (
          <span className="badge badge-approved">On</span>
        ) : (
          <span className="badge badge-plain">Off</span>
        )
      }
    >
      <div className="form">
        <p className="dim">
          {person.has_totp
            ? 'You enter a code from your authenticator app when you sign in.'
            : 'With an authenticator app, a stolen password is not enough to sign in.'}
        </p>
        <div className="form-buttons">
          {person.has_totp ? (
            <Button onClick={() => setLayer('remove')}>Remove…</Button>
          ) : (
            <Button onClick={() => setLayer('add')}>Add an app…</Button>
          )}
        </div>
      </div>
      {layer === 'add' && <Add close={close} />}
      {layer === 'remove' && <Remove close={close} />}
    </Card>
  );
};
