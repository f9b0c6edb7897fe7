import type { ListCheck, ListCheckRequest } from '@portcullis/client';
import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import { useClient } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { problemOf } from '../parts/problem.ts';
import { TREATMENT_LOOKS, TREATMENT_WORDS } from './words.ts';

const FIELDS = [
  ['user_id', 'User'],
  ['ip_address', 'IP address'],
  ['email', 'E-mail address'],
  ['device_token', 'Device'],
  ['payment_fingerprint', 'Card or account'],
  ['counterparty_id', 'Counterparty'],
  ['country', 'Country'],
] as const satisfies readonly (readonly [keyof ListCheckRequest, string])[];

const Matches = ({ matches }: ListCheck) =>
  matches.length === 0 ? (
    <p>Not on any list.</p>
  ) : (
    <ul className="matches">
      {matches.map(({ entry_id, list_id, treatment, value, reason, author }) => (
        <li key={entry_id}>
          <span className={`badge badge-${TREATMENT_LOOKS[treatment]}`}>{TREATMENT_WORDS[treatment]}</span>
          <span>
            <Link href={`/lists/${list_id}`} className="mono">
              {list_id}
            </Link>{' '}
            has <span className="mono">{value}</span>
            <span className="dim">
              {reason !== null && `: ${reason}`}, by {author}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );

/** Asks which entries match a value. Nothing is stored or counted. */
export const CheckCard = () => {
  const client = useClient();
  const [field, setField] = useState<(typeof FIELDS)[number][0]>('user_id');
  const [value, setValue] = useState('');
  const [found, setFound] = useState<ListCheck | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (value.trim() === '') return;
    setBusy(true);
    setProblem(undefined);
    try {
      setFound(await client.lists.check({ [field]: value.trim() }));
    } catch (error) {
      setFound(undefined);
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title="Would this be caught?" note="Nothing is stored or counted">
      <form className="inline-form" onSubmit={(event) => void submit(event)}>
        <select
          className="input"
          aria-label="Kind"
          value={field}
          onChange={(event) => setField(event.currentTarget.value as typeof field)}
        >
          {FIELDS.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <input
          id={id}
          className="input mono"
          aria-label="Value"
          placeholder="Value"
          value={value}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Button type="submit" busy={isBusy}>
          Check
        </Button>
      </form>
      <div role="status" className="check-found">
        {problem !== undefined ? <p className="is-wrong">{problem}</p> : found !== undefined && <Matches {...found} />}
      </div>
    </Card>
  );
};
