import type { Knowledge } from '@portcullis/client';
import { EntityLink } from '../entity/EntityLink.tsx';
import { Card } from '../parts/Card.tsx';
import { State } from '../parts/State.tsx';
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
        <State icon="user" title="Personal data is hidden">
          It takes the role analyst to see addresses, e-mail, device and card.
        </State>
      </Card>
    );
  if (subject === null)
    return (
      <Card title="What was sent">
        <State icon="clock" title="No longer stored">
          What was sent is deleted after 90 days; the case stays.
        </State>
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
          Not sent: {missing.join(', ')}. Their signals cannot speak.{' '}
          <a href="/docs#op-screenTransaction">How to send them</a>
        </p>
      )}
    </Card>
  );
};
