import type { Rule } from '@portcullis/client';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useClient } from '../api/environment.tsx';
import { useBacktests } from '../backtests/use-backtest.ts';
import { Button } from '../parts/Button.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDay, plural } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { problemOf } from '../parts/problem.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { remember } from '../shell/recent.ts';
import { ConfirmStateChange } from './ConfirmStateChange.tsx';
import { Expression } from './Expression.tsx';
import { Hits } from './Hits.tsx';
import { RuleActionForm } from './RuleActionForm.tsx';
import { isOfText, RuleBacktest, useRuleBacktest } from './RuleBacktest.tsx';
import { bodyOf, type Content, contentOf, type RuleState, type Version } from './rule.ts';
import { Sample } from './Sample.tsx';
import { StateBadge } from './StateBadge.tsx';
import { Stepper } from './Stepper.tsx';
import { useCheck, useRule, useStored, useUnsaved, useVersions } from './use-rule.ts';
import { Versions } from './Versions.tsx';
import '../parts/table.css';
import '../cases/reject.css';
import './tune.css';

const EMPTY: Content = {
  name: '',
  description: '',
  expression: '',
  action: { decision: 'review' },
  subject_types: ['transaction', 'event'],
  expires_at: null,
};

/** The address holds the sample item and the backtest. */
const useAddress = (path: string) => {
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const set = (name: string, value: string): void => {
    if (value === '') search.delete(name);
    else search.set(name, value);
    const text = search.toString();
    go(text === '' ? path : `${path}?${text}`, { replace: true });
  };
  return { on: search.get('on') ?? '', backtestId: search.get('backtest') ?? undefined, set };
};

