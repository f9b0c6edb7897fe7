import type { RuleCheck } from '@portcullis/client';
import { Suspense, useId } from 'react';
import { Card } from '../parts/Card.tsx';
import { Icon } from '../parts/icons.tsx';
import { loadLater } from '../parts/load-later.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWords } from './words.ts';

// The editor is large, and nothing else of the page needs it.
const Editor = loadLater(() => import('./Editor.tsx'));

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSave: () => void;
  readonly isReadOnly: boolean;
  readonly check: { readonly data: RuleCheck | undefined; readonly isNow: boolean };
}

const EXAMPLES = [
  ['A new account that spends a lot', 'amount_usd > 300 && features["user.age_ms"] < 24 * 3600000'],
  ['Many accounts on one device', 'features["device.distinct_user.7d"] >= 4'],
  ['Large, from a new device, at night', 'amount_usd > 500 && "new_device" in signals && hour < 5'],
] as const;

/** The condition, checked while it is written. */
export const Expression = ({ value, onChange, onSave, isReadOnly, check }: Props) => {
  const words = useWords();
  const id = useId();
  const error = check.isNow ? check.data?.errors[0] : undefined;
  const isValid = check.isNow && check.data?.valid === true;
  return (
    <Card
      title="Expression"
      note="Matches when it is true"
      more={<a href="/docs/guides/rules">How to write one</a>}
      className="expression"
    >
      <Suspense fallback={<Skeleton rows={5} />}>
        <Editor
          value={value}
          onChange={onChange}
          onSave={onSave}
          isReadOnly={isReadOnly}
          words={words}
          error={error}
          describedBy={id}
        />
      </Suspense>
      <div id={id} className="check-line" role="status">
        {value.trim() === '' ? (
          <span className="examples-line">
            <span className="dim">Write a condition, or begin with an example:</span>
            {EXAMPLES.map(([title, example]) => (
              <button key={title} type="button" className="link-button" onClick={() => onChange(example)}>
                {title}
              </button>
            ))}
          </span>
        ) : error !== undefined ? (
          <span className="is-wrong">
            <Icon name="cross" size={16} />
            <span>
              Line {error.line}, column {error.column}: {error.message}
            </span>
          </span>
        ) : isValid ? (
          <span className="is-right">
            <Icon name="check" size={16} />
            Valid
            {(check.data?.warnings ?? []).map((warning) => (
              <span key={warning} className="dim">
                {warning}
              </span>
            ))}
          </span>
        ) : (
          <span className="dim">Checking…</span>
        )}
      </div>
    </Card>
  );
};
