import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Operation, Roles } from '@portcullis/contract';
import { type Environment, type KeyRole, type Permission, RESTRICTED } from '@portcullis/contract/values';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import type { Connections } from './connections.ts';

/** A signed-in person. */
export interface CallingPerson {
  readonly personId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roles: Roles;
}

/** The owner of an API key or of a session: one account in one environment, with the permissions it has there. */
export interface Caller {
  /** The id of the key; for a session, `person_` and the id of the person. */
  readonly keyId: string;
  /** Undefined for a key. */
  readonly person?: CallingPerson;
  /** Number of the account in its environment. Every query is bound to it. */
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly role: KeyRole;
  readonly permissions: readonly Permission[];
}

/** Whether the caller sees addresses, devices and the like in figures. A key that screens sent them itself. */
export const seesPersonalValues = ({ permissions }: Pick<Caller, 'permissions'>): boolean =>
  permissions.includes('read_personal') || permissions.includes('screen');

/** The name of a caller as the author of a change: `key_…` or `person_…`. */
export const authorOf = ({ keyId }: Pick<Caller, 'keyId'>): string =>
  idOf('person', keyId) === undefined ? withPrefix('key', keyId) : keyId;

/** The `keyId` of an author; undefined for a part of the service. */
export const keyIdOf = (author: string): string | undefined =>
  idOf('person', author) === undefined ? idOf('key', author) : author;

/** Who acts, by the name that was sent. In a session this is its person, who cannot act under another name. */
export const analystOf = ({ person }: Caller, sent: string | undefined, field = 'analyst_id'): string | undefined => {
  if (person === undefined || sent === person.email) return sent;
  if (sent === undefined) return person.email;
  throw invalidRequest([
    { field, message: `must be left out or be ${person.email}: in a session you act as yourself` },
  ]);
};

/** Refuses a caller without the permission. `needing` names the part of the API that needs it. */
export const requirePermission = (
  { role, permissions, person }: Pick<Caller, 'role' | 'permissions' | 'person'>,
  permission: Permission,
  needing = 'This operation',
): void => {
  if (permissions.includes(permission)) return;
  const reason =
    role === RESTRICTED
      ? `This key has only: ${permissions.join(', ')}.`
      : `A ${person === undefined ? 'key' : 'person'} of role ${role} does not have it.`;
  throw new ApiError('insufficient_scope', `${needing} needs the permission ${permission}. ${reason}`);
};

/** The part of a request that identifies its caller. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  readonly method: string;
  /** All headers. Only a request with a cookie needs others than those above. */
  readonly headers: IncomingHttpHeaders;
  /** The connection of the request. */
  readonly connection: object;
  /** The address of the client, behind the proxies that the settings name. */
  readonly address: () => string;
}

export const credentialsOf = (
  connections: Connections,
  { headers, method, raw: { socket } }: { headers: IncomingHttpHeaders; method: string; raw: IncomingMessage },
): Credentials => ({
  authorization: headers.authorization,
  host: headers.host,
  method,
  headers,
  connection: socket,
  address: () => connections.addressOf(socket, headers['x-forwarded-for'] as string | undefined),
});

/** A caller with the permission that the operation needs, and the headers to send in the response. */
export interface Admission {
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks who calls. Implemented by `access` for keys and by `people` for sessions; throws an ApiError for a caller without the permission. */
export interface Authenticator {
  readonly authenticate: (credentials: Credentials, permission: Permission) => Admission | Promise<Admission>;
  /** For `/metrics`: accepts a recently seen admin key while the store is unreachable, to make the outage visible. */
  readonly authenticateMonitor: (credentials: Credentials) => Promise<Admission>;
}

/** Checks the session of a request, for operations that take no key. */
export type AuthenticateSession = (credentials: Credentials) => Promise<Admission>;

/** Some values of `include` need a further permission. Checked before anything is read, so that no id is confirmed. */
export const checkInclude = ({ includes }: Operation, caller: Caller, query: unknown): void => {
  const { include } = (query ?? {}) as { readonly include?: string };
  for (const name of include?.split(',') ?? []) {
    const permission = includes?.[name];
    if (permission !== undefined) requirePermission(caller, permission, `include=${name}`);
  }
};

/** Whether a caller who was admitted would be admitted now. A rate limit or a failed store says nothing about that. */
export const isStillAllowed = async (
  access: Pick<Authenticator, 'authenticate'>,
  credentials: Credentials,
  permission: Permission,
): Promise<boolean> => {
  try {
    await access.authenticate(credentials, permission);
    return true;
  } catch (error) {
    return !(error instanceof ApiError && (error.status === 401 || error.status === 403));
  }
};
