import type { PortcullisClient } from '@portcullis/client';
import type { Permission } from '@portcullis/contract';
import { createContext, type ReactNode, useContext } from 'react';
import { clientOf } from './client.ts';
import { type Environment, me } from './session.ts';
import { useStore } from './store.ts';

const Context = createContext<Environment>('production');

export const EnvironmentProvider = ({ value, children }: { value: Environment; children: ReactNode }) => (
  <Context value={value}>{children}</Context>
);

export const useEnvironment = (): Environment => useContext(Context);
export const useClient = (): PortcullisClient => clientOf(useEnvironment());

/** Whether the person has a permission in the environment of the page. */
export const useMay = (permission: Permission): boolean => {
  const environment = useEnvironment();
  return useStore(me)?.permissions[environment].includes(permission) ?? false;
};
/** Who acts: the name under which cases are taken and resolved. */
export const useMyId = (): string => useStore(me)?.email ?? '';
