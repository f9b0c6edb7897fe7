import type { Policy, PolicyProposal, ScoreFigures } from '@portcullis/client';
import { useId } from 'react';
import { Figure } from '../backtests/Figure.tsx';
import { signed } from '../backtests/Outcome.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { formatCount, formatDuration, formatName, formatUsd, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Budget } from './Budget.tsx';
import { type ItemType, TYPE_TITLES } from './change.ts';
import { type Effect, effectOf, moveThreshold, type Thresholds } from './effect.ts';
import { ThresholdChart } from './ThresholdChart.tsx';

interface Props {
  readonly type: ItemType;
  readonly policy: Policy;
  readonly draft: Thresholds;
  readonly scores: readonly ScoreFigures[] | undefined;
  readonly proposal: PolicyProposal | undefined;
  readonly days: number;
  /** Median time to resolve a case. */
  readonly resolveMs: number | undefined;
  readonly onChange: (next: Thresholds) => void;
}

const NumberBox = (props: {
  name: string;
  which: keyof Thresholds;
  value: Thresholds;
  onChange: Props['onChange'];
}) => {
  const { name, which, value, onChange } = props;
  const id = useId();
  return (
    <span className={`threshold-box is-${which}`}>
      <label htmlFor={id}>
        {formatName(which)} from<span className="unseen"> score, {name}</span>
      </label>
      <input
        id={id}
        type="number"
        className="input num"
        min={which === 'review' ? 1 : 2}
        max={which === 'review' ? 99 : 100}
        value={value[which]}
        onChange={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (!Number.isNaN(number)) onChange(moveThreshold(value, which, number));
        }}
      />
    </span>
  );
};

const Change = ({ now, before, isGood }: { now: number; before: number; isGood: 'more' | 'less' }) => {
  if (now === before) return null;
  const isBetter = isGood === 'more' ? now > before : now < before;
  return <span className={`change ${isBetter ? 'is-better' : 'is-worse'}`}>{signed(now - before)}</span>;
};

/** What the thresholds would have done, and how much that differs from the policy in force. */
const EffectFigures = ({
  now,
  before,
  days,
  resolveMs,
}: {
  now: Effect;
  before: Effect;
  days: number;
  resolveMs: number | undefined;
}) => {
  const aDay = (now.held - now.blocked) / days;
  const dayText = aDay >= 10 || aDay === 0 ? formatCount(aDay) : aDay.toFixed(1);
  const work =
    resolveMs === undefined ? '' : `, ${formatDuration(aDay * resolveMs)} of work at ${formatDuration(resolveMs)} each`;
  return (
    <dl className="tune-figures" aria-live="polite">
      <Figure name="Held or blocked" note={`${dayText} cases a day${work}`}>
        {formatCount(now.held)} <Change now={now.held} before={before.held} isGood="less" />
      </Figure>
      <Figure name="Of these, blocked" note={`${formatUsd(now.amountUsd)} held or blocked`}>
        {formatCount(now.blocked)} <Change now={now.blocked} before={before.blocked} isGood="less" />
      </Figure>
      <Figure
        name="Fraud caught"
        note={now.fraud === 0 ? 'No item in this period is labelled fraud' : `of ${formatCount(now.fraud)} known fraud`}
        part={now.fraud === 0 ? 0 : now.fraudHeld / now.fraud}
        color="--raises"
      >
        {formatCount(now.fraudHeld)} <Change now={now.fraudHeld} before={before.fraudHeld} isGood="more" />
      </Figure>
      <Figure
        name="False positives"
        note={
          now.legitimate === 0
            ? 'No item in this period is labelled legitimate'
            : `of ${formatCount(now.legitimate)} known legitimate`
        }
        part={now.legitimate === 0 ? 0 : now.falsePositives / now.legitimate}
        color="--lowers"
      >
        {formatCount(now.falsePositives)}{' '}
        <Change now={now.falsePositives} before={before.falsePositives} isGood="less" />
      </Figure>
    </dl>
  );
};

/** The thresholds of payments or of events. */
export const TypeCard = ({ type, policy, draft, scores, proposal, days, resolveMs, onChange }: Props) => {
  const stored = policy.thresholds[type];
  const name = TYPE_TITLES[type];
  const own = proposal?.[type];
  const isChanged = draft.review !== stored.review || draft.block !== stored.block;
  return (
    <Card
      title={name}
      note={isChanged ? `In force: review from ${stored.review}, block from ${stored.block}` : 'Same as in force'}
      more={
        isChanged ? (
          <Button small look="ghost" onClick={() => onChange(stored)}>
            Back to {stored.review} and {stored.block}
          </Button>
        ) : undefined
      }
    >
      <div className="threshold-boxes">
        <NumberBox name={name} which="review" value={draft} onChange={onChange} />
        <NumberBox name={name} which="block" value={draft} onChange={onChange} />
      </div>
      {scores === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <div className="stack">
          <ThresholdChart name={name} scores={scores} thresholds={draft} onChange={onChange} />
          <EffectFigures
            now={effectOf(scores, draft)}
            before={effectOf(scores, stored)}
            days={days}
            resolveMs={resolveMs}
          />
          {own !== undefined && own.items.forced > 0 && (
            <p className="dim">
              {plural(own.items.forced, 'item')} of these {own.items.forced === 1 ? 'was' : 'were'} decided by rules,
              lists or test addresses. Thresholds do not affect them.
            </p>
          )}
          {own !== undefined && <Budget type={type} policy={policy} proposal={own} draft={draft} onUse={onChange} />}
        </div>
      )}
    </Card>
  );
};
