import type { Case } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Waterfall } from '../case/Waterfall.tsx';
import { DecisionBadge, ScoreRing } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Failed } from '../parts/Failed.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Ago } from '../parts/Time.tsx';
import { whatOf } from './Row.tsx';

/** The case beside the queue: plain ones are decided without opening them. */
export const Preview = ({ one, close }: { one: Case; close: () => void }) => {
  const client = useClient();
  const environment = useEnvironment();
  const decision = useQuery({
    queryKey: [environment, 'decision', one.decision_id],
    queryFn: ({ signal }) => client.decisions.get(one.decision_id, {}, { signal }),
  });
  return (
    <aside className="card preview" aria-label="Preview">
      <div className="preview-head">
        <ScoreRing score={one.risk_score} decision="review" size={46} />
        <div>
          <Link href={`/cases/${one.case_id}`} className="preview-title">
            {whatOf(one)}
          </Link>
          <div className="dim mono cut">{one.user_id}</div>
        </div>
        <Button look="ghost" small icon="cross" label="Close the preview" onClick={close} />
      </div>
      <p className="preview-why">{one.summary}</p>
      <p className="dim preview-meta">
        <DecisionBadge decision="review" /> waiting <Ago at={one.created_at} />
      </p>
      {decision.isPending ? (
        <Skeleton rows={5} />
      ) : decision.isError ? (
        <Failed error={decision.error} gone="Requests are deleted after 90 days. The case is kept." />
      ) : (
        <Waterfall decision={decision.data} isSmall />
      )}
    </aside>
  );
};
