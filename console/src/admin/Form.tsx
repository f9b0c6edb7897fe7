import { type FormEvent, type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { Button } from '../parts/Button.tsx';
import type { Sending } from './use-send.ts';
import './admin.css';

interface Props {
  readonly sending: Sending;
  readonly submit: string;
  readonly look?: 'primary' | 'reject';
  readonly why?: string | undefined;
  readonly onSubmit: () => Promise<unknown>;
  /** Without it, the form cannot be cancelled. */
  readonly close?: () => void;
  /** Beside the buttons, such as that it is saved. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

/** A form with its error and its buttons. Errors of a field are shown at the field. */
export const Form = ({ sending, submit, look = 'primary', why, onSubmit, close, more, children }: Props) => {
  const { isBusy, error, send, isOfField } = sending;
  const onSend = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy && why === undefined) void send(onSubmit);
  };
  return (
    <form className="form" onSubmit={onSend}>
      {children}
      <div role="alert">{error !== undefined && !isOfField && <p className="notice">{error.message}</p>}</div>
      <div className="form-buttons">
        <Button type="submit" look={look} busy={isBusy} why={why}>
          {submit}
        </Button>
        {close !== undefined && <Button onClick={close}>Cancel</Button>}
        {more}
      </div>
    </form>
  );
};

interface ChoiceProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly note?: ReactNode;
  readonly onPick: (value: string) => void;
}
/** One of several values. */
export const Choice = ({ label, options, note, onPick, ...select }: ChoiceProps) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        className="input"
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onChange={(event) => onPick(event.currentTarget.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {note !== undefined && (
        <span id={`${id}-note`} className="field-note">
          {note}
        </span>
      )}
    </div>
  );
};

interface ChecksProps {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly text: ReactNode; readonly note?: string }[];
  readonly picked: ReadonlySet<string>;
  readonly error?: string | undefined;
  readonly onChange: (picked: ReadonlySet<string>) => void;
}
/** Any of several values. */
export const Checks = ({ label, options, picked, error, onChange }: ChecksProps) => (
  <fieldset className="checks">
    <legend>{label}</legend>
    {options.map(({ value, text, note }) => (
      <label key={value}>
        <input
          type="checkbox"
          checked={picked.has(value)}
          onChange={() => onChange(picked.symmetricDifference(new Set([value])))}
        />
        <span>
          {text}
          {note !== undefined && <span className="field-note">{note}</span>}
        </span>
      </label>
    ))}
    {error !== undefined && <span className="field-error">{error}</span>}
  </fieldset>
);
