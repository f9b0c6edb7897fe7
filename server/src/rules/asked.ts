import type { OwnRule, RuleInput } from '@portcullis/engine';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { compile } from './compile.ts';
import type { RuleRow } from './store.ts';

/** A rule as screenings ask it. */
export interface Asked {
  readonly own: OwnRule;
  readonly lists: readonly string[];
  readonly steps: number;
}

/** Told of each failure, with how many the rule had before. */
export type Failed = (rule: RuleRow, error: unknown, before: number) => void;

/** Logged once: with a thousand screenings a second, a rule that fails would fill the log. Nothing of the request or the expression is told. */
export const logFailures =
  ({ log, metrics }: { log: Log; metrics: Metrics }): Failed =>
  ({ name }, error, before) => {
    metrics.ruleErrors.inc();
    if (before > 0) return;
    log.warn({ rule: name, error: (error as Error).name }, 'a rule failed and counts as not matched');
  };

/** Makes rules that can be asked, keeps those that did not change, and counts how often asking one failed. */
export const makeAsked = (tell: Failed) => {
  const known = new Map<string, Asked>();
  const errors = new Map<string, number>();

  const failed = (rule: RuleRow, error: unknown): void => {
    const before = errors.get(rule.id) ?? 0;
    errors.set(rule.id, before + 1);
    tell(rule, error, before);
  };

  const make = (row: RuleRow): Asked => {
    const compiled = compile(row.expression);
    const [only, other] = JSON.parse(row.subject_types) as string[];
    const isForAll = other !== undefined;
    const matches = (input: RuleInput): boolean => {
      if (!isForAll && input.subject.type !== only) return false;
      try {
        // What it was written for may be gone since, in another release: that must not keep the others from being asked.
        if ('fault' in compiled) throw new SyntaxError(compiled.fault.message);
        return compiled.matches(input);
      } catch (error) {
        failed(row, error);
        return false;
      }
    };
    return {
      lists: 'fault' in compiled ? [] : compiled.lists,
      steps: 'fault' in compiled ? 0 : compiled.steps,
      own: {
        id: row.id,
        version: row.version,
        name: row.name,
        state: row.state === 'live' ? 'live' : 'shadow',
        action: JSON.parse(row.action) as OwnRule['action'],
        ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
        matches,
      },
    };
  };

  return {
    /** As a rule in shadow unless it is live. */
    of: (row: RuleRow): Asked => {
      const before = known.get(row.id);
      if (before?.own.version === row.version) return before;
      const asked = make(row);
      known.set(row.id, asked);
      return asked;
    },
    errorsOf: (id: string): number => errors.get(id) ?? 0,
  };
};
