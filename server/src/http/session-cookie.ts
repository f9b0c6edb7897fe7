/** The prefix makes browsers refuse the cookie from another host name, from a subdomain and over plain HTTP. */
const SECURE_NAME = '__Host-portcullis';
/** Over plain HTTP browsers take neither the prefix nor `Secure`. Only a browser on this machine gets this name. */
const LOOPBACK_NAME = 'portcullis';
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

const isLoopback = (host: string | undefined): boolean => host !== undefined && LOOPBACK_HOST.test(host);
const nameAt = (host: string | undefined): string => (isLoopback(host) ? LOOPBACK_NAME : SECURE_NAME);

/** The token of the session cookie; undefined for a header without one. Of two cookies, the first counts. */
export const sessionTokenIn = (cookies: string, host: string | undefined): string | undefined => {
  const prefix = `${nameAt(host)}=`;
  const found = cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(prefix));
  return found?.slice(prefix.length);
};

export const isToken = (token: string): boolean => TOKEN.test(token);

/** The `Set-Cookie` header that stores a token, or with an empty token deletes it. */
export const sessionCookie = (token: string, host: string | undefined, seconds: number): string =>
  `${nameAt(host)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isLoopback(host) ? '' : '; Secure'}`;
