import type { AccountRule, RuleInput } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { compile } from './compile.ts';
import { findRule, type RuleRow, rulesIn } from './store.ts';

/** A rule that screenings can evaluate. */
export interface CompiledRule {
  readonly rule: AccountRule;
  readonly lists: readonly string[];
  readonly steps: number;
}

/** Called on each failure of a rule, with the number of earlier ones. */
export type ReportFailure = (rule: RuleRow, error: unknown, before: number) => void;

/**
 * Logs the first failure of a rule: at a thousand screenings a second, a failing rule would fill the log. The log
 * line contains nothing of the request or the expression.
 */
export const logFailures =
  ({ log, metrics }: { log: Log; metrics: Metrics }): ReportFailure =>
  ({ name }, error, before) => {
    metrics.ruleErrors.inc();
    if (before > 0) return;
    log.warn({ rule: name, error: (error as Error).name }, 'rule failed; it counts as not matched');
  };

const compileRule = (row: RuleRow, onFailure: (rule: RuleRow, error: unknown) => void): CompiledRule => {
  const compiled = compile(row.expression);
  const [only, other] = JSON.parse(row.subject_types) as string[];
  const isForAll = other !== undefined;
  const matches = (input: RuleInput): boolean => {
    if (!isForAll && input.subject.type !== only) return false;
    try {
      // A later release may not know a variable of the expression any more. The other rules are evaluated all the same.
      if ('error' in compiled) throw new SyntaxError(compiled.error.message);
      return compiled.matches(input);
    } catch (error) {
      onFailure(row, error);
      return false;
    }
  };
  return {
    lists: 'error' in compiled ? [] : compiled.lists,
    steps: 'error' in compiled ? 0 : compiled.steps,
    rule: {
      id: row.id,
      version: row.version,
      name: row.name,
      state: row.state === 'live' ? 'live' : 'shadow',
      action: JSON.parse(row.action) as AccountRule['action'],
      ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
      matches,
    },
  };
};

/** Compiles rules, caches those that did not change, and counts their failures. */
export const makeCompiledRules = (report: ReportFailure) => {
  const cache = new Map<string, CompiledRule>();
  const errors = new Map<string, number>();

  const onFailure = (rule: RuleRow, error: unknown): void => {
    const before = errors.get(rule.id) ?? 0;
    errors.set(rule.id, before + 1);
    report(rule, error, before);
  };

  return {
    /** The state is shadow unless the rule is live. */
    of: (row: RuleRow): CompiledRule => {
      const cached = cache.get(row.id);
      if (cached?.rule.version === row.version) return cached;
      const compiled = compileRule(row, onFailure);
      cache.set(row.id, compiled);
      return compiled;
    },
    errorsOf: (id: string): number => errors.get(id) ?? 0,
  };
};
export type CompiledRules = ReturnType<typeof makeCompiledRules>;

/** The main thread reports failures; a backtest does not. */
const ignoreFailure = (): void => {};

/** The tenant's live and shadow rules, for a thread that evaluates them on past screenings. */
export const readRules = async (backend: Pick<Backend, 'read'>, tenant: number): Promise<AccountRule[]> => {
  const { of } = makeCompiledRules(ignoreFailure);
  return (await rulesIn(backend as Backend, tenant, ['shadow', 'live'])).map((row) => of(row).rule);
};

/** One rule in any state, as if it were live. */
export const readRule = async (
  backend: Pick<Backend, 'read'>,
  tenant: number,
  id: string,
): Promise<AccountRule | undefined> => {
  const row = await findRule(backend as Backend, tenant, id);
  if (row === undefined) return undefined;
  return { ...makeCompiledRules(ignoreFailure).of(row).rule, state: 'live' };
};
