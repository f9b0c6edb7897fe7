import type { Policy } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { differencesOf } from './change.ts';

const PAGE = 10;

/** Rules that came, went, or changed their state: a change of a rule is a version of the policy, too. */
const ruleWords = (before: Policy, after: Policy): readonly string[] => {
  const names = new Map([...before.rules, ...after.rules].map(({ rule_id, name }) => [rule_id, name]));
  const stateOf = ({ rules }: Policy, id: string): string =>
    rules.find(({ rule_id }) => rule_id === id)?.state ?? 'not evaluated';
  return [...names]
    .filter(([id]) => stateOf(before, id) !== stateOf(after, id))
    .map(([id, name]) => `Rule ${name}: ${stateOf(before, id)} → ${stateOf(after, id)}`);
};

const wordsOf = (version: Policy, before: Policy | undefined): string => {
  if (before === undefined) return version.version === 0 ? 'The shipped policy' : 'An earlier policy';
  const lines = [...differencesOf(before, version), ...ruleWords(before, version)];
  if (lines.length > 0) return lines.join('. ');
  return JSON.stringify(version.budget) === JSON.stringify(before.budget) ? 'Changed rule' : 'Budget';
};

/** Every version of the policy, each of which can be brought back. */
export const PolicyVersions = ({ policy, goBack }: { policy: Policy; goBack: (to: Policy) => Promise<void> }) => {
  const client = useClient();
  const environment = useEnvironment();
  const [opened, setOpened] = useState<Policy | undefined>();
  const [isBusy, setBusy] = useState(false);
  const why = useWhyNot('tune');
  const list = useInfiniteQuery({
    queryKey: [environment, 'policy', 'versions'],
    queryFn: ({ pageParam, signal }) =>
      client.policy.listVersions({ limit: PAGE, ...(pageParam !== null && { before: pageParam }) }, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ has_more, versions }) => (has_more ? versions.at(-1)?.version : undefined),
  });
  const versions = list.data?.pages.flatMap((page) => page.versions);
  const back = opened === undefined ? [] : differencesOf(policy, opened);
  return (
    <Card title="Versions">
      {versions === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <ol className="versions">
          {versions.map((version, index) => (
            <li key={version.version}>
              <span className="num version-number">{version.version}</span>
              <span className="version-what">
                <span>{wordsOf(version, versions[index + 1])}</span>
                {version.updated_at !== null && (
                  <span className="dim">
                    {version.author}, <Time at={version.updated_at} as={formatDayTime} />
                  </span>
                )}
              </span>
              {index === 0 ? (
                <span className="badge badge-allow">in force</span>
              ) : (
                <Button small look="ghost" onClick={() => setOpened(version)}>
                  Compare
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button small look="ghost" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show older versions
        </Button>
      )}
      <Dialog
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={`Restore version ${opened?.version ?? ''}`}
        size={480}
      >
        {opened !== undefined && (
          <div className="stack">
            {back.length === 0 ? (
              <p className="dim">This version has the same thresholds and points.</p>
            ) : (
              <ul className="changes">
                {back.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            )}
            <p className="dim">Creates version {policy.version + 1}, which applies to every screening from now on.</p>
            <div className="row-buttons">
              <Button
                look="primary"
                why={why}
                busy={isBusy}
                onClick={() => {
                  setBusy(true);
                  void goBack(opened).finally(() => {
                    setBusy(false);
                    setOpened(undefined);
                  });
                }}
              >
                Restore
              </Button>
              <Button onClick={() => setOpened(undefined)}>Cancel</Button>
            </div>
          </div>
        )}
      </Dialog>
    </Card>
  );
};
