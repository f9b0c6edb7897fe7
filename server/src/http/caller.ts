import type { Operation } from '@portcullis/contract';
import { type Environment, type KeyRole, type Permission, RESTRICTED } from '@portcullis/contract/values';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../validation/errors.ts';
import type { Connections } from './connections.ts';

/** The owner of an API key: one account in one environment, with the permissions of the key. */
export interface Caller {
  readonly keyId: string;
  /** Number of the account in its environment. Every query is bound to it. */
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly role: KeyRole;
  readonly permissions: readonly Permission[];
}

/** Refuses a caller without the permission. `needing` names the part of the API that needs it. */
export const requirePermission = (
  { role, permissions }: Pick<Caller, 'role' | 'permissions'>,
  permission: Permission,
  needing = 'This operation',
): void => {
  if (permissions.includes(permission)) return;
  const reason =
    role === RESTRICTED ? `This key has only: ${permissions.join(', ')}.` : `A key of role ${role} does not have it.`;
  throw new ApiError('insufficient_scope', `${needing} needs the permission ${permission}. ${reason}`);
};

/** The part of a request that identifies its caller. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  /** The connection of the request. */
  readonly connection: object;
  /** The address of the client, behind the proxies that the settings name. */
  readonly address: () => string;
}

export const credentialsOf = (connections: Connections, { headers, raw: { socket } }: FastifyRequest): Credentials => ({
  authorization: headers.authorization,
  host: headers.host,
  connection: socket,
  address: () => connections.addressOf(socket, headers['x-forwarded-for'] as string | undefined),
});

/** A caller with the permission that the operation needs, and the headers to send in the response. */
export interface Admission {
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks who calls. Implemented by `access`; throws an ApiError for a caller without the permission. */
export interface Authenticator {
  readonly authenticate: (credentials: Credentials, permission: Permission) => Admission | Promise<Admission>;
  /** For `/metrics`: accepts a recently seen admin key while the store is unreachable, to make the outage visible. */
  readonly authenticateMonitor: (credentials: Credentials) => Promise<Admission>;
}

/** Some values of `include` need a further permission. Checked before anything is read, so that no id is confirmed. */
export const checkInclude = ({ includes }: Operation, caller: Caller, query: unknown): void => {
  const { include } = (query ?? {}) as { readonly include?: string };
  const permission = include === undefined ? undefined : includes?.[include];
  if (permission !== undefined) requirePermission(caller, permission, `include=${include}`);
};
