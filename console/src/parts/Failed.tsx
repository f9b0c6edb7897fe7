import { PortcullisError } from '../api/client.ts';
import { Button } from './Button.tsx';
import { Copy } from './Copy.tsx';
import { EmptyState } from './EmptyState.tsx';

const wordsOf = (error: unknown, gone: string): { title: string; text: string } => {
  const status = error instanceof PortcullisError ? error.status : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (status === 403) return { title: 'Your role does not allow this', text: message };
  if (status === 404) return { title: 'Not found', text: gone };
  if (status === 429) return { title: 'Too many requests', text: 'Retrying automatically.' };
  if (status === undefined) return { title: 'The service cannot be reached', text: 'Retrying automatically.' };
  return { title: 'The request failed', text: message };
};

/** A failed request, with the id that operators find in their logs. */
export const Failed = ({ error, retry, gone }: { error: unknown; retry?: () => void; gone?: string }) => {
  const { title, text } = wordsOf(error, gone ?? 'It does not exist, or belongs to the other environment.');
  const requestId = error instanceof PortcullisError ? error.requestId : undefined;
  return (
    <div role="alert">
      <EmptyState
        icon="alert"
        isBad
        title={title}
        more={
          <>
            {retry !== undefined && <Button onClick={retry}>Try again</Button>}
            {requestId !== undefined && (
              <div className="request-id dim">
                Request <Copy value={requestId} />
              </div>
            )}
          </>
        }
      >
        {text}
      </EmptyState>
    </div>
  );
};
