import { useEffect, useState } from 'react';
import { Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { changeMe, type Me, me } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Card } from '../parts/Card.tsx';
import { Field, PasswordField } from '../parts/Field.tsx';
import { formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Face } from '../shell/Nav.tsx';
import { Preferences } from './Preferences.tsx';
import { Sessions } from './Sessions.tsx';
import { Totp } from './Totp.tsx';
import '../admin/admin.css';
import './me.css';

const Saved = ({ isShown }: { isShown: boolean }) => (
  <span role="status">
    {isShown && (
      <span className="saved">
        <Icon name="check" size={16} /> Saved
      </span>
    )}
  </span>
);

const Name = ({ person }: { person: Me }) => {
  const [name, setName] = useState(person.name);
  const [isSaved, setSaved] = useState(false);
  const sending = useSend();
  return (
    <Card title="Name">
      <Form
        sending={sending}
        submit="Save"
        more={<Saved isShown={isSaved} />}
        onSubmit={async () => {
          await changeMe({ name: name.trim() });
          setSaved(true);
        }}
      >
        <Field
          label="Your name"
          value={name}
          error={sending.errorOf('name')}
          maxLength={200}
          autoComplete="name"
          required
          onChange={(event) => {
            setName(event.currentTarget.value);
            setSaved(false);
          }}
        />
      </Form>
    </Card>
  );
};

const Password = ({ person }: { person: Me }) => {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isSaved, setSaved] = useState(false);
  const sending = useSend();
  return (
    <Card title="Password">
      <Form
        sending={sending}
        submit="Change password"
        more={<Saved isShown={isSaved} />}
        onSubmit={async () => {
          await changeMe({ password: next, current_password: current });
          setCurrent('');
          setNext('');
          setSaved(true);
        }}
      >
        {/* For password managers: which account the password belongs to. */}
        <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
        <PasswordField
          label="Current password"
          value={current}
          error={sending.errorOf('current_password')}
          autoComplete="current-password"
          required
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordField
          label="New password"
          note="At least 12 characters. Changing it ends your other sessions."
          value={next}
          error={sending.errorOf('password')}
          minLength={12}
          autoComplete="new-password"
          required
          onChange={(event) => {
            setNext(event.currentTarget.value);
            setSaved(false);
          }}
        />
      </Form>
    </Card>
  );
};

const NoPassword = () => (
  <Card title="Password">
    <p className="dim">
      You sign in with single sign-on and have no password. An administrator can create a link for you to set one.
    </p>
  </Card>
);

/** The signed-in person: name, password, second factor, sessions, and how the console behaves. */
export default function MePage() {
  const person = useStore(me);
  useEffect(() => {
    document.title = 'Your page · Portcullis';
  }, []);
  if (!person) return null;
  const roles = Object.entries(person.roles).filter(([, role]) => role !== null);
  return (
    <>
      <div className="page-head me-head">
        <Face name={person.name} />
        <div>
          <h1>{person.name}</h1>
          <p className="dim">
            {person.email} · {roles.map(([name, role]) => `${formatName(role ?? '')} in ${name}`).join(', ')}
          </p>
        </div>
      </div>
      <div className="me-grid">
        <div className="sheet">
          <Name person={person} />
          {person.has_password ? <Password person={person} /> : <NoPassword />}
          {person.has_password && <Totp person={person} />}
        </div>
        <div className="sheet">
          <Preferences />
          <Sessions />
        </div>
      </div>
    </>
  );
}
