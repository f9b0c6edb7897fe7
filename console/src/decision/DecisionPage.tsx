import type { Decision } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { SentCard } from '../case/Sent.tsx';
import { plainTitleOf, titleOf } from '../case/subject.ts';
import { useThresholds, Waterfall } from '../case/Waterfall.tsx';
import { DecisionBadge, ScoreRing } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatName, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { remember } from '../shell/recent.ts';
import { userPath } from '../users/path.ts';
import { Override } from './Override.tsx';
import { ReplayCard } from './Replay.tsx';
import '../case/case.css';
import '../parts/table.css';
import './decision.css';

const useDecision = (id: string, factors: 'stored' | 'exact') => {
  const client = useClient();
  const environment = useEnvironment();
  const isPersonal = useMay('read_personal');
  return useQuery({
    queryKey: [environment, 'decision', id, factors, isPersonal],
    queryFn: ({ signal }) =>
      client.decisions.get(id, { factors, ...(isPersonal && { include: 'subject' as const }) }, { signal }),
    placeholderData: (before) => before,
  });
};

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What made the decision: thresholds, versions, and what was missing. */
const Made = ({ decision }: { decision: Decision }) => {
  const thresholds = useThresholds(decision.subject_type);
  return (
    <Card title="How it was decided">
      <dl className="sent">
        <Line name="Screening">
          <DecisionBadge decision={decision.automated_decision} />
        </Line>
        <Line name="Now">
          <DecisionBadge decision={decision.decision} />
          {decision.decision !== decision.automated_decision && <span className="dim">after review</span>}
        </Line>
        {thresholds !== undefined && (
          <Line name="Thresholds now">
            <span className="num">
              review {thresholds.review}, block {thresholds.block}
            </span>
          </Line>
        )}
        <Line name="Model">
          <span className="mono">{decision.model_version ?? 'none'}</span>
        </Line>
        <Line name="Rules">
          <span className="mono">{decision.ruleset_version}</span>
        </Line>
        <Line name={formatName(decision.subject_type)}>
          <Copy value={decision.subject_id} />
        </Line>
        {decision.case_id !== null && (
          <Line name="Case">
            <Link href={`/cases/${decision.case_id}`} className="mono">
              {decision.case_id}
            </Link>
          </Line>
        )}
        {decision.unavailable.length > 0 && (
          <Line name="Unavailable">
            <span>{decision.unavailable.join(', ')}</span>
          </Line>
        )}
      </dl>
    </Card>
  );
};

