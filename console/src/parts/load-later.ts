import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { connection, noteResponse } from '../api/connection.ts';

const RELOADED = 'portcullis-reloaded';

/** Waits for the next attempt, or until another request was answered. */
const untilNextAttempt = (): Promise<void> =>
  new Promise((resolve) => {
    const state = connection.get();
    const done = (): void => {
      if (connection.get().state !== 'ok' && Date.now() < until) return;
      stop();
      clearTimeout(timer);
      resolve();
    };
    const until = state.state === 'ok' ? Date.now() : state.until;
    const stop = connection.subscribe(done);
    const timer = setTimeout(done, Math.max(0, until - Date.now()));
  });

/** Waits until the service answers. A page that loaded itself again before that would be gone. */
const untilAnswered = async (): Promise<void> => {
  for (;;) {
    const response = await fetch('/healthz').catch(() => undefined);
    noteResponse(response);
    if (connection.get().state === 'ok') return;
    await untilNextAttempt();
  }
};

/**
 * A component that is loaded when it is needed. While the service does not answer, it waits. A new version of the service
 * has other files: a page of the one before loads itself again, once.
 */
export const loadLater = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => {
    const attempt = () => load().catch(() => undefined);
    let loaded = await attempt();
    if (loaded === undefined) {
      await untilAnswered();
      loaded = await attempt();
    }
    if (loaded !== undefined) {
      sessionStorage.removeItem(RELOADED);
      return loaded;
    }
    if (sessionStorage.getItem(RELOADED) !== null) throw new Error('A file of the console cannot be loaded.');
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
    return new Promise<never>(() => {});
  });
