import type { List, ListEntryRequest } from '@portcullis/client';
import { type ChangeEvent, type FormEvent, useId, useState } from 'react';
import { useClient, useMay } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { formatCount, plural } from '../parts/format.ts';
import { problemOf } from '../parts/problem.ts';
import { KINDS, type Kind, partsOf, type Row, readRows } from './rows.ts';
import { useChanged } from './use-lists.ts';
import { kindWords } from './words.ts';

const DAY_MS = 86_400_000;
const ENDS = [
  [0, 'Never'],
  [7, 'In 7 days'],
  [30, 'In 30 days'],
  [90, 'In 90 days'],
  [365, 'In 365 days'],
] as const;
const ANALYST_DAYS = 90;
const SHOWN = 100;

/** The rows as they would be added, the wrong ones first. */
const Preview = ({ rows }: { rows: readonly Row[] }) => {
  const shown = rows.toSorted((a, b) => Number(b.error !== undefined) - Number(a.error !== undefined)).slice(0, SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
    <div className="preview" tabIndex={0} role="region" aria-label="Rows">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Kind</th>
            <th scope="col">Value</th>
            <th scope="col">Check</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, entry, error }) => (
            <tr key={line}>
              <td className="num dim">{line}</td>
              <td className="nowrap">{entry.kind}</td>
              <td className="mono preview-value">{entry.value}</td>
              <td className={error === undefined ? 'is-right' : 'is-wrong'}>{error ?? 'ok'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && <p className="dim">and {formatCount(rows.length - shown.length)} more</p>}
    </div>
  );
};

/** Adds one entry, or many from pasted text or a file. Every row is checked before anything is sent. */
export const AddForm = ({ list, close }: { list: List; close: () => void }) => {
  const client = useClient();
  const changed = useChanged();
  const mayTune = useMay('tune');
  const ends = ENDS.filter(
    ([days]) => (list.treatment !== 'trusted' || days > 0) && (mayTune || (days > 0 && days <= ANALYST_DAYS)),
  );
  const [kind, setKind] = useState<Kind>('user');
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [days, setDays] = useState<number>(ends[0]?.[0] ?? 0);
  const [sent, setSent] = useState<number | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const id = useId();
  const expires_at = days === 0 ? undefined : new Date(Date.now() + days * DAY_MS - 60_000).toISOString();
  const rows = readRows(text, { kind, reason: reason.trim(), expires_at });
  const wrong = rows.filter(({ error }) => error !== undefined).length;
  const load = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.currentTarget.files?.[0];
    if (file !== undefined) setText(await file.text());
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (rows.length === 0 || wrong > 0) return;
    setProblem(undefined);
    let done = 0;
    setSent(0);
    try {
      for (const entries of partsOf(rows.map(({ entry }) => entry))) {
        await client.lists.addEntries(list.list_id, { entries: entries as ListEntryRequest[] });
        done += entries.length;
        setSent(done);
      }
      await changed();
      close();
    } catch (error) {
      const before =
        done === 0 ? 'Nothing was added.' : `The first ${formatCount(done)} were added, the others were not.`;
      setProblem(`${before} ${problemOf(error)}`);
      await changed();
    } finally {
      setSent(undefined);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <div className="field-pair">
        <div className="field">
          <label htmlFor={`${id}-kind`}>Kind</label>
          <select
            id={`${id}-kind`}
            className="input"
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
          >
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {kindWords(one)}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-end`}>Expires</label>
          <select
            id={`${id}-end`}
            className="input"
            value={days}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          >
            {ends.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </div>
      <div className="field">
        <label htmlFor={id}>Values</label>
        <textarea
          id={id}
          className="input mono"
          rows={6}
          value={text}
          spellCheck={false}
          data-autofocus
          placeholder={'One per line, or CSV with a header:\nkind,value,reason,expires_at'}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <span className="field-note">
          <label className="file">
            Or choose a CSV file
            <input type="file" accept=".csv,.txt,text/csv,text/plain" onChange={(event) => void load(event)} />
          </label>
        </span>
      </div>
      <Field
        label="Reason"
        note="For other people. A reason in the file takes precedence."
        value={reason}
        maxLength={500}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {rows.length > 1 || wrong > 0 ? <Preview rows={rows} /> : null}
      {problem !== undefined && (
        <p className="notice rule-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="row-buttons">
        <Button
          type="submit"
          look="primary"
          busy={sent !== undefined}
          why={
            rows.length === 0
              ? 'Enter a value first.'
              : wrong > 0
                ? `Correct or remove ${plural(wrong, 'row')} first.`
                : undefined
          }
        >
          {sent !== undefined && rows.length > 1000
            ? `Added ${formatCount(sent)} of ${formatCount(rows.length)}`
            : rows.length === 0
              ? 'Add'
              : `Add ${plural(rows.length, 'entry', 'entries')}`}
        </Button>
        <Button onClick={close}>Cancel</Button>
        <span role="status" className="dim rows-said">
          {rows.length > 0 &&
            `${plural(rows.length, 'row')}, ${wrong === 0 ? 'all valid' : `${formatCount(wrong)} invalid`}`}
        </span>
      </div>
    </form>
  );
};
