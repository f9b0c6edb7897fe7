import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import type { IconName } from './icons.tsx';
import { loadLater } from './load-later.ts';

/** An entry of a menu, or a heading if it does nothing. */
export interface MenuItem {
  readonly label: ReactNode;
  readonly id: string;
  readonly icon?: IconName;
  readonly isChecked?: boolean;
  readonly isDisabled?: boolean;
  readonly href?: string;
  readonly run?: () => void;
}

export interface MenuProps {
  readonly button: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'menu' }>;
  readonly items: readonly MenuItem[];
  readonly width: number;
  readonly position?: 'bottom-start' | 'bottom-end' | 'top-start';
}

const OpenMenu = loadLater(() => import('./OpenMenu.tsx'));

/** A menu whose code is loaded when it is opened for the first time. */
export const Menu = (props: MenuProps) => {
  const [isWanted, setWanted] = useState(false);
  const button = cloneElement(props.button, { 'aria-haspopup': 'menu', onClick: () => setWanted(true) });
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu {...props} />
    </Suspense>
  );
};
