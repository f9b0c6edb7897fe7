import { formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { type RuleState, STATES } from './rule.ts';

const WORDS: Readonly<Record<RuleState, string>> = {
  draft: 'Written, not evaluated',
  shadow: 'Evaluated and recorded; decisions do not change',
  live: 'Changes decisions',
  retired: 'Ended; stays readable',
};

/** The way of a rule, and where it is. */
export const Stepper = ({ state }: { state: RuleState }) => {
  const at = STATES.indexOf(state);
  return (
    <ol className="stepper" aria-label="State of the rule">
      {STATES.map((one, index) => (
        <li
          key={one}
          className={index < at ? 'is-past' : index === at ? 'is-at' : ''}
          aria-current={index === at ? 'step' : undefined}
        >
          <span className="step-mark">{index < at ? <Icon name="check" size={14} /> : index + 1}</span>
          <span>
            <strong>{formatName(one)}</strong>
            <span className="step-words">{WORDS[one]}</span>
          </span>
        </li>
      ))}
    </ol>
  );
};
