import type { Decision, Factor, Replay } from '@portcullis/client';
import { useState } from 'react';
import { useClient } from '../api/environment.tsx';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { Icon } from '../parts/icons.tsx';

type When = 'then' | 'now';

const keyOf = ({ signal, feature, description }: Factor): string => signal ?? feature ?? description;

interface Difference {
  readonly key: string;
  readonly description: string;
  readonly before: number;
  readonly after: number;
}
/** What changed, the largest change first. Less than a tenth of a point is rounding. */
const differencesOf = (before: readonly Factor[], after: readonly Factor[]): readonly Difference[] => {
  const all = new Map<string, Difference>();
  for (const factor of before)
    all.set(keyOf(factor), {
      key: keyOf(factor),
      description: factor.description,
      before: factor.contribution,
      after: 0,
    });
  for (const factor of after) {
    const key = keyOf(factor);
    all.set(key, {
      key,
      description: factor.description,
      before: all.get(key)?.before ?? 0,
      after: factor.contribution,
    });
  }
  return [...all.values()]
    .filter((one) => Math.abs(one.after - one.before) >= 0.1)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
};

const tenth = (points: number): string => `${points > 0 ? '+' : ''}${Math.round(points * 10) / 10}`;

const Result = ({ decision, replay, when }: { decision: Decision; replay: Replay; when: When }) => {
  if (replay.same)
    return (
      <p className="replay-same">
        <Icon name="check" size={18} />
        {when === 'then'
          ? 'Same score, decision, signals and factors.'
          : 'The current policy and model give the same result.'}
      </p>
    );
  const differences = differencesOf(decision.factors, replay.factors);
  return (
    <>
      <p className="replay-now">
        <strong className="num">
          {decision.risk_score} → {replay.risk_score}
        </strong>
        <DecisionBadge decision={decision.automated_decision} />→<DecisionBadge decision={replay.decision} />
      </p>
      <ul className="wf-factors is-flat">
        {differences.map(({ key, description, before, after }) => (
          <li key={key}>
            <span>{description}</span>
            <span className="num dim">
              {tenth(before)} → {tenth(after)}
            </span>
          </li>
        ))}
      </ul>
      <p className="dim">
        Model {replay.model_version ?? 'none'}, rules {replay.ruleset_version}
      </p>
    </>
  );
};

/** Decides the stored facts again: with policy and model of then, which must give the same, or with those of now. */
export const ReplayCard = ({ decision }: { decision: Decision }) => {
  const client = useClient();
  const [busy, setBusy] = useState<When | undefined>();
  const [done, setDone] = useState<{ when: When; replay: Replay } | undefined>();
  const [error, setError] = useState<unknown>();
  const run = async (when: When): Promise<void> => {
    setBusy(when);
    setError(undefined);
    try {
      setDone({ when, replay: await client.decisions.replay(decision.decision_id, { policy: when, model: when }) });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <Card title="Replay" note="Nothing is stored or sent">
      <div className="row-buttons">
        <Button small busy={busy === 'then'} onClick={() => void run('then')}>
          With the original policy
        </Button>
        <Button small busy={busy === 'now'} onClick={() => void run('now')}>
          With the current policy
        </Button>
      </div>
      <div role="status" className="replay">
        {error !== undefined ? (
          <Failed error={error} />
        ) : (
          done !== undefined && <Result decision={decision} replay={done.replay} when={done.when} />
        )}
      </div>
    </Card>
  );
};
