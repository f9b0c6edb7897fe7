import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useAddressQuery } from '../parts/use-address.ts';
import { userPath } from '../users/path.ts';
import { type EntityKind, withEntity } from './path.ts';

interface Props {
  readonly kind: EntityKind;
  readonly value: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** Opens a value beside the page. A user has a page. */
export const EntityLink = ({ kind, value, className = 'mono', children = value }: Props) => {
  useLocation();
  const search = useAddressQuery();
  const href = kind === 'user' ? userPath(value) : `~${location.pathname}${withEntity(search, `${kind}:${value}`)}`;
  return (
    <Link href={href} className={className} title={value}>
      {children}
    </Link>
  );
};
