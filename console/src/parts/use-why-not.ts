import { useEnvironment } from '../api/environment.tsx';
import { me } from '../api/session.ts';
import { useStore } from '../api/store.ts';

const PERMISSION_ROLES: Readonly<Record<string, string>> = {
  review: 'analyst',
  read_personal: 'analyst',
  tune: 'manager',
  administer: 'admin',
};
/** Why a person without a permission cannot do something. */
export const useWhyNot = (permission: 'review' | 'read_personal' | 'tune' | 'administer'): string | undefined => {
  const environment = useEnvironment();
  const person = useStore(me);
  if (!person || person.permissions[environment].includes(permission)) return undefined;
  return `Requires the role ${PERMISSION_ROLES[permission]}; yours is ${person.roles[environment] ?? 'none'}.`;
};
