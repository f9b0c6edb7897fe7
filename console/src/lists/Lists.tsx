import type { List } from '@portcullis/client';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { CheckCard } from './CheckCard.tsx';
import { ListForm } from './ListForm.tsx';
import { useLists, useRules } from './use-lists.ts';
import { rulesWith, TREATMENT_LOOKS, TREATMENT_WORDS } from './words.ts';
import '../cases/reject.css';
import '../parts/table.css';
import '../rules/tune.css';
import './lists.css';

export const Treatment = ({ list: { treatment, list_id } }: { list: List }) =>
  list_id === 'test_addresses' ? (
    <span className="badge badge-plain">Fixed decisions</span>
  ) : (
    <span className={`badge badge-${TREATMENT_LOOKS[treatment]}`}>{TREATMENT_WORDS[treatment]}</span>
  );

/** Values that mean something wherever they occur. */
export default function Lists() {
  const [, go] = useLocation();
  const query = useLists();
  const rules = useRules();
  const [at, setAt] = useState(0);
  const [isMaking, setMaking] = useState(false);
  const why = useWhyNot('tune');
  const rows = query.data?.lists ?? [];
  const index = Math.min(at, Math.max(0, rows.length - 1));
  useEffect(() => {
    document.title = 'Lists · Portcullis';
  }, []);
  useKeys('Lists', [
    { keys: 'j', label: 'Next row', run: () => setAt(Math.min(index + 1, rows.length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => rows[index] && go(`/lists/${rows[index].list_id}`) },
    { keys: 'n', label: 'New list', run: () => setMaking(true), disabled: why !== undefined },
  ]);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>Lists</h1>
        <div className="page-more">
          <Button look="primary" icon="plus" hint="N" why={why} onClick={() => setMaking(true)}>
            New list
          </Button>
        </div>
      </div>
      <div className="stack">
        <CheckCard />
        <div className="card">
          {query.data === undefined ? (
            query.isError ? (
              <Failed error={query.error} retry={() => void query.refetch()} />
            ) : (
              <div style={{ padding: 20 }}>
                <Skeleton rows={6} height={26} />
              </div>
            )
          ) : (
            <table className="table rows">
              <thead>
                <tr>
                  <th scope="col">List</th>
                  <th scope="col">On a match</th>
                  <th scope="col" className="is-wide">
                    Used by rules
                  </th>
                  <th scope="col" className="is-wide">
                    Can add entries
                  </th>
                  <th scope="col" className="end">
                    Entries
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((list, place) => {
                  const own = rulesWith(rules, list.list_id);
                  return (
                    <tr key={list.list_id} aria-current={place === index || undefined}>
                      <td className="rule-name">
                        <Link href={`/lists/${list.list_id}`} className="mono">
                          {list.list_id}
                        </Link>
                        <span className="dim cut">{list.description || (list.built_in ? 'Built in' : '')}</span>
                      </td>
                      <td>
                        <Treatment list={list} />
                      </td>
                      <td className="is-wide list-rules">
                        {own.length === 0 ? (
                          <span className="dim">–</span>
                        ) : (
                          own.map(({ rule_id, name }) => (
                            <Link key={rule_id} href={`/rules/${rule_id}`} className="mono">
                              {name}
                            </Link>
                          ))
                        )}
                      </td>
                      <td className="dim is-wide nowrap">
                        {list.list_id === 'test_addresses'
                          ? '–'
                          : list.open_to_analysts
                            ? 'analysts, managers'
                            : 'managers'}
                      </td>
                      <td className="num end">{formatCount(list.entry_count)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )}
        </div>
      </div>
      <Dialog opened={isMaking} onClose={() => setMaking(false)} title="New list" size={460}>
        <ListForm close={() => setMaking(false)} onSaved={({ list_id }) => go(`/lists/${list_id}`)} />
      </Dialog>
    </div>
  );
}
