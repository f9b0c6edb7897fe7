/** An OpenID provider for single sign-on, and the address of the console that it sends browsers back to. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name of the provider on the sign-in page. */
  readonly label: string;
  /** Whether an e-mail address counts as verified without the claim `email_verified`. */
  readonly trustsEmail: boolean;
  /** Origin of the console. */
  readonly consoleOrigin: string;
}

const REQUIRED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'CONSOLE_URL'] as const;
const MAX_LABEL = 40;

/** Over plain HTTP, anybody on the way could sign in as anybody. On this machine there is no way. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname));
const urlOf = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isSafe(url)) return undefined;
  return url.username + url.password + url.search + url.hash === '' ? url : undefined;
};

/** Addresses of Microsoft for the people of all organisations, any of which could claim any e-mail address. */
const isForAnyTenant = (issuer: string): boolean =>
  /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/i.test(issuer);

/** Reads the settings of the single sign-on. Undefined without any of them. Adds to `errors`, without the secret. */
export const readOidc = (get: (name: string) => string | undefined, errors: string[]): OidcSettings | undefined => {
  const [issuer, clientId, clientSecret, consoleUrl] = REQUIRED.map(get);
  const label = get('OIDC_NAME') ?? 'single sign-on';
  const trust = get('OIDC_TRUST_EMAIL') ?? 'off';
  const consoleAt = consoleUrl === undefined ? undefined : urlOf(consoleUrl);
  if (consoleUrl !== undefined && (consoleAt === undefined || consoleAt.pathname !== '/'))
    errors.push(
      `CONSOLE_URL must be a URL such as https://fraud.example.com, without a path, and https:// unless it is this machine; not "${consoleUrl}"`,
    );
  if (issuer !== undefined && urlOf(issuer) === undefined)
    errors.push(
      `OIDC_ISSUER must be a URL such as https://id.example.com, and https:// unless it is this machine; not "${issuer}"`,
    );
  if (issuer !== undefined && isForAnyTenant(issuer))
    errors.push('OIDC_ISSUER must name your tenant: https://login.microsoftonline.com/<tenant id>/v2.0');
  if (label.length > MAX_LABEL) errors.push(`OIDC_NAME must have at most ${MAX_LABEL} characters`);
  if (!['on', 'off'].includes(trust)) errors.push(`OIDC_TRUST_EMAIL must be on or off, not "${trust}"`);
  const present = REQUIRED.filter((name) => name !== 'CONSOLE_URL' && get(name) !== undefined);
  if (present.length === 0) return undefined;
  const missing = REQUIRED.filter((name) => get(name) === undefined);
  if (missing.length > 0) errors.push(`${present[0]} needs ${missing.join(', ')}: single sign-on takes all of them`);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, label, trustsEmail: trust === 'on', consoleOrigin: consoleAt?.origin ?? '' };
};
