import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useNarrow } from './use-narrow.ts';
import { trackOf, useWidths, type Widths } from './use-widths.ts';
import { WidthHandle } from './WidthHandle.tsx';
import './virtual-table.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** A track of the grid, such as `120px` or `minmax(140px, 1fr)`. */
  readonly width: string;
  readonly isEnd?: boolean;
  readonly show: (row: Row) => ReactNode;
}

interface Props<Row> {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** A row of a narrow screen. */
  readonly card: (row: Row) => ReactNode;
  readonly keyOf: (row: Row) => string;
  readonly at: number;
  readonly onAt: (index: number) => void;
  readonly onEnd: () => void;
  /** Below the last row. */
  readonly foot?: ReactNode;
  /** Lists of the same address keep their place. */
  readonly address: string;
}

const ROW_HEIGHT = 42;
const CARD_HEIGHT = 76;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 30;
/** How far each list was scrolled, so that Back leads to the same place. */
const places = new Map<string, number>();

interface LineProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly isAt: boolean;
  readonly columns: readonly Column<Row>[];
  readonly card: ((row: Row) => ReactNode) | undefined;
  readonly onAt: (index: number) => void;
}
/** Only rows that change are drawn again. */
const Line = memo(<Row,>({ row, index, isAt, columns, card, onAt }: LineProps<Row>) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: j and k move, Enter opens, and a cell of the row has a link
  <div
    role="row"
    tabIndex={-1}
    aria-rowindex={index + 2}
    aria-selected={isAt}
    className={`v-row ${isAt ? 'is-at' : ''} ${card === undefined ? '' : 'is-card'}`}
    onClick={(event) => {
      // A link in the row leads where it says.
      if (!(event.target as Element).closest('a, button')) onAt(index);
    }}
  >
    {card === undefined
      ? columns.map(({ id, isEnd, show }) => (
          <span key={id} role="gridcell" className={isEnd ? 'is-end num' : ''}>
            {show(row)}
          </span>
        ))
      : card(row)}
  </div>
)) as <Row>(props: LineProps<Row>) => ReactNode;

/** The first number of a track. */
const usualOf = ({ width }: { readonly width: string }): number =>
  Number.parseInt(width.match(/\d+/)?.[0] ?? '100', 10);

/** The tracks of the grid. One of them stretches, or the table would end in the middle of the page. */
const tracksOf = (columns: readonly { readonly id: string; readonly width: string }[], widths: Widths): string => {
  const tracks = columns.map(({ id, width }) => (widths[id] === undefined ? width : trackOf(widths[id])));
  return tracks.some((track) => track.includes('fr'))
    ? tracks.join(' ')
    : [...tracks.slice(0, -1), 'minmax(80px, 1fr)'].join(' ');
};

/** A table of any length: only the rows in view are in the page. */
export const VirtualTable = <Row,>(props: Props<Row>) => {
  const { name, rows, columns, card, keyOf, at, onAt, onEnd, foot, address } = props;
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  // A new function would make the table measure every row again with each frame that scrolls.
  const getItemKey = useCallback(
    (index: number) => (rows[index] === undefined ? index : keyOf(rows[index])),
    [rows, keyOf],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (narrow ? CARD_HEIGHT : ROW_HEIGHT),
    overscan: 8,
    initialOffset: places.get(address) ?? 0,
    scrollPaddingStart: narrow ? 0 : 38,
    getItemKey,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards are higher than rows
  useEffect(() => virtual.measure(), [narrow, virtual]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once when the end comes into view
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = places.get(address) ?? 0;
    const keep = (): void => void places.set(address, element.scrollTop);
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  }, [address]);
  const hasPlace = useRef(places.has(address));
  useEffect(() => {
    if (!hasPlace.current && at >= 0) virtual.scrollToIndex(at);
    hasPlace.current = false;
  }, [at, virtual]);
  const sizes = useWidths(name.toLowerCase());
  const grid = { gridTemplateColumns: tracksOf(columns, sizes.widths) };
  return (
    <div className="v-table" role="grid" aria-label={name} aria-rowcount={-1}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus */}
      <div className="v-body" ref={box} tabIndex={0} role="rowgroup" aria-label="Rows">
        {!narrow && (
          <div role="row" className="v-row is-head" style={grid}>
            {columns.map((column, place) => (
              <span
                key={column.id}
                role="columnheader"
                aria-label={column.title}
                className={column.isEnd ? 'is-end' : ''}
              >
                <span className="head-text">{column.title}</span>
                {place < columns.length - 1 && (
                  <WidthHandle id={column.id} title={column.title} usual={usualOf(column)} widths={sizes} />
                )}
              </span>
            ))}
          </div>
        )}
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, start, size, key }) => (
            <div
              key={key}
              role="presentation"
              className="v-place"
              style={{ height: size, transform: `translateY(${start}px)`, ...grid }}
            >
              <Line
                row={rows[index] as Row}
                index={index}
                isAt={index === at}
                columns={columns}
                card={narrow ? card : undefined}
                onAt={onAt}
              />
            </div>
          ))}
        </div>
        {foot !== undefined && (
          <div role="row" className="v-foot">
            <span role="gridcell">{foot}</span>
          </div>
        )}
      </div>
    </div>
  );
};
