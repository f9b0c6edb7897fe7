import { me } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { SignInForm } from '../sign-in/SignInForm.tsx';

/** Over the page, which stays as it is: requests that were refused are sent again after the sign-in. */
export default function SessionEnd() {
  const person = useStore(me);
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
          <p className="dim">Sign in to go on. Nothing on the page is lost.</p>
        </div>
        {person && <SignInForm email={person.email} />}
      </div>
    </Dialog>
  );
}
