import { Fragment } from 'react';

const shown = (key: string): string => ({ ' ': 'Space', ArrowDown: '↓', ArrowUp: '↑' })[key] ?? key;

export const Keys = ({ of }: { of: string }) => (
  <>
    {(of === ' ' ? [' '] : of.split(' ')).map((key, index) => (
      <Fragment key={key}>
        {index > 0 && <span className="dim">then</span>}
        <kbd>{shown(key)}</kbd>
      </Fragment>
    ))}
  </>
);
