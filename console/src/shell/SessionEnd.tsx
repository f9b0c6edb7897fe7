import { useEffect } from 'react';
import { useSso } from '../api/hosts.ts';
import { me, resume } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { SignInForm } from '../sign-in/SignInForm.tsx';

/** Over the page, which stays as it is: requests that were refused are sent again after the sign-in. */
export default function SessionEnd() {
  const person = useStore(me);
  const sso = useSso();
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void resume();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return (
    <Dialog
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={500}
      label="Sign in again"
    >
      <div className="over" style={{ display: 'grid', gap: 16, padding: 8 }}>
        <div>
          <h2>Your session has ended</h2>
          <p className="dim">Sign in to continue. Nothing on the page is lost.</p>
        </div>
        {sso && (
          <p>
            <a href="/console/sign-in" target="_blank" rel="noreferrer">
              Continue with {sso.label} in another tab
            </a>
            , then return to this one.
          </p>
        )}
        {person && <SignInForm email={person.email} />}
      </div>
    </Dialog>
  );
}
