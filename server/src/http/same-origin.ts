import type { Environment } from '@portcullis/contract/values';
import { ENVIRONMENTS } from '@portcullis/contract/values';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import type { Credentials } from './caller.ts';

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/**
 * Refuses a request that another site may have made a browser send. A browser sets `Sec-Fetch-Site` and `Origin`, and no
 * page can change them. `Sec-Fetch-Site` decides where it is sent.
 */
export const requireSameOrigin = ({ headers, host }: Pick<Credentials, 'headers' | 'host'>): void => {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isSame =
    site === undefined
      ? origin !== undefined && host !== undefined && hostOf(origin) === host.toLowerCase()
      : site === 'same-origin';
  if (isSame) return;
  throw new ApiError(
    'cross_site_request',
    'This request may come from another site. Send it from a page of this service: with "Sec-Fetch-Site: same-origin", or with its "Origin".',
  );
};

/** The environment in which a session acts. No form or link of another site can set the header. */
export const environmentIn = ({ headers }: Pick<Credentials, 'headers'>): Environment => {
  const sent = headers['x-portcullis-environment'];
  if (sent === undefined)
    throw new ApiError(
      'cross_site_request',
      'A session counts only with the header "X-Portcullis-Environment: sandbox" or "production".',
    );
  if (ENVIRONMENTS.includes(sent as Environment)) return sent as Environment;
  throw invalidRequest([{ field: 'X-Portcullis-Environment', message: 'must be sandbox or production' }]);
};
