import type { Knowledge } from '@portcullis/client';
import { EntityLink } from '../entity/EntityLink.tsx';
import { Card } from '../parts/Card.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { type Subject, sentOf } from './subject.ts';

/** What was sent, with what was looked up. Members that were not sent are named, because their signals cannot speak. */
export const SentCard = ({
  subject,
  knowledge,
}: {
  subject: Subject | null | undefined;
  knowledge: Knowledge | null | undefined;
}) => {
  if (subject === undefined)
    return (
      <Card title="What was sent">
        <EmptyState icon="user" title="Personal data is hidden">
          Addresses, e-mail, device and card require the role analyst.
        </EmptyState>
      </Card>
    );
  if (subject === null)
    return (
      <Card title="What was sent">
        <EmptyState icon="clock" title="No longer stored">
          Requests are deleted after 90 days. The case is kept.
        </EmptyState>
      </Card>
    );
  const rows = sentOf(subject, knowledge);
  const missing = rows.filter(({ value }) => value === undefined).map(({ name }) => name.toLowerCase());
  return (
    <Card title="What was sent">
      <dl className="sent">
        {rows
          .filter(({ value }) => value !== undefined)
          .map(({ name, value, marks, entity }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {entity === undefined ? (
                  <span className="sent-value mono">{value}</span>
                ) : (
                  <EntityLink {...entity} className="sent-value mono">
                    {value}
                  </EntityLink>
                )}
                {marks.map(({ text, isBad }) => (
                  <span key={text} className={`badge ${isBad ? 'badge-review' : 'badge-plain'}`}>
                    {text}
                  </span>
                ))}
              </dd>
            </div>
          ))}
      </dl>
      {missing.length > 0 && (
        <p className="sent-missing">
          Not sent: {missing.join(', ')}. Signals that need them stay inactive.{' '}
          <a href="/docs#op-screenTransaction">How to send them</a>
        </p>
      )}
    </Card>
  );
};
