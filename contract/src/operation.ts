import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from './error-codes.ts';
import type { Permission } from './permissions.ts';

export interface Pages {
  readonly items: string;
  /** Field of the last item that the next page's query repeats as `before`. */
  readonly before?: string;
  /** Field of the page that the next page's query repeats as `before`. Without both, pages use `offset`. */
  readonly next?: string;
}

/** The media type of server-sent events. A response of this type does not end. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In OpenAPI notation: `/v1/cases/{case_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  /** The further permission that each value of the query parameter `include` needs. */
  readonly includes?: Readonly<Record<string, Permission>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  readonly body?: TObject;
  /** Body size limit in KiB, where it is larger than the usual one. */
  readonly bodyKib?: number;
  readonly status: 200 | 201 | 202 | 204;
  readonly response?: TSchema;
  /**
   * Media types of a response that is streamed, by the value of the query parameter `format` where there are several. Its
   * rows are `response`.
   */
  readonly streams?: Readonly<Record<string, string>>;
  /** How a paginated list is read: the field of its items and the field that continues it. */
  readonly pages?: Pages;
  /** Error codes beside those that any operation may return. */
  readonly errors?: readonly ErrorCode[];
}

/** The permissions of the operation, in words. */
export const permissionText = ({ permission, includes = {} }: Operation): string => {
  const further = Object.entries(includes).map(([name, also]) => `; with \`include=${name}\` also \`${also}\``);
  return `Requires the permission \`${permission}\`${further.join('')}.`;
};

/** Keeps the literal type of a table entry. */
export const operation = <const T extends Operation>(of: T): T => of;
