import type { ReactNode } from 'react';
import { PortcullisError } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { me } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Button } from './Button.tsx';
import { Copy } from './Copy.tsx';
import { Icon, type IconName } from './icons.tsx';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly more?: ReactNode;
  readonly isBad?: boolean;
}

/** In place of content: what would be here, and what to do. */
export const State = ({ icon, title, children, more, isBad = false }: Props) => (
  <div className="state">
    <span className={`state-mark ${isBad ? 'is-bad' : ''}`}>
      <Icon name={icon} size={26} />
    </span>
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {more !== undefined && <div className="state-more">{more}</div>}
  </div>
);

const PERMISSION_ROLES: Readonly<Record<string, string>> = {
  review: 'analyst',
  read_personal: 'analyst',
  tune: 'manager',
  administer: 'admin',
};
/** Why a person without a permission cannot do something. */
export const useWhyNot = (permission: 'review' | 'read_personal' | 'tune' | 'administer'): string | undefined => {
  const environment = useEnvironment();
  const person = useStore(me);
  if (!person || person.permissions[environment].includes(permission)) return undefined;
  return `Takes the role ${PERMISSION_ROLES[permission]}; yours is ${person.roles[environment] ?? 'none'}.`;
};

const wordsOf = (error: unknown, gone: string): { title: string; text: string } => {
  const status = error instanceof PortcullisError ? error.status : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (status === 403) return { title: 'Your role does not allow this', text: message };
  if (status === 404) return { title: 'Not found', text: gone };
  if (status === 429) return { title: 'Too many requests', text: 'The page asks again by itself in a moment.' };
  if (status === undefined) return { title: 'The service cannot be reached', text: 'The page asks again by itself.' };
  return { title: 'This did not work', text: message };
};

/** A failed request, with the id that operators find in their logs. */
export const Failed = ({ error, retry, gone }: { error: unknown; retry?: () => void; gone?: string }) => {
  const { title, text } = wordsOf(error, gone ?? 'It does not exist, or belongs to the other environment.');
  const requestId = error instanceof PortcullisError ? error.requestId : undefined;
  return (
    <div role="alert">
      <State
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
      </State>
    </div>
  );
};

/** The shape of content that is on its way. */
export const Bones = ({ rows = 4, height = 20 }: { rows?: number; height?: number }) => (
  <div role="status" aria-label="Loading" style={{ display: 'grid', gap: 12 }}>
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="bone" style={{ height, width: `${96 - ((row * 17) % 40)}%` }} />
    ))}
  </div>
);
