import type { Rule } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDay } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { actionWords, STATES, typeWords } from './rule.ts';
import { StateBadge } from './StateBadge.tsx';
import '../parts/table.css';
import './tune.css';

const VIEWS = ['all', ...STATES] as const;
type View = (typeof VIEWS)[number];
const TITLES: Readonly<Record<View, string>> = {
  all: 'All',
  draft: 'Drafts',
  shadow: 'Shadow',
  live: 'Live',
  retired: 'Retired',
};

/** The view and the text of the address. */
const useChosen = () => {
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const asked = search.get('state');
  const view: View = VIEWS.find((one) => one === asked) ?? 'all';
  const text = search.get('q') ?? '';
  const change = (next: { view?: View; text?: string }): void => {
    const wanted = { view, text, ...next };
    const query = new URLSearchParams();
    if (wanted.view !== 'all') query.set('state', wanted.view);
    if (wanted.text !== '') query.set('q', wanted.text);
    go(query.size === 0 ? '/rules' : `/rules?${query}`, { replace: true });
  };
  return { view, text, change };
};

const useRules = (view: View) => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'rules', view],
    queryFn: ({ signal }) => client.rules.list(view === 'all' ? {} : { state: view }, { signal }),
    // The numbers of hits grow.
    refetchInterval: 15_000,
  });
};

const Row = ({ rule, isAt }: { rule: Rule; isAt: boolean }) => (
  <tr aria-current={isAt || undefined}>
    <td className="rule-name">
      <Link href={`/rules/${rule.rule_id}`} className="mono">
        {rule.name}
      </Link>
      <span className="dim cut">{rule.description || rule.expression.replace(/\s+/g, ' ')}</span>
    </td>
    <td>
      <StateBadge state={rule.state} />
    </td>
    <td className="nowrap is-wide">{actionWords(rule.action)}</td>
    <td className="dim nowrap is-wide">{typeWords(rule.subject_types)}</td>
    <td className="num end">{formatCount(rule.hits.matched)}</td>
    <td className="dim nowrap is-wide">{formatDay(rule.hits.since)}</td>
    <td className={`num end ${rule.errors > 0 ? 'is-wrong' : ''}`}>{formatCount(rule.errors)}</td>
  </tr>
);

const Empty = ({ view, why, create }: { view: View; why: string | undefined; create: () => void }) => (
  <EmptyState
    icon="rules"
    title={view === 'all' ? 'No rules yet' : `No rule is ${view === 'draft' ? 'a draft' : view}`}
    more={
      view === 'all' && (
        <Button look="primary" why={why} onClick={create}>
          Write the first rule
        </Button>
      )
    }
  >
    A rule is a condition and an action: hold, block or allow a matching item, or raise its score. It runs after the
    model.
  </EmptyState>
);

/** The rules of the account, with what they match. */
export default function Rules() {
  const [, go] = useLocation();
  const { view, text, change } = useChosen();
  const query = useRules(view);
  const [at, setAt] = useState(0);
  const filter = useRef<HTMLInputElement>(null);
  const why = useWhyNot('tune');
  const wanted = text.toLowerCase();
  const rows = (query.data?.rules ?? []).filter(({ name, description, expression }) =>
    `${name} ${description} ${expression}`.toLowerCase().includes(wanted),
  );
  const index = Math.min(at, Math.max(0, rows.length - 1));
  const create = (): void => go('/rules/new');
  useEffect(() => {
    document.title = 'Rules · Portcullis';
  }, []);
  useKeys('Rules', [
    { keys: 'j', label: 'Next row', run: () => setAt(Math.min(index + 1, rows.length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => rows[index] && go(`/rules/${rows[index].rule_id}`) },
    { keys: '/', label: 'Filter', run: () => filter.current?.focus() },
    { keys: 'n', label: 'New rule', run: create, disabled: why !== undefined },
  ]);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>
          Rules {query.data !== undefined && <span className="dim num">{formatCount(query.data.rules.length)}</span>}
        </h1>
        <nav className="segments" aria-label="States">
          {VIEWS.map((one) => (
            <button key={one} type="button" aria-current={one === view} onClick={() => change({ view: one })}>
              {TITLES[one]}
            </button>
          ))}
        </nav>
        <div className="page-more">
          <input
            ref={filter}
            className="input is-filter"
            type="search"
            aria-label="Filter"
            placeholder="Filter by name or text"
            value={text}
            onChange={(event) => change({ text: event.currentTarget.value })}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
          <Button look="primary" icon="plus" hint="N" why={why} onClick={create}>
            New rule
          </Button>
        </div>
      </div>
      <div className="card">
        {query.data === undefined ? (
          query.isError ? (
            <Failed error={query.error} retry={() => void query.refetch()} />
          ) : (
            <div style={{ padding: 20 }}>
              <Skeleton rows={8} height={26} />
            </div>
          )
        ) : query.data.rules.length === 0 ? (
          <Empty view={view} why={why} create={create} />
        ) : rows.length === 0 ? (
          <EmptyState
            icon="filter"
            title="No rule matches"
            more={<Button onClick={() => change({ text: '' })}>Clear</Button>}
          />
        ) : (
          <table className="table rows">
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">State</th>
                <th scope="col" className="is-wide">
                  If it matches
                </th>
                <th scope="col" className="is-wide">
                  Applies to
                </th>
                <th scope="col" className="end">
                  Hits
                </th>
                <th scope="col" className="is-wide">
                  Since
                </th>
                <th scope="col" className="end">
                  Errors
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((rule, place) => (
                <Row key={rule.rule_id} rule={rule} isAt={place === index} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}
