import type { ReactNode } from 'react';
import { Logo } from '../parts/icons.tsx';

/** The frame of the pages before the sign-in. */
export const Gate = ({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) => (
  <div className="gate">
    <main>
      <div className="gate-brand">
        <Logo size={28} /> Portcullis
      </div>
      <div className={`gate-card ${isWide ? 'is-wide' : ''}`}>{children}</div>
    </main>
    <footer>
      <a href="/docs">API reference</a>
      <a href="/docs/guides/people">Help with signing in</a>
    </footer>
  </div>
);
