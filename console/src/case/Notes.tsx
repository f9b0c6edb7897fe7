import type { Case, CaseActivityEntry } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { formatDayTime, formatName } from '../parts/format.ts';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { Face } from '../shell/Nav.tsx';
import { notify } from '../shell/notices.ts';

const WORDS: Readonly<Record<CaseActivityEntry['kind'], (value: string) => string>> = {
  opened: () => 'The case was opened',
  assigned: (value) => `assigned it to ${value}`,
  released: () => 'unassigned it',
  priority_changed: (value) => `set the priority to ${value}`,
  tags_changed: (value) => (value === '' ? 'removed the tags' : `tagged it ${value}`),
  snoozed: (value) => (value === '' ? 'returned it to the queue' : `set it aside until ${formatDayTime(value)}`),
  noted: () => 'wrote',
  resolved: (value) => `${value} it`,
  reopened: () => 'reopened it',
  overridden: (value) => `overrode the decision: ${value}`,
  expired: () => 'The case expired',
};

const wordsOf = ({ kind, who, value }: CaseActivityEntry): string => {
  if (kind === 'assigned' && who === value) return `${who} took it`;
  const words = WORDS[kind](value ?? '');
  return who === null && (kind === 'opened' || kind === 'expired') ? words : `${who ?? 'An API key'} ${words}`;
};

/** Opening a case takes it, and leaving gives it back: pairs without anything in between say nothing. */
const withoutVisits = (entries: readonly CaseActivityEntry[]): readonly CaseActivityEntry[] => {
  const kept: CaseActivityEntry[] = [];
  for (const entry of entries) {
    const after = kept.at(-1);
    const isVisit =
      after?.kind === 'released' && entry.kind === 'assigned' && entry.who === after.who && entry.value === entry.who;
    if (isVisit) kept.pop();
    else kept.push(entry);
  }
  return kept;
};

/** Notes and what people did with the case, the newest first. */
const History = ({ one }: { one: Case }) => {
  const notes = new Map((one.case_notes ?? []).map((note) => [note.note_id, note.text]));
  const textOf = ({ kind, value }: CaseActivityEntry): string | null | undefined =>
    kind === 'noted' ? notes.get(value ?? '') : kind === 'resolved' ? one.notes : undefined;
  return (
    <ol className="notes">
      {withoutVisits(one.activity ?? []).map((entry) => {
        const text = textOf(entry);
        return (
          <li key={`${entry.kind}${entry.at}${entry.value}`} className={text == null ? 'is-step' : ''}>
            <Face name={entry.who ?? formatName(entry.kind)} isSmall />
            <span>
              <span className="dim">
                {wordsOf(entry)} · <Time at={entry.at} as={formatDayTime} />
              </span>
              {text != null && <span className="note-text">{text}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
};

export const NotesCard = ({ one }: { one: Case }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const why = useWhyNot('review');
  useKeys('Case', [{ keys: 'n', label: 'Write a note', run: () => box.current?.focus(), disabled: why !== undefined }]);
  const add = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    if (text.trim() === '' || isBusy || why !== undefined) return;
    setBusy(true);
    try {
      await client.cases.addNote(one.case_id, { text: text.trim() });
      setText('');
      await queries.invalidateQueries({ queryKey: [environment, 'case', one.case_id] });
    } catch (error) {
      notify(`The note was not saved: ${(error as Error).message}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title="Notes and activity">
      <form className="note-form" onSubmit={(event) => void add(event)}>
        <textarea
          ref={box}
          className="input"
          rows={2}
          value={text}
          aria-label="Note"
          placeholder={why ?? 'What did you find? Enter saves, Shift+Enter starts a new line.'}
          readOnly={why !== undefined}
          maxLength={10_000}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            void add();
          }}
        />
        <Button type="submit" small busy={isBusy} why={why}>
          Add note
        </Button>
      </form>
      <History one={one} />
    </Card>
  );
};
