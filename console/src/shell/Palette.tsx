import type { SearchHit } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { useStore } from '../api/store.ts';
import { entityItemsPath } from '../entity/path.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { formatDayTime, formatName, plural } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { userPath } from '../users/path.ts';
import { Keys } from './Keys.tsx';
import { groups } from './keys.ts';
import { PAGES } from './pages.ts';
import { readRecent } from './recent.ts';

interface Option {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly keys?: string;
  readonly run: () => void | Promise<void>;
}

const ICONS: Partial<Record<SearchHit['kind'], IconName>> = {
  user: 'user',
  device: 'device',
  ip_address: 'ip_address',
  network: 'ip_address',
  email: 'email',
  payment_fingerprint: 'card',
  counterparty: 'counterparty',
  case: 'cases',
};

/** Where a hit leads. A value that users share leads to the items with it. */
const useOpenHit = () => {
  const client = useClient();
  const [, go] = useLocation();
  return async ({ kind, id, subject_id }: SearchHit): Promise<void> => {
    if (kind === 'case') return go(`/cases/${id}`);
    if (kind === 'decision') return go(`/decisions/${id}`);
    if (kind === 'user') return go(userPath(id));
    const entity = entityItemsPath(kind, id);
    if (entity !== undefined) return go(entity);
    const subject = subject_id ?? id;
    const { decision_id } = subject.startsWith('evt_')
      ? await client.events.get(subject)
      : await client.transactions.get(subject);
    go(`/decisions/${decision_id}`);
  };
};

const useHits = (text: string): readonly SearchHit[] => {
  const client = useClient();
  const environment = useEnvironment();
  const q = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: [environment, 'search', q],
    queryFn: ({ signal }) => client.screenings.search({ q }, { signal }),
    enabled: q.length >= 2,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return q.length >= 2 ? (data?.hits ?? []) : [];
};

const useOptions = (text: string): readonly Option[] => {
  const [, go] = useLocation();
  const openHit = useOpenHit();
  const hits = useHits(text);
  const actions = useStore(groups);
  const fits = (title: string): boolean => title.toLowerCase().includes(text.trim().toLowerCase());
  const pages = PAGES.filter(({ title }) => fits(title)).map(
    ({ title, path, icon, key }): Option => ({
      id: `page-${path}`,
      group: 'Go to',
      title,
      icon,
      ...(key !== undefined && { keys: `g ${key}` }),
      run: () => go(path),
    }),
  );
  const acts = actions
    .filter(({ title }) => title !== 'Go to')
    .flatMap(({ keys }) => keys)
    .filter(({ label, disabled }) => disabled !== true && fits(label))
    .map(
      ({ label, keys, run }): Option => ({
        id: `act-${keys}`,
        group: 'Actions',
        title: label,
        icon: 'bolt',
        keys,
        run,
      }),
    );
  const found = hits.map(
    (hit): Option => ({
      id: `hit-${hit.kind}-${hit.id}`,
      group: 'Found',
      title: hit.id,
      detail: `${formatName(hit.kind)} · ${plural(hit.items, 'item')} · last seen ${formatDayTime(hit.last_seen_at)}`,
      icon: ICONS[hit.kind] ?? 'search',
      run: () => openHit(hit),
    }),
  );
  const recent =
    text.trim() === ''
      ? readRecent().map(
          ({ title, path }): Option => ({
            id: `recent-${path}`,
            group: 'Recent',
            title,
            icon: 'clock',
            run: () => go(path),
          }),
        )
      : [];
  return [...found, ...recent, ...pages, ...acts];
};

const List = ({ close }: { close: () => void }) => {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const options = useOptions(text);
  const chosen = Math.min(at, options.length - 1);
  const choose = (option: Option | undefined): void => {
    if (option === undefined) return;
    close();
    // After the dialog has given the focus back.
    setTimeout(() => void option.run());
  };
  const move = (by: number): void => {
    const next = (chosen + by + options.length) % Math.max(1, options.length);
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label="Search or go to"
        placeholder="Go to, or find a user, payment, card, address…"
        value={text}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1);
          else if (event.key === 'ArrowUp') move(-1);
          else if (event.key === 'Enter') choose(options[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div className="palette-list" id={id} role="listbox" aria-label="Results">
        {options.map((option, index) => (
          <div key={option.id} role="presentation">
            {option.group !== options[index - 1]?.group && (
              <p className="group" role="presentation">
                {option.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box above */}
            <div
              id={`${id}-${index}`}
              className="palette-option"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseMove={() => setAt(index)}
              onClick={() => choose(option)}
            >
              <Icon name={option.icon} />
              <span className="cut">
                {option.title}
                {option.detail !== undefined && <span className="detail">{option.detail}</span>}
              </span>
              {option.keys !== undefined && (
                <span className="end">
                  <Keys of={option.keys} />
                </span>
              )}
            </div>
          </div>
        ))}
        {options.length === 0 && (
          <p className="state dim">Nothing was found. Enter the complete value, not a part of it.</p>
        )}
      </div>
      <div className="palette-foot">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </div>
    </>
  );
};

export default function Palette({ close }: { close: () => void }) {
  return (
    <Dialog
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      size={620}
      centered={false}
      yOffset="10vh"
      label="Search"
    >
      <List close={close} />
    </Dialog>
  );
}
