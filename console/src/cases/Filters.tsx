import { type Ref, useId, useState } from 'react';
import { Icon } from '../parts/icons.tsx';
import { EXAMPLES, readTerm } from './filters.ts';

interface Props {
  readonly terms: readonly string[];
  readonly onChange: (terms: readonly string[]) => void;
  readonly inputRef: Ref<HTMLInputElement>;
}

/** Conditions that are typed like commands, such as `score>60`, and shown as chips. */
export const Filters = ({ terms, onChange, inputRef }: Props) => {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  const add = (): void => {
    const term = readTerm(text);
    if (term === undefined) {
      setWrong(text.trim() !== '');
      return;
    }
    const others = terms.filter((one) => readTerm(one)?.parameter !== term.parameter);
    onChange([...others, term.text]);
    setText('');
  };
  const remove = (term: string): void => onChange(terms.filter((one) => one !== term));
  return (
    <div className="filters">
      <Icon name="filter" size={16} />
      {terms.map((term) => (
        <span key={term} className="term">
          {term}
          <button type="button" aria-label={`Remove ${term}`} onClick={() => remove(term)}>
            <Icon name="cross" size={13} />
          </button>
        </span>
      ))}
      <input
        ref={inputRef}
        list={id}
        value={text}
        placeholder={terms.length === 0 ? 'Filter: score>60  is:payment  signal:new_device' : 'Add a filter'}
        aria-label="Filter"
        aria-invalid={isWrong}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setWrong(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
          else if (event.key === 'Backspace' && text === '' && terms.length > 0) onChange(terms.slice(0, -1));
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <datalist id={id}>
        {EXAMPLES.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
      <span role="status" className="filter-wrong">
        {isWrong && `Not a filter. Try ${EXAMPLES[0]}.`}
      </span>
      {terms.length > 0 && (
        <button type="button" className="clear" onClick={() => onChange([])}>
          Clear
        </button>
      )}
    </div>
  );
};
