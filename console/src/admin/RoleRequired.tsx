import { EmptyState } from '../parts/EmptyState.tsx';

/** In place of a page whose data the role may not read. */
export const RoleRequired = ({ why, children }: { why: string; children: string }) => (
  <div className="card">
    <EmptyState icon="lock" title={why}>
      {children}
    </EmptyState>
  </div>
);
