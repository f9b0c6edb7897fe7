import { type FormEvent, useState } from 'react';
import { acceptLink, enter, type Me, me, type SignedIn, sendCode } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Field, PasswordField } from '../parts/Field.tsx';
import { AddTotp } from './AddTotp.tsx';
import { Gate } from './Gate.tsx';
import { ErrorNotice, useStep } from './SignInForm.tsx';
import './sign-in.css';

/** The token is in the fragment, which browsers send to no server. It leaves the address bar as soon as it is read. */
const readToken = (): string => {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
};

interface LinkFormProps {
  readonly token: string;
  readonly isFirst: boolean;
  readonly onDone: (signedIn: SignedIn, password: string) => void;
}

const LinkForm = ({ token, isFirst, onDone }: LinkFormProps) => {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, error, run } = useStep();
  const errorOf = (field: string): string | undefined => error?.fields.find((one) => one.field === field)?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const person = isFirst ? { email: email.trim(), name: name.trim() } : {};
    void run(async () => onDone(await acceptLink({ token, password, ...person }), password));
  };
  return (
    <form onSubmit={submit}>
      <div>
        <h1>{isFirst ? 'Set up Portcullis' : 'Set your password'}</h1>
        <p className="gate-lead">
          {isFirst ? 'You become the administrator of the sandbox and of production.' : 'You are signed in afterwards.'}
        </p>
      </div>
      {error !== undefined && error.fields.length === 0 && <ErrorNotice error={error} />}
      {isFirst && (
        <>
          <Field
            label="Your name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
            autoComplete="name"
            required
            autoFocus
          />
          <Field
            label="E-mail address"
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errorOf('email')}
            autoComplete="username"
            required
          />
        </>
      )}
      <PasswordField
        label="Password"
        note="At least 12 characters."
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={errorOf('password')}
        minLength={12}
        autoComplete="new-password"
        required
        autoFocus={!isFirst}
      />
      <Button type="submit" look="primary" busy={isBusy}>
        Continue
      </Button>
    </form>
  );
};

const CodeStep = ({ ticket }: { ticket: string }) => {
  const [code, setCode] = useState('');
  const { isBusy, error, run } = useStep();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(() => sendCode(ticket, code.trim()));
  };
  return (
    <form onSubmit={submit}>
      <div>
        <h1>Enter your code</h1>
        <p className="gate-lead">Your password is set.</p>
      </div>
      <ErrorNotice error={error} />
      <Field
        label="Code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        autoComplete="one-time-code"
        required
        autoFocus
      />
      <Button type="submit" look="primary" busy={isBusy}>
        Sign in
      </Button>
    </form>
  );
};

/** `/start` and `/invite`: a link sets the password, then offers a second factor. */
export default function UseLink({ isFirst }: { isFirst: boolean }) {
  const [token] = useState(readToken);
  const [done, setDone] = useState<{ person: Me; password: string } | undefined>();
  const [ticket, setTicket] = useState<string | null>(null);
  const known = useStore(me);
  if (done !== undefined)
    return (
      <Gate isWide>
        <AddTotp password={done.password} onEnd={() => enter(done.person)} />
      </Gate>
    );
  if (ticket !== null)
    return (
      <Gate>
        <CodeStep ticket={ticket} />
      </Gate>
    );
  if (token === '')
    return (
      <Gate>
        <EmptyState
          icon="alert"
          title="This link is incomplete"
          more={<a href="/console">{known ? 'Go to the console' : 'Sign in'}</a>}
        >
          Open the complete link that you were given. The operator of the service can create another with{' '}
          <span className="mono">portcullis people link</span>.
        </EmptyState>
      </Gate>
    );
  return (
    <Gate>
      <LinkForm
        token={token}
        isFirst={isFirst}
        onDone={({ me: person, ticket: next }, password) =>
          person === null ? setTicket(next) : setDone({ person, password })
        }
      />
    </Gate>
  );
}
