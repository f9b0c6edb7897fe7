/** Other domains of a provider, under which the same mailbox receives mail. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['googlemail.com', 'gmail.com'],
  ['pm.me', 'proton.me'],
  ['protonmail.com', 'proton.me'],
]);
/** Providers that ignore dots before the @. */
const IGNORES_DOTS: ReadonlySet<string> = new Set(['gmail.com', 'proton.me']);

/**
 * The mailbox that an e-mail address in lower case belongs to. One person can write `ada+1@`, `ada+2@` and, at some
 * providers, `a.da@`, and receives all of it.
 */
export const mailboxOf = (address: string): string => {
  const at = address.lastIndexOf('@');
  const written = address.slice(at + 1);
  const domain = ALIASES.get(written) ?? written;
  const tag = address.indexOf('+');
  const end = tag > 0 && tag < at ? tag : at;
  if (end === at && domain === written && !IGNORES_DOTS.has(domain)) return address;
  const name = address.slice(0, end);
  return `${IGNORES_DOTS.has(domain) ? name.replaceAll('.', '') || name : name}@${domain}`;
};
