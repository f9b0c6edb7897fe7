import { useMantineColorScheme } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { connection } from '../api/connection.ts';
import { useEnvironment } from '../api/environment.tsx';
import { isLive } from '../api/feed.ts';
import { hasEnded } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { EntityLayer } from '../entity/EntityLayer.tsx';
import { Button } from '../parts/Button.tsx';
import { formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { loadLater } from '../parts/load-later.ts';
import { Menu } from '../parts/Menu.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { useKeys } from './keys.ts';
import { Nav } from './Nav.tsx';
import { PAGES } from './pages.ts';
import { Toasts } from './Toasts.tsx';
import './shell.css';

// Dialogs are loaded when they are needed: the first page does not wait for them.
const Palette = loadLater(() => import('./Palette.tsx'));
const Help = loadLater(() => import('./Help.tsx'));
const SessionEnd = loadLater(() => import('./SessionEnd.tsx'));

const THEMES = [
  ['light', 'sun', 'Light'],
  ['dark', 'moon', 'Dark'],
  ['auto', 'system', 'Same as system'],
] as const;

const ThemeMenu = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const icon = THEMES.find(([name]) => name === colorScheme)?.[1] ?? 'system';
  return (
    <Menu
      width={180}
      position="bottom-end"
      button={
        <button type="button" className="button is-ghost is-icon" aria-label="Theme" data-tip="Theme">
          <Icon name={icon} />
        </button>
      }
      items={THEMES.map(([name, icon, label]) => ({
        id: name,
        label,
        icon,
        isChecked: name === colorScheme,
        run: () => setColorScheme(name),
      }))}
    />
  );
};

const Live = () => {
  const live = useStore(isLive);
  return (
    <span
      className={`live ${live ? '' : 'is-off'}`}
      title={live ? 'Events arrive as they happen' : 'The page refreshes every 15 seconds'}
    >
      <Icon name="bolt" size={15} />
      <span className="live-word">{live ? 'Live' : 'Not live'}</span>
    </span>
  );
};

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Navigation, search and everything that is the same on each page. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const environment = useEnvironment();
  const [layer, setLayer] = useState<'palette' | 'help' | 'nav' | undefined>();
  const [, go] = useLocation();
  const { state } = useStore(connection);
  const isEnded = useStore(hasEnded);
  const close = (): void => setLayer(undefined);
  useKeys(
    'Go to',
    PAGES.flatMap(({ title, path, key }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, label: title, run: () => go(path) }],
    ),
  );
  useKeys('Everywhere', [{ keys: '?', label: 'Keyboard help', run: () => setLayer('help') }]);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setLayer('palette');
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <div className={`shell is-${environment} ${state === 'away' ? 'is-away' : ''}`}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Nav isOpen={layer === 'nav'} close={close} />
      {layer === 'nav' && (
        <button type="button" className="nav-shade" aria-label="Close the navigation" onClick={close} />
      )}
      <div className="shell-main">
        <header className="shell-top">
          <Button
            look="ghost"
            className="nav-toggle"
            icon="menu"
            label="Navigation"
            aria-expanded={layer === 'nav'}
            onClick={() => setLayer('nav')}
          />
          <button type="button" className="finder" onClick={() => setLayer('palette')}>
            <Icon name="search" size={17} />
            <span>Search a user, payment, card, address…</span>
            <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
          <div className="top-more">
            <Live />
            <ThemeMenu />
            <Button look="ghost" icon="help" label="Keyboard help" onClick={() => setLayer('help')} />
          </div>
        </header>
        <ConnectionBanner />
        <main id="content" tabIndex={-1} className="page" aria-label={formatName(environment)}>
          {children}
        </main>
      </div>
      <Suspense fallback={null}>
        {layer === 'palette' && <Palette close={close} />}
        {layer === 'help' && <Help close={close} />}
        {isEnded && <SessionEnd />}
        <EntityLayer />
      </Suspense>
      <Toasts />
    </div>
  );
};
