import { useEffect } from 'react';
import { Card } from '../parts/Card.tsx';
import { Icon } from '../parts/icons.tsx';
import { ArrivingRequests } from './ArrivingRequests.tsx';
import { FirstRequest } from './FirstRequest.tsx';
import { Members } from './Members.tsx';
import { useChecks } from './use-checks.ts';
import '../admin/admin.css';
import '../webhooks/endpoints.css';
import './integration.css';

const WORDS = { done: 'Done', missing: 'Missing', unknown: 'Unknown' } as const;

const Checks = () => {
  const checks = useChecks();
  const done = checks.filter(({ isDone }) => isDone === true).length;
  return (
    <Card title="Checks" note={`${done} of ${checks.length} done`}>
      <ol className="todo">
        {checks.map(({ title, isDone, note, href }) => {
          const state = isDone === undefined ? 'unknown' : isDone ? 'done' : 'missing';
          return (
            <li key={title} className={`is-${state}`}>
              <span className="todo-mark">
                {state === 'done' && <Icon name="check" size={14} />}
                <span className="unseen">{WORDS[state]}: </span>
              </span>
              <span className="todo-text">
                <span>{title}</span>
                <span className="row-note">{note}</span>
              </span>
              {state === 'missing' && <a href={href}>How to do it</a>}
            </li>
          );
        })}
      </ol>
    </Card>
  );
};

/** From the first request to a complete integration. */
export default function Integration() {
  useEffect(() => {
    document.title = 'Integration · Portcullis';
  }, []);
  return (
    <>
      <div className="page-head">
        <h1>Integration</h1>
        <div className="page-more links">
          <a href="/docs/guides/api-guide">Guide</a>
          <a href="/docs">API reference</a>
        </div>
      </div>
      <div className="integration">
        <div className="sheet">
          <FirstRequest />
          <Members />
        </div>
        <div className="sheet">
          <Checks />
          <ArrivingRequests />
        </div>
      </div>
    </>
  );
}
