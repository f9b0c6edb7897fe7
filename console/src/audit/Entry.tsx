import type { AuditEntry } from '@portcullis/client';
import { Copy } from '../parts/Copy.tsx';
import { formatDayTime, formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Time } from '../parts/Time.tsx';
import { actionOf, actorOf, differencesOf } from './words.ts';

const Changes = ({ entry }: { entry: AuditEntry }) => {
  const differences = differencesOf(entry);
  if (differences.length === 0) return <p className="dim">The entry has no values.</p>;
  return (
    <table className="diff">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td className={before === undefined ? 'dim' : 'is-before'}>{before ?? '–'}</td>
            <td className={after === undefined ? 'dim' : 'is-after'}>{after ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

interface Props {
  readonly entry: AuditEntry;
  readonly isAt: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** An entry in one line; open, with what changed. */
export const Entry = ({ entry, isAt, isOpen, onToggle }: Props) => (
  <li className={`entry ${isAt ? 'is-at' : ''}`}>
    <button type="button" className="entry-line" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} size={15} />
      <span className="entry-action">{actionOf(entry.action)}</span>
      <span className="entry-target mono cut">{entry.target}</span>
      <span className="entry-actor cut">{actorOf(entry)}</span>
      <span className="entry-time num dim">
        <Time at={entry.at} as={formatDayTime} />
      </span>
    </button>
    {isOpen && (
      <div className="entry-more">
        <Changes entry={entry} />
        <dl className="entry-facts">
          <div>
            <dt>Number</dt>
            <dd className="num">{entry.number}</dd>
          </div>
          <div>
            <dt>Time</dt>
            <dd>
              <Time at={entry.at} />
            </dd>
          </div>
          <div>
            <dt>Actor</dt>
            <dd>
              <Copy value={entry.key_id} /> <span className="dim">{formatName(entry.role)}</span>
            </dd>
          </div>
          <div>
            <dt>Target</dt>
            <dd>
              <Copy value={entry.target} />
            </dd>
          </div>
          <div>
            <dt>Hash</dt>
            <dd>
              <Copy value={entry.hash} />
            </dd>
          </div>
        </dl>
      </div>
    )}
  </li>
);
