import { PortcullisError } from '../api/client.ts';

/** What a person has to know about a failed request: every field that is wrong, else the message. */
export const problemOf = (error: unknown): string => {
  if (error instanceof PortcullisError && error.details.length > 0)
    return error.details.map(({ field, message }) => `${field}: ${message}`).join('\n');
  return error instanceof Error ? error.message : String(error);
};
