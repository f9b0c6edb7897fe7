import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { useKeys } from './keys.ts';
import { dismiss, notices } from './notices.ts';
import { pendingActions, undoLast } from './undo-queue.ts';

export const Toasts = () => {
  const acts = useStore(pendingActions);
  const failures = useStore(notices);
  useKeys('Everywhere', [{ keys: 'z', label: 'Undo', run: undoLast, disabled: acts.length === 0 }]);
  return (
    <section className="toasts" aria-label="Messages">
      <div role="status" style={{ display: 'contents' }}>
        {acts.map(({ id, text, undo }) => (
          <div key={id} className="toast">
            <span>{text}</span>
            <Button small hint="Z" onClick={undo}>
              Undo
            </Button>
            <span className="toast-time" />
          </div>
        ))}
      </div>
      <div role="alert" style={{ display: 'contents' }}>
        {failures.map(({ id, text }) => (
          <div key={id} className="toast is-bad">
            <span>{text}</span>
            <Button small icon="cross" label="Dismiss" onClick={() => dismiss(id)} />
          </div>
        ))}
      </div>
    </section>
  );
};
