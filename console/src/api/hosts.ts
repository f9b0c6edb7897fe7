import { useQuery } from '@tanstack/react-query';
import { type Environment, getSignIn } from './session.ts';

/** The address of an environment that is served under another host name; undefined if this host serves it. */
export const useHostOf = (): ((environment: Environment) => string | undefined) => {
  const { data } = useQuery({ queryKey: ['sign-in'], queryFn: getSignIn, staleTime: Number.POSITIVE_INFINITY });
  return (environment) => {
    const host = data?.hosts[environment] ?? location.hostname;
    if (host === location.hostname) return undefined;
    const port = location.port === '' ? '' : `:${location.port}`;
    return `${location.protocol}//${host}${port}/console/${environment}`;
  };
};
