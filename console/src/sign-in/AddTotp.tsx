import { type FormEvent, type ReactNode, useState } from 'react';
import { confirmTotp, makeTotp, type TotpSecret } from '../api/session.ts';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Field } from '../parts/Field.tsx';
import { ErrorNotice, useStep } from './SignInForm.tsx';

interface ConfirmProps {
  readonly totp: TotpSecret;
  readonly head?: ReactNode;
  readonly cancel: string;
  readonly onEnd: () => void;
}
/** Shows the secret and the recovery codes once, and turns the second factor on with a first code. */
export const ConfirmTotp = ({ totp, head, cancel, onEnd }: ConfirmProps) => {
  const [code, setCode] = useState('');
  const { isBusy, error, run } = useStep();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      await confirmTotp(code.trim());
      onEnd();
    });
  };
  return (
    <form onSubmit={submit}>
      {head}
      <p className="gate-lead">Enter the key in an authenticator app, and keep the recovery codes in a safe place.</p>
      <div className="secret">
        <div>
          Key: <Copy value={totp.secret} />
        </div>
        <a href={totp.uri}>Open an app on this device</a>
        <ul className="codes" aria-label="Recovery codes">
          {totp.recovery_codes.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <div>
          <Copy value={totp.recovery_codes.join('\n')} label="Copy the recovery codes" />
        </div>
      </div>
      <ErrorNotice error={error} />
      <Field
        label="Code"
        note="Six digits from the app."
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        autoComplete="one-time-code"
        inputMode="numeric"
        required
      />
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Turn on
        </Button>
        <Button onClick={onEnd}>{cancel}</Button>
      </div>
    </form>
  );
};

/** Offers a second factor. The password is still known from the step before. */
export const AddTotp = ({ password, onEnd }: { password: string; onEnd: () => void }) => {
  const [totp, setTotp] = useState<TotpSecret | undefined>();
  const { isBusy, error, run } = useStep();
  if (totp !== undefined)
    return <ConfirmTotp totp={totp} head={<h1>Add it to your app</h1>} cancel="Not now" onEnd={onEnd} />;
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <div>
        <h1>Protect your account</h1>
        <p className="gate-lead">
          With an authenticator app, a stolen password is not enough to sign in. You can add it later, too.
        </p>
      </div>
      <ErrorNotice error={error} />
      <div className="row-buttons">
        <Button look="primary" busy={isBusy} onClick={() => void run(async () => setTotp(await makeTotp(password)))}>
          Add an app
        </Button>
        <Button onClick={onEnd}>Not now</Button>
      </div>
    </form>
  );
};
