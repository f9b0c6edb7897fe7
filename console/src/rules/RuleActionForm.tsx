import { useId } from 'react';
import { Card } from '../parts/Card.tsx';
import { Field } from '../parts/Field.tsx';
import { type Action, type Content, typeWords } from './rule.ts';

interface Props {
  readonly content: Content;
  readonly change: (fields: Partial<Content>) => void;
  readonly isReadOnly: boolean;
}

const CHOICES = [
  ['review', 'Hold for review'],
  ['block', 'Block'],
  ['allow', 'Allow'],
  ['points', 'Raise the score'],
] as const;
const DAY_MS = 86_400_000;
const ALLOW_DAYS = 30;
const DEFAULT_POINTS = 30;

/** A date of the browser's zone, as date inputs have it. */
const dateOf = (time: string): string => {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
};

/** What happens to a matching item. */
export const RuleActionForm = ({ content, change, isReadOnly }: Props) => {
  const id = useId();
  const { action, subject_types, expires_at } = content;
  const choice = action.points === undefined ? (action.decision ?? 'review') : 'points';
  const choose = (next: string): void => {
    const made: Action =
      next === 'points' ? { points: DEFAULT_POINTS } : { decision: next as NonNullable<Action['decision']> };
    const needsEnd = next === 'allow' && expires_at === null;
    const end = new Date(Date.now() + ALLOW_DAYS * DAY_MS).toISOString();
    change({ action: made, ...(needsEnd && { expires_at: end }) });
  };
  const toggle = (type: 'transaction' | 'event'): void => {
    const next = subject_types.includes(type)
      ? subject_types.filter((one) => one !== type)
      : [...subject_types, type].sort().reverse();
    if (next.length > 0) change({ subject_types: next as Content['subject_types'] });
  };
  return (
    <Card title="Action">
      <fieldset className="rule-action" disabled={isReadOnly}>
        <legend className="unseen">Action</legend>
        <Field
          label="Name"
          className="mono"
          value={content.name}
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          note={
            <>
              Matching items get the signal <span className="mono">rule.{content.name || 'name'}</span>
            </>
          }
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <div className="field-pair">
          <div className="field">
            <label htmlFor={`${id}-action`}>If it matches</label>
            <select
              id={`${id}-action`}
              className="input"
              value={choice}
              onChange={(event) => choose(event.currentTarget.value)}
            >
              {CHOICES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          {choice === 'points' && (
            <Field
              label="By, % of the gap to 100"
              type="number"
              min={1}
              max={100}
              value={action.points}
              onChange={(event) => change({ action: { points: Number(event.currentTarget.value) } })}
            />
          )}
          <Field
            label={choice === 'allow' ? 'Expires (within 90 days)' : 'Expires'}
            type="date"
            value={expires_at === null ? '' : dateOf(expires_at)}
            onChange={(event) => {
              const { value } = event.currentTarget;
              change({ expires_at: value === '' ? null : new Date(`${value}T00:00`).toISOString() });
            }}
          />
        </div>
        <fieldset className="rule-types">
          <legend>Applies to</legend>
          {(['transaction', 'event'] as const).map((type) => (
            <label key={type} className="check">
              <input type="checkbox" checked={subject_types.includes(type)} onChange={() => toggle(type)} />
              {typeWords([type])}
            </label>
          ))}
        </fieldset>
        <div className="field">
          <label htmlFor={`${id}-description`}>Description</label>
          <textarea
            id={`${id}-description`}
            className="input"
            rows={2}
            maxLength={500}
            value={content.description}
            placeholder="Why it exists, for the next person"
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
        </div>
      </fieldset>
    </Card>
  );
};
