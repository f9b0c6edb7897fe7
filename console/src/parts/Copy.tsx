import { useState } from 'react';
import { Icon } from './icons.tsx';

/** A value that one click copies. */
export const Copy = ({ value, label }: { value: string; label?: string }) => {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(value);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" className="copy mono" onClick={() => void copy()} title="Copy">
      <span className="cut">{label ?? value}</span>
      <Icon name={isDone ? 'check' : 'copy'} size={14} />
      <span className="unseen" aria-live="polite">
        {isDone ? 'Copied' : ''}
      </span>
    </button>
  );
};
