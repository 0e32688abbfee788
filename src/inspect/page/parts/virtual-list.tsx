import type { ComponentChild, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Rows of one height, of which only those in sight are made. */
export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** Rows in sight, at most. */
  readonly maxRows: number;
  readonly row: (place: number) => ComponentChild;
  /** Told which rows are made; the end is exclusive. */
  readonly onShown?: (from: number, to: number) => void;
  /** Stays at the end while it grows, as long as the end is in sight. */
  readonly follows?: boolean;
}

const MORE_ROWS = 8;
/** Browsers draw nothing below some 17 million pixels. */
const MAX_PIXELS = 8_000_000;

/** A list that is as fast with a million rows as with ten. */
export function VirtualList(props: VirtualListProps): VNode {
  const { label, count, rowHeight, maxRows, row, onShown, follows } = props;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [top, setTop] = useState(0);
  const height = Math.min(count * rowHeight, MAX_PIXELS);
  const viewHeight = Math.min(count, maxRows) * rowHeight;
  const share = height > viewHeight ? top / (height - viewHeight) : 0;
  const first = Math.floor(
    Math.min(1, Math.max(0, share)) * Math.max(0, count - viewHeight / rowHeight),
  );
  const from = Math.max(0, first - MORE_ROWS);
  const to = Math.min(count, first + Math.ceil(viewHeight / rowHeight) + MORE_ROWS);
  useEffect(() => onShown?.(from, to), [from, to, onShown]);
  useEffect(() => {
    if (follows && atEnd.current && box.current) box.current.scrollTop = height;
  }, [count, follows, height]);
  const offset = height === count * rowHeight ? from * rowHeight : top - (first - from) * rowHeight;
  const rows = [];
  for (let place = from; place < to; place += 1) {
    rows.push(
      <div class="row" role="listitem" aria-posinset={place + 1} aria-setsize={count} key={place}>
        {row(place)}
      </div>,
    );
  }
  return (
    <div
      class="virtual"
      ref={box}
      style={{ height: `${viewHeight}px` }}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        atEnd.current = currentTarget.scrollTop + viewHeight >= height - rowHeight;
      }}
      tabIndex={0}
      role="list"
      aria-label={label}
    >
      <div style={{ height: `${height}px` }}>
        <div style={{ transform: `translateY(${Math.max(0, offset)}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
