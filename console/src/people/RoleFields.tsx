import { Choice } from '../admin/Form.tsx';
import type { Environment } from '../api/session.ts';
import { formatName } from '../parts/format.ts';
import { ENVIRONMENTS, type Role, type Roles, useManaged } from './use-people.ts';

const ROLES: readonly (readonly [Role | '', string])[] = [
  ['', 'No role'],
  ['reader', 'Reader'],
  ['analyst', 'Analyst'],
  ['manager', 'Manager'],
  ['admin', 'Admin'],
];
const MEANINGS: Readonly<Record<Role | '', string>> = {
  '': 'Cannot open this environment.',
  reader: 'Reads, without personal data.',
  analyst: 'Reads everything, resolves cases.',
  manager: 'Also changes rules, lists, policy and models.',
  admin: 'Everything, with keys and people.',
};

/** A role for each environment. One that the person does not manage cannot be changed. */
export const RoleFields = ({ roles, onChange }: { roles: Roles; onChange: (roles: Roles) => void }) => {
  const managed = useManaged();
  const isFixed = (environment: Environment): boolean => !managed.includes(environment);
  return (
    <div className="form-pair">
      {ENVIRONMENTS.map((environment) => (
        <Choice
          key={environment}
          label={`Role in ${environment}`}
          value={roles[environment] ?? ''}
          options={ROLES}
          disabled={isFixed(environment)}
          note={
            isFixed(environment)
              ? `Requires the role admin in ${formatName(environment).toLowerCase()}.`
              : MEANINGS[roles[environment] ?? '']
          }
          onPick={(role) => onChange({ ...roles, [environment]: role === '' ? null : (role as Role) })}
        />
      ))}
    </div>
  );
};
