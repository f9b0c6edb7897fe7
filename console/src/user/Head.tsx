import type { RiskProfile } from '@portcullis/client';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { type DecisionWord, ScoreRing } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { formatDay, formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { loadLater } from '../parts/load-later.ts';
import { Ago, Time } from '../parts/Time.tsx';
import { useEverOn } from '../parts/use-ever-on.ts';
import { type Effect, useLists } from './use-lists.ts';

const ListBox = loadLater(() => import('./ListBox.tsx'));

const COLOURS: Readonly<Record<RiskProfile['risk_level'], DecisionWord>> = {
  low: 'allow',
  medium: 'review',
  high: 'block',
};
const TREATMENTS = { block: 'block', review: 'review', trusted: 'allow', none: 'plain' } as const;

/** Who it is, and what one can do about them. */
export const Head = ({ userId, profile }: { userId: string; profile: RiskProfile }) => {
  const lists = useLists(userId);
  const [effect, setEffect] = useState<Effect | undefined>();
  const hasAsked = useEverOn(effect !== undefined);
  const level = COLOURS[profile.risk_level];
  return (
    <>
      <div className="crumbs">
        <Link href="/users">Users</Link>
        <span className="dim">/</span>
        <Copy value={userId} />
      </div>
      <div className="case-head">
        <ScoreRing score={profile.risk_score} decision={level} />
        <div className="case-title">
          <h1>{userId}</h1>
          <div className="case-meta">
            <span className={`badge badge-${level}`}>{formatName(profile.risk_level)} risk</span>
            <span>
              First seen <Time at={profile.first_seen_at} as={formatDay} />
            </span>
            <span>
              Last seen <Ago at={profile.last_seen_at} /> ago
            </span>
            {lists.on.map((entry) => (
              <span
                key={entry.entry_id}
                className={`badge badge-${TREATMENTS[entry.treatment]}`}
                title={`${entry.reason ?? 'No reason'}, by ${entry.author}`}
              >
                On list {entry.list_id}
                {entry.expires_at !== null && ` until ${formatDay(entry.expires_at)}`}
                {lists.whyNotRemove === undefined && (
                  <button
                    type="button"
                    className="badge-remove"
                    aria-label={`Remove from the list ${entry.list_id}`}
                    onClick={() => void lists.remove(entry)}
                  >
                    <Icon name="cross" size={12} />
                  </button>
                )}
              </span>
            ))}
          </div>
        </div>
        <div className="actions">
          <Button look="reject" icon="ban" why={lists.why('block')} onClick={() => setEffect('block')}>
            Block…
          </Button>
          <Button icon="check" why={lists.why('trusted')} onClick={() => setEffect('trusted')}>
            Trust…
          </Button>
        </div>
      </div>
      {hasAsked && (
        <Suspense fallback={null}>
          <ListBox
            userId={userId}
            effect={effect}
            lists={effect === undefined ? [] : lists.listsOf(effect)}
            close={() => setEffect(undefined)}
            onDone={lists.reload}
          />
        </Suspense>
      )}
    </>
  );
};
