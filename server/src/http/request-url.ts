/** A path of letters, digits and `-._~`: the only spelling of itself. Nearly every request has one. */
const CANONICAL = /^\/[\w\-.~/]*(?:\?[^#]*)?$/;
/** A client that believes to talk to a proxy sends the whole URL. */
const ORIGIN = /^https?:\/\/([^/?#]*)/i;

const encodeSegment = (segment: string): string => encodeURIComponent(decodeURIComponent(segment));

/**
 * The one spelling of a request's URL. Everything that reads a path reads this one: the router, the idempotency keys,
 * 404 and 405. With several spellings, `/v1/transactions/%73creen` would be screened under an idempotency key that
 * was used before.
 *
 * Every segment is decoded and encoded again, so that equal segments have equal spellings. Slashes, dots and capitals
 * are kept: `/v1//cases`, `/v1/./cases` and `/V1/cases` are other paths, which do not exist.
 */
export const canonicalUrl = (url: string): string => {
  if (CANONICAL.test(url)) return url;
  const [target] = url.split('#', 1) as [string];
  const origin = ORIGIN.exec(target)?.[0] ?? '';
  const local = target.slice(origin.length);
  const queryAt = local.indexOf('?');
  const path = queryAt === -1 ? local : local.slice(0, queryAt);
  try {
    const segments = path.split('/').map(encodeSegment).join('/');
    return `${segments === '' ? '/' : segments}${local.slice(path.length)}`;
  } catch {
    // Invalid percent-encoding. The router refuses it with 400.
    return url;
  }
};

/** The host that the URL names. Undefined for a URL without a host, as nearly every request has. */
export const hostOfUrl = (url: string): string | undefined => ORIGIN.exec(url)?.[1];
