import { type ReactNode, useEffect, useRef } from 'react';
import { useKeys } from '../shell/keys.ts';
import { Button } from './Button.tsx';
import './drawer.css';

interface Props {
  readonly label: string;
  readonly close: () => void;
  /** Moves the focus into it, and back when it is closed. A drawer beside a list leaves it in the list. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** Something beside the page, which stays as it is. */
export const Drawer = ({ label, close, takesFocus = false, children }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  useKeys('Drawer', [{ keys: 'Escape', label: 'Close', run: close }]);
  useEffect(() => {
    if (!takesFocus) return;
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [takesFocus]);
  return (
    <div ref={box} className="drawer" role="dialog" aria-label={label} tabIndex={-1}>
      <Button look="ghost" small icon="cross" label="Close" className="drawer-close" onClick={close} />
      {children}
    </div>
  );
};
