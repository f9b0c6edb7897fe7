import type { PersonLink } from '@portcullis/client';
import { useState } from 'react';
import { Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { clientOf } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { RoleFields } from './RoleFields.tsx';
import { ENVIRONMENTS, type Roles } from './use-people.ts';

interface Props {
  readonly close: () => void;
  /** The link is null for a person who was in the account already. */
  readonly onAdded: (name: string, link: PersonLink | null) => void;
}

/** Adds a person. Each environment is a request of its own; the first one makes the link. */
export const InviteForm = ({ close, onAdded }: Props) => {
  const environment = useEnvironment();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<Roles>({ production: null, sandbox: null, [environment]: 'analyst' });
  const sending = useSend();
  const isNowhere = ENVIRONMENTS.every((one) => roles[one] === null);
  const invite = async (): Promise<void> => {
    let link: PersonLink | null = null;
    for (const one of ENVIRONMENTS) {
      const role = roles[one];
      if (role === null) continue;
      const added = await clientOf(one).people.addPerson({ email: email.trim(), name: name.trim(), role });
      link ??= added.link;
    }
    onAdded(name.trim(), link);
  };
  return (
    <Dialog opened onClose={close} title="Invite a person" size={520}>
      <Form
        sending={sending}
        submit="Invite"
        why={isNowhere ? 'Choose a role in an environment.' : undefined}
        close={close}
        onSubmit={invite}
      >
        <Field
          label="Name"
          value={name}
          error={sending.errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          required
          data-autofocus
        />
        <Field
          label="E-mail address"
          type="email"
          note="The person signs in with it. It cannot be changed."
          value={email}
          error={sending.errorOf('email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="off"
          required
        />
        <RoleFields roles={roles} onChange={setRoles} />
        <p className="dim">You get a link to give to the person. The service sends no e-mail.</p>
      </Form>
    </Dialog>
  );
};
