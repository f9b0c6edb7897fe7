import type { PersonLink } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Confirm } from '../admin/Confirm.tsx';
import { RoleRequired } from '../admin/RoleRequired.tsx';
import { ShownOnceDialog } from '../admin/ShownOnceDialog.tsx';
import { clientOf } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { me } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDayTime, formatName } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { Face } from '../shell/Nav.tsx';
import { ChangeForm } from './ChangeForm.tsx';
import { InviteForm } from './InviteForm.tsx';
import { changeRoles, type Member, type Role, useManaged, usePeople } from './use-people.ts';
import '../admin/admin.css';
import './people.css';

const RoleBadge = ({ role }: { role: Role | null }) =>
  role === null ? <span className="dim">No role</span> : <span className="badge badge-plain">{formatName(role)}</span>;

/** The second factor of somebody without an authenticator app. */
const withoutTotp = ({ has_password, has_sso }: Member): string => {
  if (has_password) return 'Off';
  return has_sso ? 'Single sign-on' : '–';
};

interface RowProps {
  readonly one: Member;
  readonly isMe: boolean;
  readonly onChange: () => void;
  readonly onLink: () => void;
  readonly onTotp: () => void;
  readonly onRemove: () => void;
}
const Row = ({ one, isMe, onChange, onLink, onTotp, onRemove }: RowProps) => {
  const managed = useManaged();
  return (
    <tr>
      <td>
        <span className="person">
          <Face name={one.name} />
          <span>
            <span className="row-name">
              {one.name}
              {isMe && <span className="badge badge-accent">You</span>}
            </span>
            <span className="row-note">{one.email}</span>
          </span>
        </span>
      </td>
      {managed.map((environment) => (
        <td key={environment} data-name={formatName(environment)}>
          <RoleBadge role={one.roles[environment]} />
        </td>
      ))}
      <td data-name="Second factor">
        {one.has_totp ? <span>On</span> : <span className="dim">{withoutTotp(one)}</span>}
      </td>
      <td data-name="Last sign-in">
        {one.signed_in_at === null ? (
          <span className="badge badge-review">{one.has_password ? 'Never' : 'Invited'}</span>
        ) : (
          <Time at={one.signed_in_at} as={formatDayTime} />
        )}
      </td>
      <td data-name="Added">
        <Time at={one.created_at} as={formatDayTime} />
      </td>
      <td className="end row-actions">
        <Menu
          width={220}
          position="bottom-end"
          button={<Button small icon="more" label={`Actions for ${one.name}`} />}
          items={[
            { id: 'change', label: 'Change…', run: onChange },
            { id: 'link', label: one.has_password ? 'Reset link…' : 'New invitation link…', run: onLink },
            { id: 'totp', label: 'Turn second factor off…', isDisabled: isMe || !one.has_totp, run: onTotp },
            { id: 'remove', label: 'Remove…', isDisabled: isMe, run: onRemove },
          ]}
        />
      </td>
    </tr>
  );
};

interface Shown {
  readonly name: string;
  readonly link: PersonLink;
}

/** Who may sign in, with which role. */
export default function People() {
  const environment = useEnvironment();
  const queries = useQueryClient();
  const why = useWhyNot('administer');
  const managed = useManaged();
  const mine = useStore(me)?.person_id;
  const list = usePeople();
  const [isInviting, setInviting] = useState(false);
  const [changed, setChanged] = useState<Member | undefined>();
  const [removed, setRemoved] = useState<Member | undefined>();
  const [asked, setAsked] = useState<Member | undefined>();
  const [totpRemoval, setTotpRemoval] = useState<Member | undefined>();
  const [shown, setShown] = useState<Shown | undefined>();
  /** The client of an environment where the person has a role, of this one if possible. */
  const clientFor = ({ roles }: Member) =>
    clientOf([environment, ...managed].find((one) => roles[one] !== null) ?? environment);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['people'] });
  useEffect(() => {
    document.title = 'People · Portcullis';
  }, []);
  useKeys('People', [
    { keys: 'n', label: 'Invite a person', run: () => setInviting(true), disabled: why !== undefined },
  ]);
  return (
    <>
      <div className="page-head">
        <h1>People {list.data !== undefined && <span className="dim num">{formatCount(list.data.length)}</span>}</h1>
        <div className="page-more actions">
          <Button look="primary" hint="N" why={why} onClick={() => setInviting(true)}>
            Invite
          </Button>
        </div>
      </div>
      {why !== undefined ? (
        <RoleRequired why={why}>Only administrators can see and change who has access.</RoleRequired>
      ) : list.data === undefined ? (
        list.isError ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : (
          <Skeleton rows={5} height={36} />
        )
      ) : (
        <section className="card table-card" aria-label="People">
          <table className="rows">
            <thead>
              <tr>
                {['Name', ...managed.map(formatName), 'Second factor', 'Last sign-in', 'Added'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.data.map((one) => (
                <Row
                  key={one.person_id}
                  one={one}
                  isMe={one.person_id === mine}
                  onChange={() => setChanged(one)}
                  onLink={() => setAsked(one)}
                  onTotp={() => setTotpRemoval(one)}
                  onRemove={() => setRemoved(one)}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {why === undefined && (
        <p className="dim people-foot">
          Your own name, password and second factor are on <Link href="/me">your page</Link>.
        </p>
      )}
      {isInviting && (
        <InviteForm
          close={() => setInviting(false)}
          onAdded={(name, link) => {
            setInviting(false);
            if (link !== null) setShown({ name, link });
            void refresh();
          }}
        />
      )}
      {changed !== undefined && <ChangeForm of={changed} close={() => setChanged(undefined)} onDone={refresh} />}
      {asked !== undefined && (
        <Confirm
          title={`Link for ${asked.name}`}
          act="Create link"
          close={() => setAsked(undefined)}
          run={async () => {
            const { people } = clientFor(asked);
            setShown({ name: asked.name, link: await people.createPersonLink(asked.person_id) });
          }}
        >
          <p>
            With the link, the person sets a new password. It works once, for 24 hours, and replaces earlier links. The
            second factor stays on.
          </p>
        </Confirm>
      )}
      {totpRemoval !== undefined && (
        <Confirm
          title={`Second factor of ${totpRemoval.name}`}
          act="Turn off"
          close={() => setTotpRemoval(undefined)}
          run={() => clientFor(totpRemoval).people.removePersonTotp(totpRemoval.person_id).finally(refresh)}
        >
          <p>
            For a lost app and lost recovery codes. {totpRemoval.name} is signed out immediately, and signs in with the
            password alone until they add an app again. Make sure that the request really comes from them.
          </p>
        </Confirm>
      )}
      {removed !== undefined && (
        <Confirm
          title={`Remove ${removed.name}`}
          act="Remove"
          typed={removed.email}
          close={() => setRemoved(undefined)}
          run={async () => {
            const roles = { ...removed.roles, ...Object.fromEntries(managed.map((one) => [one, null])) };
            await changeRoles(removed, roles).finally(refresh);
          }}
        >
          <p>
            {removed.name} loses every role in {managed.join(' and ')}and is signed out immediately.
          </p>
        </Confirm>
      )}
      {shown !== undefined && (
        <ShownOnceDialog
          title={`Link for ${shown.name}`}
          label="Link"
          value={location.origin + shown.link.path}
          close={() => setShown(undefined)}
        >
          <p className="dim">
            Send it over a channel that you trust. It works once, until{' '}
            <Time at={shown.link.expires_at} as={formatDayTime} />.
          </p>
        </ShownOnceDialog>
      )}
    </>
  );
}
