import { useLocation, useSearch } from 'wouter';

/** The query of the address as it is. The router decodes parts of it, which changes values with a `%`. */
export const useAddressQuery = (): string => {
  useSearch();
  return location.search;
};

/** The last part of the path as it is, such as the id of a user. */
export const useLastPart = (): string => {
  useLocation();
  const part = location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
