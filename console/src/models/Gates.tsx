import type { ModelGate } from '@portcullis/client';
import { Icon } from '../parts/icons.tsx';

const WORDS: Readonly<Record<ModelGate['name'], string>> = {
  average_precision: 'Ranks fraud better than the champion',
  recall_at_operating_point: "Finds at least as much fraud at the champion's false positive rate",
  frauds_held: 'Holds at least as much of the fraud, with your thresholds and points',
  others_held: 'Holds at most half a percentage point more of the other items',
  labels_agree: 'Your labels are plausible: held items labelled fraud mostly had the higher probability',
  known_attacks: 'Still finds at least half of the simulated attacks that the base model finds',
};

const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

/** The conditions of promotion, with the numbers of both models. */
export const Gates = ({ gates }: { gates: readonly ModelGate[] }) => (
  <ul className="gates">
    {gates.map(({ name, wanted, champion, challenger, passed }) => (
      <li key={name} className={passed ? 'is-passed' : 'is-failed'}>
        <span className="gate-mark">
          <Icon name={passed ? 'check' : 'cross'} size={15} />
          <span className="unseen">{passed ? 'passed' : 'failed'}:</span>
        </span>
        <span className="gate-words">
          <strong>{WORDS[name] ?? name}</strong>
          <span className="dim">
            Required: {wanted}
            {name === 'labels_agree' && !passed && (
              <>
                . <a href="/docs/guides/models#gates">Check how cases were resolved</a>
              </>
            )}
          </span>
        </span>
        <span className="gate-numbers num">
          <strong>{shown(challenger)}</strong>
          <span className="dim">champion {shown(champion)}</span>
        </span>
      </li>
    ))}
  </ul>
);
