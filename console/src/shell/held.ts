import { makeStore } from '../api/store.ts';

/** An act that is done on the screen, and sent after a few seconds unless somebody takes it back. */
export interface Held {
  readonly id: number;
  readonly text: string;
  readonly undo: () => void;
}
export interface Notice {
  readonly id: number;
  readonly text: string;
}

export const HOLD_MS = 5000;
const NOTICE_MS = 7000;

export const held = makeStore<readonly Held[]>([]);
export const notices = makeStore<readonly Notice[]>([]);
let count = 0;
const waiting = new Map<number, () => void>();

/** Says that something failed. */
export const notify = (text: string): void => {
  const id = ++count;
  notices.set([...notices.get(), { id, text }]);
  setTimeout(() => dismiss(id), NOTICE_MS);
};
export const dismiss = (id: number): void => notices.set(notices.get().filter((one) => one.id !== id));

const drop = (id: number): void => {
  waiting.delete(id);
  held.set(held.get().filter((one) => one.id !== id));
};

/** Sends after five seconds, or when the page is left. `undo` brings the screen back. */
export const hold = (text: string, send: () => void, undo: () => void): void => {
  const id = ++count;
  const timer = setTimeout(() => release(id), HOLD_MS);
  waiting.set(id, send);
  const takeBack = (): void => {
    clearTimeout(timer);
    drop(id);
    undo();
  };
  held.set([...held.get(), { id, text, undo: takeBack }]);
};
const release = (id: number): void => {
  const send = waiting.get(id);
  drop(id);
  send?.();
};
export const undoLast = (): void => held.get().at(-1)?.undo();

// The requests outlive the page.
addEventListener('pagehide', () => {
  for (const id of [...waiting.keys()]) release(id);
});
