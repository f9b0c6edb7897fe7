/** The prefix makes browsers refuse the cookie from another host name, from a subdomain and over plain HTTP. */
const SECURE_NAME = '__Host-portcullis';
/** Over plain HTTP browsers take neither the prefix nor `Secure`. Only a browser on this machine gets this name. */
const LOOPBACK_NAME = 'portcullis';
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

const isLoopback = (host: string | undefined): boolean => host !== undefined && LOOPBACK_HOST.test(host);
const nameAt = (host: string | undefined): string => (isLoopback(host) ? LOOPBACK_NAME : SECURE_NAME);
/** The cookie of a single sign-on that has begun. */
const ssoNameAt = (host: string | undefined): string => `${nameAt(host)}-sso`;

/** The value of a cookie; undefined for a header without it. Of two cookies, the first counts. */
const valueIn = (cookies: string, name: string): string | undefined => {
  const prefix = `${name}=`;
  const found = cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(prefix));
  return found?.slice(prefix.length);
};

/** The token of the session cookie. */
export const sessionTokenIn = (cookies: string, host: string | undefined): string | undefined =>
  valueIn(cookies, nameAt(host));
/** The ticket of a single sign-on. */
export const ssoTicketIn = (cookies: string, host: string | undefined): string | undefined =>
  valueIn(cookies, ssoNameAt(host));

export const isToken = (token: string): boolean => TOKEN.test(token);

/** The `Set-Cookie` header that stores a value, or with an empty value deletes it. */
const setCookie = (name: string, value: string, host: string | undefined, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isLoopback(host) ? '' : '; Secure'}`;
export const sessionCookie = (token: string, host: string | undefined, seconds: number): string =>
  setCookie(nameAt(host), token, host, seconds);
export const ssoCookie = (ticket: string, host: string | undefined, seconds: number): string =>
  setCookie(ssoNameAt(host), ticket, host, seconds);