const Factors = ({ decision }: { decision: Decision }) => (
  <Card title="Factors" note={plural(decision.factors.length, 'reason')}>
    <div className="table-box">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col" className="is-theme">
              Theme
            </th>
            <th scope="col">Signal or feature</th>
            <th scope="col" className="end">
              Points
            </th>
          </tr>
        </thead>
        <tbody>
          {decision.factors.map(({ description, theme, signal, feature, contribution }) => (
            <tr key={`${signal}${feature}${description}`}>
              <td>{description}</td>
              <td className="dim is-theme">{theme === null ? '' : formatName(theme)}</td>
              <td className="mono">{signal ?? feature ?? ''}</td>
              <td className={`end num ${contribution < 0 ? 'is-lower' : 'is-raise'}`}>
                {contribution > 0 ? '+' : ''}
                {Math.round(contribution * 10) / 10}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Card>
);

const Reviews = ({ decision }: { decision: Decision }) => (
  <Card title="Reviews">
    {decision.reviews.length === 0 ? (
      <p className="dim">This decision has not been overridden.</p>
    ) : (
      <ol className="notes">
        {decision.reviews.map(({ decision: made, analyst_id, reviewed_at, notes, reason }) => (
          <li key={reviewed_at}>
            <span>
              <span>
                <DecisionBadge decision={made} /> {analyst_id ?? 'An API key'}{' '}
                <span className="dim">
                  · <Time at={reviewed_at} />
                </span>
              </span>
              {reason !== null && <span className="dim">{formatName(reason)}</span>}
              {notes !== null && <span className="note-text">{notes}</span>}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Card>
);

/** Why, exactly. */
export default function DecisionPage({ id }: { id: string }) {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [factors, setFactors] = useState<'stored' | 'exact'>('stored');
  const [isOverriding, setOverriding] = useState(false);
  const query = useDecision(id, factors);
  const why = useWhyNot('review');
  const decision = query.data;
  const title =
    decision === undefined ? '' : decision.subject === undefined ? plainTitleOf(decision) : titleOf(decision.subject);
  useEffect(() => {
    if (decision === undefined) return;
    document.title = `${title} · Portcullis`;
    remember(`Decision: ${title}, ${decision.user_id}`, `/decisions/${id}`);
  }, [decision, title, id]);
  useKeys('Decision', [
    { keys: 'o', label: 'Override', run: () => setOverriding(true), disabled: why !== undefined },
    { keys: 'u', label: 'User', run: () => decision && go(userPath(decision.user_id)) },
  ]);
  if (decision === undefined)
    return query.isError ? (
      <Failed
        error={query.error}
        retry={() => void query.refetch()}
        gone="Decisions are deleted after 90 days. Their cases are kept."
      />
    ) : (
      <Skeleton rows={8} height={30} />
    );
  return (
    <div className="case">
      <div className="crumbs">
        <span className="dim">Decision</span>
        <Copy value={decision.decision_id} />
      </div>
      <div className="case-head">
        <ScoreRing score={decision.risk_score} decision={decision.automated_decision} />
        <div className="case-title">
          <h1>{title}</h1>
          <div className="case-meta">
            <Link href={userPath(decision.user_id)} className="mono">
              {decision.user_id}
            </Link>
            <Time at={decision.decided_at} />
            <DecisionBadge decision={decision.decision} />
            {decision.imported === true && <span className="badge badge-plain">imported</span>}
          </div>
        </div>
        <div className="actions">
          <Button hint="O" why={why} onClick={() => setOverriding(true)}>
            Override
          </Button>
        </div>
      </div>
      <div className="case-grid">
        <div className="case-column">
          <Card
            title={`Why ${decision.risk_score}`}
            note={decision.summary ?? undefined}
            more={
              <span className="segments is-small">
                {(['stored', 'exact'] as const).map((one) => (
                  <button key={one} type="button" aria-pressed={one === factors} onClick={() => setFactors(one)}>
                    {formatName(one)}
                  </button>
                ))}
              </span>
            }
          >
            <Waterfall decision={decision} />
          </Card>
          <Factors decision={decision} />
          <details className="card raw">
            <summary>Raw JSON</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus */}
            <pre tabIndex={0}>{JSON.stringify(decision, null, 2)}</pre>
          </details>
        </div>
        <div className="case-column">
          <Made decision={decision} />
          <Card title="Signals" note={plural(decision.signals.length, 'signal')}>
            {decision.signals.length === 0 ? (
              <p className="dim">No signal was active.</p>
            ) : (
              <div className="chips">
                {decision.signals.map((signal) => (
                  <a key={signal} className="chip" href={`/docs/guides/signals#${signal}`}>
                    {signal}
                  </a>
                ))}
              </div>
            )}
          </Card>
          <SentCard subject={decision.subject} knowledge={decision.knowledge} />
          <ReplayCard decision={decision} />
          <Reviews decision={decision} />
        </div>
      </div>
      <Override
        isOpen={isOverriding}
        close={() => setOverriding(false)}
        onSend={async (body) => {
          try {
            await client.decisions.review(decision.decision_id, body);
            setOverriding(false);
          } catch (error) {
            notify((error as Error).message);
          }
          for (const key of ['decision', 'case', 'cases', 'timeline'])
            await queries.invalidateQueries({ queryKey: [environment, key] });
        }}
      />
    </div>
  );
}
