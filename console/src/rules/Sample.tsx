import type { RuleCheck } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { Card } from '../parts/Card.tsx';
import { formatDayTime, formatMoney, formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useCheck } from './use-rule.ts';

const ITEM = /^(?:txn|evt)_\w+$/;
const ITEMS = 12;

type Part = NonNullable<RuleCheck['parts']>[number];
/** How deep an operand is within others. */
const depthOf = (part: Part, all: readonly Part[]): number =>
  all.filter((one) => one !== part && one.from <= part.from && one.to >= part.to).length;

const ValueMark = ({ value }: { value: boolean | null }) => (
  <span className={`value ${value === true ? 'is-true' : ''}`}>
    <Icon name={value === true ? 'check' : 'cross'} size={14} />
    {value === null ? 'fails' : String(value)}
  </span>
);

const Parts = ({ expression, check }: { expression: string; check: RuleCheck }) => {
  const characters = [...expression];
  const parts = check.parts ?? [];
  return (
    <>
      <p className={`sample-result ${check.value === true ? 'is-true' : ''}`} role="status">
        {check.value === true ? 'The rule matches this item.' : 'The rule does not match this item.'}
      </p>
      <ul className="parts">
        {parts.map((part) => (
          <li key={`${part.from}-${part.to}`} style={{ paddingInlineStart: depthOf(part, parts) * 14 }}>
            <code className="mono">{characters.slice(part.from, part.to).join('').replace(/\s+/g, ' ')}</code>
            <ValueMark value={part.value} />
          </li>
        ))}
      </ul>
    </>
  );
};

/** The newest items, to try an expression on. */
const useItems = (isAllowed: boolean) => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'screenings', 'newest'],
    queryFn: ({ signal }) => client.screenings.list({ limit: ITEMS }, { signal }),
    enabled: isAllowed,
  }).data?.screenings;
};

interface Props {
  readonly expression: string;
  readonly isValid: boolean;
  /** The item, which is part of the address. */
  readonly on: string;
  readonly choose: (id: string) => void;
}

/** Every operand of the expression, with its value for one stored item. */
export const Sample = ({ expression, isValid, on, choose }: Props) => {
  const why = useWhyNot('read_personal');
  const items = useItems(useMay('read_personal'));
  const [text, setText] = useState(on);
  const id = useId();
  const item = ITEM.test(on) && isValid && why === undefined ? on : '';
  const { data, error } = useCheck(expression, item);
  const set = (value: string): void => {
    setText(value);
    const trimmed = value.trim();
    if (ITEM.test(trimmed) || trimmed === '') choose(trimmed);
  };
  return (
    <Card title="On a sample item" note="Its stored facts, with the current policy">
      <div className="field">
        <label htmlFor={id}>Payment or event</label>
        <input
          id={id}
          className="input mono"
          list={`${id}-items`}
          value={text}
          placeholder="txn_…"
          spellCheck={false}
          autoComplete="off"
          disabled={why !== undefined}
          onChange={(event) => set(event.currentTarget.value)}
        />
        <datalist id={`${id}-items`}>
          {items?.map((one) => (
            <option key={one.subject_id} value={one.subject_id}>
              {one.user_id},{' '}
              {one.amount === null ? formatName(one.event_type ?? '') : formatMoney(one.amount, one.currency ?? '')},{' '}
              {formatDayTime(one.screened_at)}
            </option>
          ))}
        </datalist>
        {why !== undefined && <span className="field-note">{why}</span>}
      </div>
      <div className="sample">
        {error !== null && item !== '' ? (
          <p className="field-error" role="alert">
            {(error as Error).message}
          </p>
        ) : item !== '' && data?.parts !== undefined ? (
          <Parts expression={expression} check={data} />
        ) : (
          why === undefined && (
            <p className="dim">
              {items !== undefined && items[0] !== undefined && text === '' ? (
                <button type="button" className="link-button" onClick={() => set(items[0]?.subject_id ?? '')}>
                  Use the newest item
                </button>
              ) : (
                'Paste an id to see each part of the expression as true or false.'
              )}
            </p>
          )
        )}
      </div>
    </Card>
  );
};
