import { useState } from 'react';
import { PortcullisError } from '../api/client.ts';
import { SessionError } from '../api/session.ts';

interface FieldError {
  readonly field: string;
  readonly message: string;
}
const fieldsOf = (error: unknown): readonly FieldError[] => {
  if (error instanceof PortcullisError) return error.details;
  return error instanceof SessionError ? error.fields : [];
};

/** Sends a form, one request at a time, and keeps its error. */
export const useSend = () => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | undefined>();
  const send = async (run: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setBusy(false);
    }
  };
  const fields = fieldsOf(error);
  /** The error of a field, such as `url`, or of one of its items. */
  const errorOf = (name: string): string | undefined =>
    fields.find(({ field }) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`))?.message;
  return { isBusy, error, send, errorOf, isOfField: fields.length > 0 };
};
export type Sending = ReturnType<typeof useSend>;
