import type { TObject, TSchema } from 'typebox';
import type { Role } from './api-key.ts';
import type { ErrorCode } from './errors.ts';

/** What a key must be allowed to do. */
export type Permission = 'screen' | 'read' | 'review' | 'administer';

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['screen', 'read', 'review', 'administer'],
  service: ['screen', 'read'],
  analyst: ['read', 'review'],
  reader: ['read'],
};

export interface Pages {
  readonly items: string;
  /** What of the last item goes into the query of the next page, as `before`; absent where pages are asked for by `offset`. */
  readonly before?: string;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/v1/cases/{case_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  readonly body?: TObject;
  /** How large a body may be, where that is more than of any other. */
  readonly bodyKib?: number;
  readonly status: 200 | 201 | 202 | 204;
  readonly response?: TSchema;
  /** Of a list that comes in pages: where its items are, and the member of an item that names it. */
  readonly pages?: Pages;
  /** Beside those any operation may answer. */
  readonly errors?: readonly ErrorCode[];
}

/** One entry of the table, with its type as narrow as it is written. */
export const operation = <const T extends Operation>(of: T): T => of;
