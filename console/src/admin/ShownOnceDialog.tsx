import { type ReactNode, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import './admin.css';

/** A value to copy, large enough that nobody misses it. */
export const CopyBox = ({ value, label }: { value: string; label: string }) => {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(value);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return (
    <div className="copy-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {value}
      </pre>
      <Button small icon={isDone ? 'check' : 'copy'} onClick={() => void copy()}>
        {isDone ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
};

interface Props {
  readonly title: string;
  readonly value: string;
  readonly label: string;
  readonly close: () => void;
  readonly children?: ReactNode;
}

/** A secret or link that the service shows once. It closes with its button alone, so that nobody loses it by a click. */
export const ShownOnceDialog = ({ title, value, label, close, children }: Props) => (
  <Dialog
    opened
    onClose={close}
    title={title}
    size={560}
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    <div className="form">
      <p className="notice is-plain">Copy it now. It is not shown again.</p>
      <CopyBox value={value} label={label} />
      {children}
      <div className="form-buttons">
        <Button look="primary" onClick={close} data-autofocus>
          Done
        </Button>
      </div>
    </div>
  </Dialog>
);
