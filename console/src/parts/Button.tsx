import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon, type IconName } from './icons.tsx';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  readonly look?: 'plain' | 'primary' | 'approve' | 'reject' | 'ghost';
  readonly small?: boolean;
  readonly icon?: IconName;
  /** The key that does the same. */
  readonly hint?: string;
  readonly busy?: boolean;
  /** Why the button cannot be used. It stays in the order of focus, so that everybody can read why. */
  readonly why?: string | undefined;
  /** A button with an icon alone needs a label. */
  readonly label?: string;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export const Button = (props: Props) => {
  const {
    look = 'plain',
    small = false,
    icon,
    hint,
    busy = false,
    why,
    label,
    children,
    className = '',
    onClick,
    ...rest
  } = props;
  const isRefused = why !== undefined;
  const classes = ['button', `is-${look}`, small && 'is-small', children === undefined && 'is-icon', className];
  const tip = why ?? (children === undefined ? label : undefined);
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-description={why}
      data-tip={tip}
      aria-disabled={isRefused || undefined}
      aria-busy={busy || undefined}
      className={classes.filter(Boolean).join(' ')}
      onClick={isRefused || busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spin" /> : icon !== undefined && <Icon name={icon} size={small ? 16 : 18} />}
      {children}
      {hint !== undefined && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  );
};
