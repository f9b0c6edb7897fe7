import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly note?: ReactNode;
  readonly error?: string | undefined;
}

export const Field = ({ label, note, error, ...input }: Props) => {
  const id = useId();
  const more = [note !== undefined && `${id}-note`, error !== undefined && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={more || undefined}
      />
      {note !== undefined && (
        <span id={`${id}-note`} className="field-note">
          {note}
        </span>
      )}
      {error !== undefined && (
        <span id={`${id}-error`} className="field-error">
          {error}
        </span>
      )}
    </div>
  );
};

/** A password that can be shown, pasted, and kept by a password manager. */
export const PasswordField = ({ label, ...props }: Props) => {
  const [isShown, setShown] = useState(false);
  return (
    <div style={{ position: 'relative' }}>
      <Field label={label} {...props} type={isShown ? 'text' : 'password'} />
      <button type="button" className="show" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
        <span className="unseen"> password</span>
      </button>
    </div>
  );
};
