import { type ReactNode, useId } from 'react';

interface Props {
  readonly title: string;
  readonly note?: ReactNode;
  /** At the end of the head, such as a link. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export const Card = ({ title, note, more, children, className = '' }: Props) => {
  const id = useId();
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className="card-note">{note}</span>}
        {more !== undefined && <span className="card-more">{more}</span>}
      </div>
      <div className="card-body">{children}</div>
    </section>
  );
};
