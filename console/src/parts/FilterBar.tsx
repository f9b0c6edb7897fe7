import { type KeyboardEvent, type Ref, useId, useState } from 'react';
import { Icon } from './icons.tsx';
import type { ReadTerm, Suggestion } from './terms.ts';
import './filter-bar.css';

interface Props {
  readonly terms: readonly string[];
  readonly onChange: (terms: readonly string[]) => void;
  readonly inputRef: Ref<HTMLInputElement>;
  readonly read: (text: string) => readonly ReadTerm<string>[];
  readonly suggest: (text: string) => readonly Suggestion[];
  readonly onText?: (text: string) => void;
  readonly placeholder: string;
  readonly example: string;
}

/** Conditions that are typed like commands, such as `score>60`, completed, and shown as chips. */
export const FilterBar = ({ terms, onChange, inputRef, read, suggest, onText, placeholder, example }: Props) => {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const id = useId();
  const suggestions = isOpen ? suggest(text) : [];
  const type = (next: string): void => {
    setText(next);
    onText?.(next);
    setWrong(false);
    setAt(-1);
    setOpen(true);
  };
  const add = (typed: string): void => {
    const found = read(typed);
    if (found.length === 0) {
      setWrong(typed.trim() !== '');
      return;
    }
    const isNew = (one: string): boolean =>
      !read(one).some(({ parameter }) => found.some((term) => term.parameter === parameter));
    onChange([...terms.filter(isNew), ...found.map((term) => term.text)]);
    type('');
    setOpen(false);
  };
  const choose = ({ text: next, isWhole }: Suggestion): void => (isWhole ? add(next) : type(next));
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const chosen = suggestions[at] ?? (event.key === 'Tab' && text !== '' ? suggestions[0] : undefined);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      const count = Math.max(1, suggestions.length);
      setAt(event.key === 'ArrowDown' ? (at + 1) % count : (at - 1 + count) % count);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined) choose(chosen);
    else if (event.key === 'Enter') add(text);
    else if (event.key === 'Backspace' && text === '' && terms.length > 0) onChange(terms.slice(0, -1));
    else if (event.key === 'Escape') event.currentTarget.blur();
    else return;
    event.preventDefault();
  };
  return (
    <div className="filters">
      <Icon name="filter" size={16} />
      {terms.map((term) => (
        <span key={term} className="term">
          <span className="cut">{term}</span>
          <button
            type="button"
            aria-label={`Remove ${term}`}
            onClick={() => onChange(terms.filter((one) => one !== term))}
          >
            <Icon name="cross" size={13} />
          </button>
        </span>
      ))}
      <input
        ref={inputRef}
        role="combobox"
        aria-expanded={suggestions.length > 0}
        aria-controls={id}
        aria-activedescendant={suggestions[at] === undefined ? undefined : `${id}-${at}`}
        value={text}
        placeholder={terms.length === 0 ? placeholder : 'Add a filter'}
        aria-label="Filter"
        aria-invalid={isWrong}
        spellCheck={false}
        autoComplete="off"
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <span role="status" className="filter-wrong">
        {isWrong && `Not a filter. Try ${example}.`}
      </span>
      {terms.length > 0 && (
        <button type="button" className="clear" onClick={() => onChange([])}>
          Clear
        </button>
      )}
      <div id={id} role="listbox" aria-label="Suggestions" className="completions" hidden={suggestions.length === 0}>
        {suggestions.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box above
          <div
            key={one.text}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // Otherwise the box would lose the focus, and the list would be gone before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
          >
            <span className="mono">{one.text}</span>
            {one.detail !== undefined && <span className="dim cut">{one.detail}</span>}
          </div>
        ))}
      </div>
    </div>
  );
};
