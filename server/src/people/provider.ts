import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { OidcSettings } from '../oidc-settings.ts';
import type { Log } from '../runtime/log.ts';
import type { Identity } from './identity-store.ts';
import { type Oidc, reasonOf, refusalOf } from './provider-errors.ts';

const TIMEOUT_SECONDS = 10;
/** How long the provider's description is used. Short, so that a sign-in notices at its start that the provider is away. */
const DESCRIBED_MS = 15_000;

/** Secrets of one sign-in, which the browser keeps sealed between start and end. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** PKCE: proves to the provider that the same service began the sign-in. */
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface ProvidedPerson {
  readonly identity: Identity;
  /** The verified e-mail address; undefined without one. */
  readonly readEmail: () => Promise<string | undefined>;
}

/** Loaded at the first use: most installations have no provider. */
const load = (): Promise<Oidc> => import('openid-client');

/**
 * The verified e-mail address of claims. An address in another Unicode form than NFKC is refused: normalised, it could be
 * the address of another person.
 */
const emailIn = ({ email, email_verified: verified }: IDToken | UserInfoResponse, trusts: boolean) => {
  // Some providers send booleans as text.
  const isVerified = verified === true || verified === 'true' || (trusts && verified === undefined);
  return typeof email === 'string' && isVerified && email === email.normalize('NFKC') ? email : undefined;
};

/** The page of the console that the provider sends browsers back to. */
const CALLBACK = '/console/sso';
/** The host names of the environments are ours, too. Any other `Host` header is not believed. */
const redirectUriOf = (origin: string, hosts: readonly unknown[], host: string | undefined): string => {
  const url = new URL(CALLBACK, origin);
  const name = host?.replace(/:\d+$/, '').toLowerCase();
  if (name !== undefined && hosts.includes(name)) url.hostname = name;
  return url.href;
};

/** An OpenID provider, spoken to over the network. Its failures become errors that say what the person can do. */
export const makeProvider = (settings: OidcSettings, hosts: readonly unknown[], log: Log) => {
  const { issuer, clientId, clientSecret, label, trustsEmail } = settings;
  let described: { readonly config: Promise<Configuration>; readonly until: number } | undefined;

  const describe = async (): Promise<Configuration> => {
    const oidc = await load();
    const execute = [
      oidc.enableNonRepudiationChecks,
      ...(new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ];
    const options = { timeout: TIMEOUT_SECONDS, execute };
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), options);
    const metadata = found.serverMetadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    const config = new oidc.Configuration(metadata, clientId, undefined, authenticate(clientSecret));
    config.timeout = TIMEOUT_SECONDS;
    for (const extend of execute) extend(config);
    return config;
  };
  /** One request at a time, for all people. A failure is not kept. */
  const configuration = (): Promise<Configuration> => {
    const now = performance.now();
    if (described !== undefined && now < described.until) return described.config;
    const asked = { config: describe(), until: now + DESCRIBED_MS };
    described = asked;
    asked.config.catch(() => {
      if (described === asked) described = undefined;
    });
    return asked.config;
  };

  const attempt = async <Result>(step: (oidc: Oidc, config: Configuration) => Promise<Result>): Promise<Result> => {
    const oidc = await load();
    try {
      return await step(oidc, await configuration());
    } catch (error) {
      log.warn(reasonOf(error), 'single sign-on failed');
      throw refusalOf(oidc, error, label);
    }
  };

  return {
    label,
    /** Where the provider sends a browser back to that began at this host. */
    redirectUriAt: (host: string | undefined): string => redirectUriOf(settings.consoleOrigin, hosts, host),
    /** Where the browser signs in. */
    urlOf: ({ state, nonce, verifier, redirectUri }: Checks): Promise<string> =>
      attempt(async (oidc, config) => {
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return url.href;
      }),
    /** Exchanges the code in the query with which the browser came back. */
    finish: (query: string, { state, nonce, verifier, redirectUri }: Checks): Promise<ProvidedPerson> =>
      attempt(async (oidc, config) => {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
        const cameBack = new URL(redirectUri);
        cameBack.search = query;
        const tokens = await oidc.authorizationCodeGrant(config, cameBack, checks);
        const claims = tokens.claims() as IDToken;
        const readEmail = async (): Promise<string | undefined> => {
          // Many providers leave the address out of the token.
          if (claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined)
            return emailIn(claims, trustsEmail);
          const info = await attempt(() => oidc.fetchUserInfo(config, tokens.access_token, claims.sub));
          return emailIn(info, trustsEmail);
        };
        return { identity: { issuer: claims.iss, subject: claims.sub }, readEmail };
      }),
  };
};
export type Provider = ReturnType<typeof makeProvider>;
