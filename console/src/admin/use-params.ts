import { useLocation, useSearch } from 'wouter';

type Change = Readonly<Record<string, string | undefined>>;

/** The query of the address, which holds the filters and the picked row of a page. An empty value is removed. */
export const useParams = () => {
  const [at, go] = useLocation();
  const params = new URLSearchParams(useSearch());
  const change = (changes: Change, options: { replace: boolean } = { replace: true }): void => {
    const next = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes))
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    go(next.size === 0 ? at : `${at}?${next}`, options);
  };
  return [params, change] as const;
};
