import type { Authenticator } from '../http/caller.ts';
import { invalidRequest } from '../validation/errors.ts';
import { type Sessions, tokenOf } from './sessions.ts';

/** Adds sessions to the authentication by keys. Requests with an API key only pay for a check of the cookie header. */
export const withSessions = (keys: Authenticator, sessions: Sessions): Authenticator => ({
  authenticate: (credentials, permission) => {
    if (credentials.headers.cookie === undefined || tokenOf(credentials) === undefined)
      return keys.authenticate(credentials, permission);
    if (credentials.authorization !== undefined)
      throw invalidRequest([
        { field: 'Authorization', message: 'must not be sent together with the cookie of a session' },
      ]);
    return sessions.authenticate(credentials, permission);
  },
  authenticateMonitor: keys.authenticateMonitor,
});
