import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { MAX_WIDTH, MIN_WIDTH, type WidthsOf } from './use-widths.ts';
import './width-handle.css';

const STEP = 16;

interface Props {
  readonly id: string;
  readonly title: string;
  /** The width before anybody changed it. */
  readonly usual: number;
  readonly widths: WidthsOf;
}

/** The end of a column head. It is dragged, or moved with the arrow keys; Home or a double click undoes that. */
export const WidthHandle = ({ id, title, usual, widths: { widths, move, cancel, set } }: Props) => {
  const start = useRef<{ x: number; width: number } | undefined>(undefined);
  const widthOf = (handle: HTMLElement): number => handle.parentElement?.getBoundingClientRect().width ?? usual;
  const widthAt = ({ clientX }: PointerEvent): number =>
    start.current === undefined ? usual : start.current.width + clientX - start.current.x;
  const press = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: widthOf(event.currentTarget) };
  };
  const stop = (): void => {
    start.current = undefined;
    cancel();
  };
  const release = (event: PointerEvent<HTMLElement>): void => {
    // A click alone changes nothing.
    if (start.current !== undefined && event.clientX !== start.current.x) set(id, widthAt(event));
    stop();
  };
  const turn = (event: KeyboardEvent<HTMLElement>): void => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined && event.key !== 'Home') return;
    event.preventDefault();
    event.stopPropagation();
    set(id, by === undefined ? undefined : widthOf(event.currentTarget) + by);
  };
  return (
    <span
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuenow={widths[id] ?? usual}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      className="width-handle"
      onPointerDown={press}
      onPointerMove={(event) => start.current !== undefined && move(id, widthAt(event))}
      onPointerUp={release}
      onPointerCancel={stop}
      onDoubleClick={() => set(id, undefined)}
      onKeyDown={turn}
    />
  );
};
