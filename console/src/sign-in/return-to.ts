/** The page of the console that was asked for before the sign-in; undefined without one. */
export const returnTo = (): string | undefined => {
  const to = new URLSearchParams(location.search).get('to');
  return to?.startsWith('/console/') === true ? to : undefined;
};
