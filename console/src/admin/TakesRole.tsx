import { State } from '../parts/State.tsx';

/** In place of a page whose data the role may not read. */
export const TakesRole = ({ why, children }: { why: string; children: string }) => (
  <div className="card">
    <State icon="lock" title={why}>
      {children}
    </State>
  </div>
);
