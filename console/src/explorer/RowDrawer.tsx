import type { Decision } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { SentCard } from '../case/Sent.tsx';
import { plainTitleOf, titleOf } from '../case/subject.ts';
import { Waterfall } from '../case/Waterfall.tsx';
import { DecisionBadge, ScoreRing } from '../parts/Badge.tsx';
import { Card } from '../parts/Card.tsx';
import { Drawer } from '../parts/Drawer.tsx';
import { Failed } from '../parts/Failed.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { userPath } from '../users/path.ts';
import '../case/case.css';

/** The decision about an item, with what was sent. Only the item is known if it is not in the list. */
const useItem = (subjectId: string, decisionId: string | undefined) => {
  const client = useClient();
  const environment = useEnvironment();
  const isPersonal = useMay('read_personal');
  return useQuery({
    queryKey: [environment, 'decision', decisionId ?? subjectId, 'stored', isPersonal],
    queryFn: async ({ signal }) => {
      const read = async (): Promise<string> =>
        (subjectId.startsWith('evt_')
          ? await client.events.get(subjectId, {}, { signal })
          : await client.transactions.get(subjectId, {}, { signal })
        ).decision_id;
      const include = isPersonal ? { include: 'subject' as const } : {};
      return client.decisions.get(decisionId ?? (await read()), { factors: 'stored', ...include }, { signal });
    },
    retry: false,
  });
};

const Content = ({ decision }: { decision: Decision }) => (
  <>
    <div className="drawer-head">
      <ScoreRing score={decision.risk_score} decision={decision.automated_decision} size={48} />
      <div>
        <h2>{decision.subject == null ? plainTitleOf(decision) : titleOf(decision.subject)}</h2>
        <div className="drawer-meta">
          <Link href={userPath(decision.user_id)} className="mono">
            {decision.user_id}
          </Link>
          <Time at={decision.decided_at} />
          <DecisionBadge decision={decision.decision} />
        </div>
      </div>
    </div>
    <div className="drawer-actions">
      <Link href={`/decisions/${decision.decision_id}`} className="button is-primary">
        Full decision
      </Link>
      {decision.case_id !== null && (
        <Link href={`/cases/${decision.case_id}`} className="button">
          Case
        </Link>
      )}
      <Link href={userPath(decision.user_id)} className="button">
        User
      </Link>
    </div>
    <Card title={`Why ${decision.risk_score}`} note={decision.summary ?? undefined}>
      <Waterfall decision={decision} isSmall />
    </Card>
    <SentCard subject={decision.subject} knowledge={decision.knowledge} />
  </>
);

interface Props {
  readonly subjectId: string;
  readonly decisionId: string | undefined;
  readonly close: () => void;
}
/** An item beside the list. */
export const RowDrawer = ({ subjectId, decisionId, close }: Props) => {
  const item = useItem(subjectId, decisionId);
  return (
    <Drawer label="Item" close={close}>
      {item.data !== undefined ? (
        <Content decision={item.data} />
      ) : item.isError ? (
        <Failed error={item.error} gone="Items are deleted after 90 days." />
      ) : (
        <Skeleton rows={8} height={26} />
      )}
    </Drawer>
  );
};
