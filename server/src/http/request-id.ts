import type { IncomingMessage } from 'node:http';
import { type NewId, withPrefix } from '../runtime/ids.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

export const newRequestId = (newId: NewId): string => withPrefix('request', newId());

/** The id that the caller sent, or another. */
export const requestIdOf = ({ headers }: IncomingMessage, newId: NewId): string => {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && VISIBLE_ASCII.test(sent) ? sent : newRequestId(newId);
};
