import { useQuery } from '@tanstack/react-query';
import { type Environment, getSignIn, type SignInMethods } from './session.ts';

const useSignInMethods = (): SignInMethods | undefined =>
  useQuery({ queryKey: ['sign-in'], queryFn: getSignIn, staleTime: Number.POSITIVE_INFINITY }).data;

/** The identity provider; null without one, undefined until it is known. */
export const useSso = (): SignInMethods['sso'] | undefined => useSignInMethods()?.sso;

/** The address of an environment that is served under another host name; undefined if this host serves it. */
export const useHostOf = (): ((environment: Environment) => string | undefined) => {
  const data = useSignInMethods();
  return (environment) => {
    const host = data?.hosts[environment] ?? location.hostname;
    if (host === location.hostname) return undefined;
    const port = location.port === '' ? '' : `:${location.port}`;
    return `${location.protocol}//${host}${port}/console/${environment}`;
  };
};
