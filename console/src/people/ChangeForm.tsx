import { useState } from 'react';
import { Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { clientOf } from '../api/client.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { RoleFields } from './RoleFields.tsx';
import { changeRoles, ENVIRONMENTS, type Member, useManaged } from './use-people.ts';

/** Changes the name and the roles of a person. */
export const ChangeForm = ({
  of,
  close,
  onDone,
}: {
  of: Member;
  close: () => void;
  onDone: () => Promise<unknown>;
}) => {
  const managed = useManaged();
  const [name, setName] = useState(of.name);
  const [roles, setRoles] = useState(of.roles);
  const sending = useSend();
  const isNowhere = ENVIRONMENTS.every((one) => roles[one] === null);
  const save = async (): Promise<void> => {
    try {
      const at = managed.find((one) => of.roles[one] !== null);
      if (name.trim() !== of.name && at !== undefined)
        await clientOf(at).people.changePerson(of.person_id, { name: name.trim() });
      await changeRoles({ ...of, name: name.trim() }, roles);
      close();
    } finally {
      // A part of it may be done.
      await onDone();
    }
  };
  return (
    <Dialog opened onClose={close} title={of.email} size={520}>
      <Form
        sending={sending}
        submit="Save"
        why={isNowhere ? 'A person needs a role. Remove the person instead.' : undefined}
        close={close}
        onSubmit={save}
      >
        <Field
          label="Name"
          value={name}
          error={sending.errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <RoleFields roles={roles} onChange={setRoles} />
        <p className="dim">Changing a role ends all sessions of this person. They sign in again with the new role.</p>
      </Form>
    </Dialog>
  );
};
