import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { finishSso, type SessionError, ssoFailure } from '../api/session.ts';
import { Gate } from './Gate.tsx';
import './sign-in.css';

/** The page that the provider sends the browser back to. */
export default function SsoReturn() {
  const [, go] = useLocation();
  useEffect(() => {
    const query = location.search.slice(1);
    // The code works once, so it leaves the address before the page could be loaded again.
    history.replaceState(null, '', location.pathname);
    if (query === '') return go('/sign-in', { replace: true });
    finishSso(query).then(
      ({ return_to }) => location.replace(return_to),
      (error: SessionError) => {
        ssoFailure.set(error);
        go('/sign-in', { replace: true });
      },
    );
  }, [go]);
  return (
    <Gate>
      <p role="status">Signing you in…</p>
    </Gate>
  );
}
