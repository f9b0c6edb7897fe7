import type { Decision } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../shell/keys.ts';
import { type Step, stepsOf } from './waterfall.ts';
import './waterfall.css';

interface Thresholds {
  readonly review: number;
  readonly block: number;
}
export const useThresholds = (type: 'transaction' | 'event'): Thresholds | undefined => {
  const client = useClient();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'policy'],
    queryFn: ({ signal }) => client.policy.get({ signal }),
    staleTime: 60_000,
  });
  return data?.thresholds[type];
};

const signed = (points: number): string => (points > 0 ? `+${points}` : `${points}`.replace('-', '−'));
const tenth = (points: number): string => signed(Math.round(points * 10) / 10);

interface Scale {
  readonly min: number;
  readonly max: number;
}
const Lines = ({ thresholds, place }: { thresholds: Thresholds | undefined; place: (score: number) => string }) =>
  thresholds !== undefined && (
    <>
      <span className="wf-line is-review" style={{ left: place(thresholds.review) }} />
      <span className="wf-line is-block" style={{ left: place(thresholds.block) }} />
    </>
  );

interface RowProps {
  readonly step: Step;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly thresholds: Thresholds | undefined;
  readonly place: (score: number) => string;
  readonly width: (points: number) => string;
}
const Row = ({ step, isOpen, toggle, thresholds, place, width }: RowProps) => {
  const { name, title, points, from, to, factors } = step;
  const kind = name === 'base' ? 'is-base' : points < 0 ? 'is-lower' : 'is-raise';
  return (
    <li>
      <div className="wf-row">
        {factors.length === 0 ? (
          <span className="wf-name is-plain">{title}</span>
        ) : (
          <button type="button" className="wf-name" aria-expanded={isOpen} onClick={toggle}>
            <Icon name={isOpen ? 'down' : 'right'} size={15} />
            <span className="cut">{title}</span>
          </button>
        )}
        <span className="wf-track" aria-hidden="true">
          <Lines thresholds={thresholds} place={place} />
          {name !== 'base' && <span className="wf-join" style={{ left: place(from) }} />}
          <span
            className={`wf-bar ${kind}`}
            style={{ left: place(Math.min(from, to)), width: width(Math.abs(points)) }}
          />
        </span>
        <span className={`wf-points num ${kind}`}>{name === 'base' ? points : signed(points)}</span>
      </div>
      {isOpen && (
        <ul className="wf-factors">
          {factors.map(({ description, contribution, signal, feature }) => (
            <li key={`${signal}${feature}${description}`}>
              <span>{description}</span>
              <span className="num dim">{tenth(contribution)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
};

/** Why the score is what it is: bars from the base to the score, by theme. A theme opens into its factors. */
export const Waterfall = ({ decision, isSmall = false }: { decision: Decision; isSmall?: boolean }) => {
  const steps = stepsOf(decision);
  const thresholds = useThresholds(decision.subject_type);
  const largest = steps.filter(({ name }) => name !== 'base').toSorted((a, b) => b.points - a.points)[0]?.name;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(isSmall || largest === undefined ? [] : [largest]));
  const names = steps.filter(({ factors }) => factors.length > 0).map(({ name }) => name);
  const isAll = names.every((name) => opened.has(name));
  useKeys(
    'Case',
    isSmall
      ? []
      : [
          {
            keys: 'e',
            label: isAll ? 'Collapse all reasons' : 'Expand all reasons',
            run: () => setOpened(new Set(isAll ? [] : names)),
          },
        ],
  );
  const scale: Scale = {
    min: Math.min(0, ...steps.map(({ to }) => to)),
    max: Math.max(100, ...steps.map(({ to }) => to)),
  };
  const width = (points: number): string => `${(points / (scale.max - scale.min)) * 100}%`;
  const place = (score: number): string => width(score - scale.min);
  const toggle = (name: string): void =>
    setOpened(opened.has(name) ? opened.difference(new Set([name])) : opened.union(new Set([name])));
  return (
    <div className={`wf ${isSmall ? 'is-small' : ''}`}>
      <div className="wf-row wf-scale" aria-hidden="true">
        <span />
        <span className="wf-track">
          {[0, 25, 100].map((score) => (
            <span key={score} className="wf-tick is-plain" style={{ left: place(score) }}>
              {score}
            </span>
          ))}
          {thresholds !== undefined && (
            <>
              <span className="wf-tick is-review" style={{ left: place(thresholds.review) }}>
                <span className="wf-word">review </span>
                {thresholds.review}
              </span>
              <span className="wf-tick is-block" style={{ left: place(thresholds.block) }}>
                <span className="wf-word">block </span>
                {thresholds.block}
              </span>
            </>
          )}
        </span>
        <span />
      </div>
      <ol>
        {steps.map((step) => (
          <Row
            key={step.name}
            step={step}
            isOpen={opened.has(step.name)}
            toggle={() => toggle(step.name)}
            thresholds={thresholds}
            place={place}
            width={width}
          />
        ))}
      </ol>
      <div className="wf-row wf-total">
        <span className="wf-name is-plain">Score</span>
        <span className="wf-track" aria-hidden="true">
          <Lines thresholds={thresholds} place={place} />
          <span
            className={`wf-bar is-${decision.automated_decision}`}
            style={{ left: place(0), width: width(decision.risk_score) }}
          />
        </span>
        <span className="wf-points num">{decision.risk_score}</span>
      </div>
    </div>
  );
};
