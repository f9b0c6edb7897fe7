import { useEffect, useEffectEvent } from 'react';
import { makeKept, makeStore } from '../api/store.ts';

/** A key, or two in turn such as `g c`, with what it does. */
export interface Key {
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
  /** The key does nothing now; the help still shows it. */
  readonly disabled?: boolean;
}
export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly Key[];
}

/** What is registered now, the newest last. The help and the palette show it. */
export const groups = makeStore<readonly KeyGroup[]>([]);
/** Single keys can be turned off, for people who speak to their computer (WCAG 2.1.4). */
export const singleKeys = makeKept('single-keys', 'on');

const SEQUENCE_MS = 1200;
let pending: { key: string; at: number } | undefined;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || isTextInput(target));
const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type);

/** Enter and Space act on the control that has the focus. */
const actsItself = (key: string, target: EventTarget | null): boolean =>
  (key === 'Enter' || key === ' ') && target instanceof Element && target.closest('a, button, input, summary') !== null;

const find = (keys: string): Key | undefined => {
  for (const group of groups.get().toReversed()) {
    const found = group.keys.find((key) => key.keys === keys);
    if (found !== undefined) return found;
  }
  return undefined;
};

const press = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (singleKeys.get() !== 'on' && event.key !== 'Escape') return;
  // A dialog is on top: its own controls take the keys.
  if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return;
  if (actsItself(event.key, event.target)) return;
  const key = event.shiftKey && event.key.length > 1 ? `Shift ${event.key}` : event.key;
  const before = pending !== undefined && event.timeStamp - pending.at < SEQUENCE_MS ? pending.key : undefined;
  pending = undefined;
  const found = before === undefined ? find(key) : (find(`${before} ${key}`) ?? find(key));
  if (found === undefined) {
    if (groups.get().some((group) => group.keys.some(({ keys }) => keys.startsWith(`${key} `))))
      pending = { key, at: event.timeStamp };
    return;
  }
  event.preventDefault();
  if (found.disabled !== true) found.run();
};

export const startKeys = (): void => document.addEventListener('keydown', press);

/** Registers keys while the component is shown. */
export const useKeys = (title: string, keys: readonly Key[]): void => {
  const shape = JSON.stringify(keys.map(({ keys, label, disabled }) => [keys, label, disabled]));
  const run = useEffectEvent((index: number) => keys[index]?.run());
  useEffect(() => {
    const entries = (JSON.parse(shape) as [string, string, boolean | null][]).map(([keys, label, disabled], index) => ({
      keys,
      label,
      disabled: disabled ?? false,
      run: () => run(index),
    }));
    const group = { title, keys: entries };
    groups.set([...groups.get(), group]);
    return () => groups.set(groups.get().filter((one) => one !== group));
  }, [title, shape]);
};
