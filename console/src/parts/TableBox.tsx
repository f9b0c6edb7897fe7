import type { ReactNode } from 'react';

/** A table that may be wider than its place. A box that scrolls must take the focus. */
export const TableBox = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <div className="table-box" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);
