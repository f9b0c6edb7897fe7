import type { ReactNode } from 'react';

/** A number with its name, and how large a part of a whole it is. */
export const Figure = (props: {
  name: string;
  children: ReactNode;
  note?: ReactNode;
  part?: number;
  color?: string;
}) => {
  const { name, children, note, part, color = '--accent-fill' } = props;
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <span className="figure-value num">{children}</span>
        {part !== undefined && (
          <span className="figure-bar">
            <span style={{ width: `${Math.min(1, part) * 100}%`, background: `var(${color})` }} />
          </span>
        )}
        <span className="figure-note">{note}</span>
      </dd>
    </div>
  );
};
