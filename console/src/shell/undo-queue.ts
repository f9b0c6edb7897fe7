import { makeStore } from '../api/store.ts';

/** An action that the screen already shows, and that is sent after a few seconds unless the person undoes it. */
export interface PendingAction {
  readonly id: number;
  readonly text: string;
  readonly undo: () => void;
}

export const UNDO_MS = 5000;

export const pendingActions = makeStore<readonly PendingAction[]>([]);
let count = 0;
const unsent = new Map<number, () => void>();

const remove = (id: number): void => {
  unsent.delete(id);
  pendingActions.set(pendingActions.get().filter((one) => one.id !== id));
};

/** Sends after five seconds, or when the page is left. `restore` brings the screen back. */
export const queueAction = (text: string, send: () => void, restore: () => void): void => {
  const id = ++count;
  const timer = setTimeout(() => sendNow(id), UNDO_MS);
  unsent.set(id, send);
  const undo = (): void => {
    clearTimeout(timer);
    remove(id);
    restore();
  };
  pendingActions.set([...pendingActions.get(), { id, text, undo }]);
};
const sendNow = (id: number): void => {
  const send = unsent.get(id);
  remove(id);
  send?.();
};
export const undoLast = (): void => pendingActions.get().at(-1)?.undo();

// The requests outlive the page.
addEventListener('pagehide', () => {
  for (const id of [...unsent.keys()]) sendNow(id);
});
