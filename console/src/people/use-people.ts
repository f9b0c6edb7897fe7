import type { Person, PersonRequest } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { clientOf } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { type Environment, me } from '../api/session.ts';
import { useStore } from '../api/store.ts';

export type Role = PersonRequest['role'];
export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Roles = Readonly<Record<Environment, Role | null>>;

/** A person with the roles of both environments, as far as they can be seen. */
export interface Member extends Omit<Person, 'role'> {
  readonly roles: Roles;
}

/** The environments whose people the signed-in person manages. */
export const useManaged = (): readonly Environment[] => {
  const person = useStore(me);
  return ENVIRONMENTS.filter((environment) => person?.permissions[environment].includes('administer') ?? false);
};

const merge = (lists: readonly (readonly [Environment, readonly Person[]])[]): readonly Member[] => {
  const members = new Map<string, Member>();
  for (const [environment, people] of lists)
    for (const { role, ...person } of people) {
      const before = members.get(person.person_id);
      const roles = { production: null, sandbox: null, ...before?.roles, [environment]: role };
      members.set(person.person_id, { ...person, roles });
    }
  return [...members.values()].sort((a, b) => a.name.localeCompare(b.name));
};

/** Everybody of the environments that the person manages. */
export const usePeople = () => {
  const environment = useEnvironment();
  const managed = useManaged();
  return useQuery({
    queryKey: ['people', managed],
    queryFn: async ({ signal }) => {
      const read = async (one: Environment) => [one, (await clientOf(one).people.list({ signal })).people] as const;
      return merge(await Promise.all(managed.map(read)));
    },
    enabled: managed.includes(environment),
  });
};

/** Gives a member other roles. Each environment is a request of its own. */
export const changeRoles = async (
  member: Pick<Member, 'person_id' | 'email' | 'name' | 'roles'>,
  roles: Roles,
): Promise<void> => {
  const { person_id, email, name } = member;
  for (const environment of ENVIRONMENTS) {
    const before = member.roles[environment];
    const role = roles[environment];
    if (role === before) continue;
    const { people } = clientOf(environment);
    if (role === null) await people.removePerson(person_id);
    else if (before === null) await people.addPerson({ email, name, role });
    else await people.changePerson(person_id, { role });
  }
};
