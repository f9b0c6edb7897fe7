import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly more?: ReactNode;
  readonly isBad?: boolean;
  /** In place of a whole page. */
  readonly isPage?: boolean;
}

/** In place of content: what would be here, and what to do. */
export const EmptyState = ({ icon, title, children, more, isBad = false, isPage = false }: Props) => (
  <div className="empty-state">
    <span className={`empty-state-mark ${isBad ? 'is-bad' : ''}`}>
      <Icon name={icon} size={26} />
    </span>
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children !== undefined && <p>{children}</p>}
    {more !== undefined && <div className="empty-state-more">{more}</div>}
  </div>
);
