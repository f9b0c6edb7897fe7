import { API_VERSIONS, NEWEST_API_VERSION } from '@portcullis/contract/values';
import { ApiError } from '../validation/errors.ts';

const KNOWN: ReadonlySet<string> = new Set(API_VERSIONS);

/** The release that a request names in `X-Api-Version`; the newest by default. */
export const apiVersion = (header: string | string[] | undefined): string => {
  if (header === undefined) return NEWEST_API_VERSION;
  if (typeof header === 'string' && KNOWN.has(header)) return header;
  throw new ApiError('unsupported_api_version', `X-Api-Version must be one of: ${API_VERSIONS.join(', ')}.`);
};
