import { makeStore } from '../api/store.ts';

export interface Notice {
  readonly id: number;
  readonly text: string;
}

const NOTICE_MS = 7000;

export const notices = makeStore<readonly Notice[]>([]);
let count = 0;

/** Says that something failed. */
export const notify = (text: string): void => {
  const id = ++count;
  notices.set([...notices.get(), { id, text }]);
  setTimeout(() => dismiss(id), NOTICE_MS);
};
export const dismiss = (id: number): void => notices.set(notices.get().filter((one) => one.id !== id));