const View = ({ rule, start }: { rule: Rule | undefined; start: Content }) => {
  const client = useClient();
  const [, go] = useLocation();
  const id = rule?.rule_id ?? 'new';
  const { on, backtestId, set } = useAddress(`/rules/${id}`);
  const { content, isUnsaved, change, discard } = useUnsaved(id, start);
  const check = useCheck(content.expression);
  const versions = useVersions(rule?.rule_id).data;
  const backtest = useRuleBacktest(backtestId, rule, content);
  const backtests = useBacktests();
  const store = useStored();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const [asked, setAsked] = useState<'live' | 'retired' | undefined>();
  const why = useWhyNot('tune');
  const whyNoBacktest = useWhyNot('review');
  const isReadOnly = rule?.state === 'live' || rule?.state === 'retired';
  const isValid = check.isNow && check.data?.valid === true;
  const whyInvalid = isValid ? undefined : 'The expression is not valid yet.';
  const isCurrent = backtest !== undefined && isOfText(backtest, content, isUnsaved, versions?.versions ?? []);
  useEffect(() => {
    document.title = `${rule?.name ?? 'New rule'} · Portcullis`;
    if (rule !== undefined) remember(`Rule: ${rule.name}`, `/rules/${rule.rule_id}`);
  }, [rule]);

  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
      setAsked(undefined);
    }
  };
  const save = (): Promise<void> =>
    run(async () => {
      const saved = await (rule === undefined
        ? client.rules.create(bodyOf(content))
        : client.rules.change(rule.rule_id, bodyOf(content)));
      discard();
      await store(saved);
      if (rule === undefined) go(`/rules/${saved.rule_id}`, { replace: true });
    });
  const move = (state: RuleState): Promise<void> =>
    run(async () => {
      if (rule === undefined) return;
      if (state === 'retired' && rule.state === 'draft') {
        await client.rules.delete(rule.rule_id);
        go('/rules');
      } else await store(await client.rules.change(rule.rule_id, { state }));
    });
  const goBack = (version: Version): Promise<void> =>
    run(async () => {
      if (rule === undefined) return;
      const state = rule.state === 'live' ? ({ state: 'shadow' } as const) : {};
      let changed = await client.rules.change(rule.rule_id, { ...bodyOf(contentOf(version)), ...state });
      if (rule.state === 'live') changed = await client.rules.change(rule.rule_id, { state: 'live' });
      discard();
      await store(changed);
    });
  const startBacktest = async (): Promise<void> => {
    setAsked(undefined);
    const { expression, action } = content;
    const isStored = rule !== undefined && !isUnsaved;
    const begun = await backtests.start(isStored ? { rule_id: rule.rule_id } : { rule: { expression, action } });
    if (begun !== undefined) set('backtest', begun.backtest_id);
  };
  useKeys('Rule', [
    {
      keys: 't',
      label: 'Backtest',
      run: () => void startBacktest(),
      disabled: (whyNoBacktest ?? whyInvalid) !== undefined,
    },
    { keys: 'e', label: 'Edit the expression', run: () => document.querySelector<HTMLElement>('.cm-content')?.focus() },
  ]);

  const next = {
    draft: { label: 'Start shadow', act: () => void move('shadow') },
    shadow: { label: 'Go live', act: () => setAsked('live') },
    live: { label: 'Back to shadow and edit', act: () => void move('shadow') },
    retired: { label: 'Copy as a new rule', act: () => go(`/rules/new?from=${id}`) },
  }[rule?.state ?? 'draft'];
  return (
    <div className="tune rule">
      <div className="crumbs">
        <Link href="/rules">Rules</Link>
      </div>
      <div className="page-head rule-head">
        <h1 className={rule === undefined ? '' : 'cut mono'}>{rule?.name ?? 'New rule'}</h1>
        {rule !== undefined && (
          <span className="rule-meta">
            <StateBadge state={rule.state} />
            <span className="dim">
              v{rule.version} · {plural(rule.hits.matched, 'hit')} since {formatDay(rule.hits.since)} ·{' '}
            </span>
            <span className={rule.errors > 0 ? 'is-wrong' : 'dim'}>{plural(rule.errors, 'error')}</span>
          </span>
        )}
        <div className="page-more">
          {isUnsaved && rule !== undefined && <Button onClick={discard}>Discard</Button>}
          <Button
            hint="T"
            busy={backtests.isBusy}
            why={whyNoBacktest ?? whyInvalid}
            onClick={() => void startBacktest()}
          >
            Backtest
          </Button>
          {isUnsaved || rule === undefined ? (
            <Button look="primary" busy={isBusy} why={why ?? whyInvalid} onClick={() => void save()}>
              {rule === undefined ? 'Create draft' : `Save as version ${rule.version + 1}`}
            </Button>
          ) : (
            <Button
              look="primary"
              busy={isBusy && asked === undefined}
              why={rule.state === 'retired' ? undefined : why}
              onClick={next.act}
            >
              {next.label}
            </Button>
          )}
          {rule !== undefined && rule.state !== 'retired' && (
            <Menu
              width={220}
              position="bottom-end"
              button={
                <button type="button" className="button" aria-label="More">
                  …
                </button>
              }
              items={[
                { id: 'copy', label: 'Copy as a new rule', icon: 'copy', run: () => go(`/rules/new?from=${id}`) },
                ...(rule.state === 'shadow'
                  ? [
                      {
                        id: 'draft',
                        label: 'Back to draft',
                        icon: 'undo' as const,
                        isDisabled: why !== undefined,
                        run: () => void move('draft'),
                      },
                    ]
                  : []),
                {
                  id: 'retire',
                  label: rule.state === 'draft' ? 'Delete…' : 'Retire…',
                  icon: 'cross',
                  isDisabled: why !== undefined,
                  run: () => setAsked('retired'),
                },
              ]}
            />
          )}
        </div>
      </div>
      {problem !== undefined && (
        <p className="notice rule-problem" role="alert">
          {problem}
        </p>
      )}
      {rule !== undefined && <Stepper state={rule.state} />}
      <div className="rule-grid">
        <div className="stack">
          <Expression
            value={content.expression}
            onChange={(expression) => change({ expression })}
            onSave={() => why === undefined && isValid && (isUnsaved || rule === undefined) && void save()}
            isReadOnly={isReadOnly}
            check={check}
          />
          {rule !== undefined && rule.state !== 'draft' && <Hits rule={rule} />}
          <RuleBacktest
            backtest={backtest}
            isCurrent={isCurrent}
            start={() => void startBacktest()}
            isBusy={backtests.isBusy}
            whyNot={whyInvalid}
          />
        </div>
        <div className="stack">
          <RuleActionForm content={content} change={change} isReadOnly={isReadOnly} />
          <Sample expression={content.expression} isValid={isValid} on={on} choose={(item) => set('on', item)} />
          {rule !== undefined && (
            <Versions rule={rule} versions={versions?.versions} isCut={versions?.cut === true} goBack={goBack} />
          )}
        </div>
      </div>
      {rule !== undefined && (
        <ConfirmStateChange
          rule={rule}
          asked={asked}
          close={() => setAsked(undefined)}
          backtest={isCurrent ? backtest : undefined}
          isBusy={isBusy}
          onBacktest={() => void startBacktest()}
          onYes={() => void move(asked ?? 'live')}
        />
      )}
    </div>
  );
};

/** From idea to live, one step at a time. */
export default function RulePage({ id }: { id: string }) {
  const from = new URLSearchParams(useSearch()).get('from') ?? undefined;
  const isNew = id === 'new';
  const query = useRule(isNew ? from : id);
  if (isNew && from === undefined) return <View rule={undefined} start={EMPTY} />;
  if (query.data === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={8} height={30} />
    );
  if (isNew)
    return <View rule={undefined} start={{ ...contentOf(query.data), name: `${query.data.name}_copy`.slice(0, 64) }} />;
  return <View rule={query.data} start={contentOf(query.data)} />;
}
