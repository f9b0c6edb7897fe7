import type { ReactNode } from 'react';
import { formatName } from './format.ts';

export type DecisionWord = 'allow' | 'review' | 'block';

/** A decision has a word, a shape and a colour: nobody has to tell colours apart. */
const SHAPES: Readonly<Record<DecisionWord, string>> = {
  allow: 'M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  review: 'M5 0l5 5-5 5-5-5z',
  block: 'M1 1h8v8H1z',
};
export const Shape = ({ of }: { of: DecisionWord }) => (
  <svg width={9} height={9} viewBox="0 0 10 10" fill="currentColor" aria-hidden="true">
    <path d={SHAPES[of]} />
  </svg>
);

export const DecisionBadge = ({ decision, children }: { decision: DecisionWord; children?: ReactNode }) => (
  <span className={`badge badge-${decision}`}>
    <Shape of={decision} />
    {children ?? formatName(decision)}
  </span>
);

export const StatusBadge = ({ status }: { status: 'open' | 'approved' | 'rejected' | 'expired' }) => (
  <span className={`badge badge-${status}`}>{formatName(status)}</span>
);

export const ScoreChip = ({ score, decision }: { score: number; decision: DecisionWord }) => (
  <span className={`score-chip badge-${decision}`}>{score}</span>
);

/** The score as a part of a ring. */
export const ScoreRing = ({ score, decision, size = 54 }: { score: number; decision: DecisionWord; size?: number }) => {
  const width = size / 11;
  const radius = (size - width) / 2;
  const length = 2 * Math.PI * radius;
  return (
    <div className="ring" role="img" aria-label={`Score ${score} of 100`}>
      <svg width={size} height={size} aria-hidden="true">
        <circle cx={size / 2} cy={size / 2} r={radius} fill="none" stroke="var(--line)" strokeWidth={width} />
        <circle
          cx={size / 2}
          cy={size / 2}
          r={radius}
          fill="none"
          stroke={`var(--${decision}-fill)`}
          strokeWidth={width}
          strokeLinecap="round"
          strokeDasharray={`${(length * score) / 100} ${length}`}
        />
      </svg>
      <span style={{ fontSize: size / 2.9 }} aria-hidden="true">
        {score}
      </span>
    </div>
  );
};
