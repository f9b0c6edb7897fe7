import type { Case } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Waterfall } from '../case/Waterfall.tsx';
import { DecisionBadge, ScoreRing } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Bones, Failed } from '../parts/State.tsx';
import { Ago } from '../parts/Time.tsx';
import { whatOf } from './Row.tsx';

/** The case beside the queue: plain ones are decided without opening them. */
export const Peek = ({ one, close }: { one: Case; close: () => void }) => {
  const client = useClient();
  const environment = useEnvironment();
  const decision = useQuery({
    queryKey: [environment, 'decision', one.decision_id],
    queryFn: ({ signal }) => client.decisions.get(one.decision_id, {}, { signal }),
  });
  return (
    <aside className="card peek" aria-label="Peek">
      <div className="peek-head">
        <ScoreRing score={one.risk_score} decision="review" size={46} />
        <div>
          <Link href={`/cases/${one.case_id}`} className="peek-title">
            {whatOf(one)}
          </Link>
          <div className="dim mono cut">{one.user_id}</div>
        </div>
        <Button look="ghost" small icon="cross" label="Close the peek" onClick={close} />
      </div>
      <p className="peek-why">{one.summary}</p>
      <p className="dim peek-meta">
        <DecisionBadge decision="review" /> waiting <Ago at={one.created_at} />
      </p>
      {decision.isPending ? (
        <Bones rows={5} />
      ) : decision.isError ? (
        <Failed error={decision.error} gone="What was sent is deleted after 90 days; the case stays." />
      ) : (
        <Waterfall decision={decision.data} isSmall />
      )}
    </aside>
  );
};
