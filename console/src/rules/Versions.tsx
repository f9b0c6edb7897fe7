import type { Rule } from '@portcullis/client';
import { useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { diffOf } from './diff.ts';
import { actionWords, type Content, isSame, typeWords, type Version } from './rule.ts';
import { StateBadge } from './StateBadge.tsx';

/** The other fields of a content, as lines of a diff. */
const linesOf = ({ name, description, action, subject_types, expires_at }: Content): string =>
  [
    `name: ${name}`,
    `description: ${description}`,
    `if it matches: ${actionWords(action)}`,
    `applies to: ${typeWords(subject_types)}`,
    `expires: ${expires_at ?? 'never'}`,
  ].join('\n');

const MARKS = { same: ' ', added: '+', removed: '−' } as const;
const WORDS = { same: '', added: 'added', removed: 'removed' } as const;

/** What changed from one content to another. */
export const Diff = ({ before, after }: { before: Content; after: Content }) => {
  const fields = diffOf(linesOf(before), linesOf(after)).filter(({ kind }) => kind !== 'same');
  const lines = [...fields, ...diffOf(before.expression, after.expression)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
    <div className="rule-diff mono" tabIndex={0} role="region" aria-label="Difference">
      {lines.map(({ kind, text }, index) => (
        <div key={index} className={`is-${kind}`}>
          <span aria-hidden="true">{MARKS[kind]}</span>
          {kind !== 'same' && <span className="unseen">{WORDS[kind]}: </span>}
          {text || ' '}
        </div>
      ))}
    </div>
  );
};

const changeWords = (version: Version, before: Version | undefined): string => {
  if (before === undefined) return 'created';
  const words = [];
  if (version.expression !== before.expression) words.push('expression');
  if (actionWords(version.action) !== actionWords(before.action)) words.push('action');
  if (version.name !== before.name) words.push('name');
  if (version.description !== before.description) words.push('description');
  if (typeWords(version.subject_types) !== typeWords(before.subject_types)) words.push('types');
  if (version.expires_at !== before.expires_at) words.push('end');
  if (version.state !== before.state) words.push(`${before.state} → ${version.state}`);
  return words.join(', ');
};

interface Props {
  readonly rule: Rule;
  readonly versions: readonly Version[] | undefined;
  readonly isCut: boolean;
  /** Goes back to the content of a version. */
  readonly goBack: (version: Version) => Promise<void>;
}

/** Every version with its author; each can be compared with the present one and brought back. */
export const Versions = ({ rule, versions, isCut, goBack }: Props) => {
  const [opened, setOpened] = useState<Version | undefined>();
  const [isBusy, setBusy] = useState(false);
  const why = useWhyNot('tune') ?? (rule.state === 'retired' ? 'A retired rule cannot be changed.' : undefined);
  if (versions === undefined) return <Skeleton rows={4} />;
  const isLive = rule.state === 'live';
  return (
    <Card title="Versions">
      <ol className="versions">
        {versions.map((version, index) => (
          <li key={version.version}>
            <span className="num version-number">v{version.version}</span>
            <span className="version-what">
              <span>{changeWords(version, versions[index + 1])}</span>
              <span className="dim">
                {version.by}, <Time at={version.at} as={formatDayTime} />
              </span>
            </span>
            {isSame(version, rule) ? (
              index === 0 && <StateBadge state={version.state} />
            ) : (
              <Button small look="ghost" onClick={() => setOpened(version)}>
                Compare
              </Button>
            )}
          </li>
        ))}
      </ol>
      {isCut && <p className="dim">Older versions are in the audit log.</p>}
      <Dialog
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={`Restore version ${opened?.version ?? ''}`}
        size={720}
      >
        {opened !== undefined && (
          <div className="stack">
            <Diff before={rule} after={opened} />
            <p className="dim">
              {isLive
                ? 'Creates two new versions: one in shadow, and then a live one.'
                : 'Saves the old text as a new version.'}
            </p>
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
                Restore version {opened.version}
              </Button>
              <Button onClick={() => setOpened(undefined)}>Cancel</Button>
            </div>
          </div>
        )}
      </Dialog>
    </Card>
  );
};
