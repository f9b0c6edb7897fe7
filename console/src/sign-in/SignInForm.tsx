import { type FormEvent, useState } from 'react';
import { type SessionError, sendCode, signIn } from '../api/session.ts';
import { Button } from '../parts/Button.tsx';
import { Field, PasswordField } from '../parts/Field.tsx';
import { plural } from '../parts/format.ts';
import { useNow } from '../parts/Time.tsx';

/** Runs one step at a time, and keeps its error. */
export const useStep = () => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<SessionError | undefined>();
  const run = async (step: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await step();
    } catch (failure) {
      setError(failure as SessionError);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
};

const waitOf = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute');
};

/** Counts down to the next attempt. A screen reader hears the wait once, and its end. */
const Wait = ({ until }: { until: number }) => {
  const leftMs = until - useNow(500);
  const [whole] = useState(leftMs);
  if (leftMs <= 0) return <p className="notice is-plain">You can try again now.</p>;
  return (
    <p className="notice">
      Too many attempts. <span className="unseen">Try again in {waitOf(whole)}.</span>
      <span aria-hidden="true">Try again in {waitOf(leftMs)}.</span>
    </p>
  );
};

export const ErrorNotice = ({ error }: { error: SessionError | undefined }) => (
  <div role="alert">
    {error?.until !== undefined ? (
      <Wait key={error.until} until={error.until} />
    ) : (
      error !== undefined && <p className="notice">{error.message}</p>
    )}
  </div>
);

const CodeForm = ({ ticket, startOver }: { ticket: string; startOver: () => void }) => {
  const [code, setCode] = useState('');
  const { isBusy, error, run } = useStep();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(() => sendCode(ticket, code.trim()));
  };
  return (
    <form onSubmit={submit}>
      <ErrorNotice error={error} />
      <Field
        label="Code"
        note="Six digits from your authenticator app, or a recovery code."
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        autoComplete="one-time-code"
        required
        autoFocus
      />
      <Button type="submit" look="primary" busy={isBusy}>
        Continue
      </Button>
      <Button look="ghost" onClick={startOver}>
        Start over
      </Button>
    </form>
  );
};

/** Password, then the code if the person has a second factor. With `email`, only that person can sign in. */
export const SignInForm = ({ email: fixed }: { email?: string }) => {
  const [email, setEmail] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [ticket, setTicket] = useState<string | null>(null);
  const { isBusy, error, run } = useStep();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => setTicket((await signIn(email.trim(), password)).ticket));
  };
  if (ticket !== null) return <CodeForm ticket={ticket} startOver={() => setTicket(null)} />;
  return (
    <form onSubmit={submit}>
      <ErrorNotice error={error} />
      <Field
        label="E-mail address"
        type="email"
        name="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        autoComplete="username"
        readOnly={fixed !== undefined}
        required
        autoFocus={fixed === undefined}
      />
      <PasswordField
        label="Password"
        name="password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="current-password"
        required
        autoFocus={fixed !== undefined}
      />
      <Button type="submit" look="primary" busy={isBusy}>
        Sign in
      </Button>
    </form>
  );
};
