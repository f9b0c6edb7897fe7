import type { Case } from '@portcullis/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useCallback, useEffect, useRef } from 'react';
import { useNarrow } from '../parts/use-narrow.ts';
import { MIN_WIDTH, trackOf, useWidths } from '../parts/use-widths.ts';
import { WidthHandle } from '../parts/WidthHandle.tsx';
import { Row } from './Row.tsx';

interface Props {
  readonly rows: readonly Case[];
  readonly total: number;
  readonly at: number;
  readonly picked: ReadonlySet<string>;
  /** Cases that others resolved since the list was read. They stay, so that nothing moves under the cursor. */
  readonly resolved: ReadonlySet<string>;
  readonly now: number;
  readonly targetMs: number | undefined;
  readonly mayReview: boolean;
  readonly onPick: (id: string, isRange: boolean) => void;
  readonly onAt: (index: number) => void;
  readonly onEnd: () => void;
}

const ROW_HEIGHT = 46;
const CARD_HEIGHT = 98;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 40;
const HEADS = ['Select', 'Score', 'Item', 'User', 'From', 'Why', 'Waiting', 'Expires', 'Assignee'] as const;
/** Columns whose width can be changed, with their usual one. The style sheet has it, too. */
const USUAL: Readonly<Record<string, number>> = { Item: 132, User: 150, Waiting: 88, Expires: 104 };

/** Only the rows in view are in the page, however long the queue is. */
export const List = (props: Props) => {
  const { rows, total, at, picked, resolved, now, targetMs, mayReview, onPick, onAt, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  // A new function would make the list measure every row again with each frame that scrolls.
  const getItemKey = useCallback((index: number) => rows[index]?.case_id ?? index, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (isNarrow ? CARD_HEIGHT : ROW_HEIGHT),
    overscan: 8,
    scrollMargin: 0,
    scrollPaddingStart: 40,
    getItemKey,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards are higher than rows
  useEffect(() => virtual.measure(), [isNarrow, virtual]);
  const sizes = useWidths('cases');
  const changed = Object.entries(sizes.widths);
  const tracks = [
    ...changed.map(([id, width]) => [`--${id.toLowerCase()}-width`, trackOf(width)]),
    // The reasons give way to a column that was made wider.
    ...(changed.length > 0 ? [['--why-min', `${MIN_WIDTH}px`]] : []),
  ];
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once per length
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length]);
  useEffect(() => virtual.scrollToIndex(at), [at, virtual]);
  return (
    <div
      className="grid"
      role="grid"
      aria-label="Cases"
      aria-rowcount={total + 1}
      style={Object.fromEntries(tracks) as CSSProperties}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus */}
      <div className="grid-body" ref={box} tabIndex={0} role="rowgroup" aria-label="Rows">
        <div role="row" className="case-row is-head">
          {HEADS.map((head) => (
            <span key={head} role="columnheader" aria-label={head} className={`c-${head.toLowerCase()}`}>
              {head === 'Select' ? <span className="unseen">Select</span> : <span className="head-text">{head}</span>}
              {USUAL[head] !== undefined && <WidthHandle id={head} title={head} usual={USUAL[head]} widths={sizes} />}
            </span>
          ))}
        </div>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, start, size, key }) => {
            const one = rows[index] as Case;
            return (
              <div
                key={key}
                role="presentation"
                className="case-place"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <Row
                  one={one}
                  index={index}
                  isAt={index === at}
                  isPicked={picked.has(one.case_id)}
                  isResolved={resolved.has(one.case_id) && one.status === 'open'}
                  now={now}
                  targetMs={targetMs}
                  mayReview={mayReview}
                  onPick={onPick}
                  onAt={onAt}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
};
