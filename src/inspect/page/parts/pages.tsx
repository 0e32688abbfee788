import type { ComponentChild, VNode } from "preact";

import { grouped } from "../format.js";

type Way = (() => void) | undefined;

/** Buttons that turn pages; a way that is not there has a button that does nothing. */
export function PageButtons(props: {
  readonly first: Way;
  readonly previous: Way;
  readonly next: Way;
  readonly last: Way;
}): VNode {
  const { first, previous, next, last } = props;
  const ways = { First: first, Previous: previous, Next: next, Last: last };
  return (
    <>
      {Object.entries(ways).map(([name, go]) => (
        <button type="button" key={name} disabled={go === undefined} onClick={go}>
          {name}
        </button>
      ))}
    </>
  );
}

/** Rows of a page. */
export const PAGE_ROWS = 50;

/** A page of a list, and the way to the others. */
export function PagedList<Row>(props: {
  readonly label: string;
  readonly total: number;
  /** Where the page begins, from 0. */
  readonly from: number;
  readonly rows: readonly Row[];
  /** These rows are still those of another page. */
  readonly isWaiting?: boolean;
  readonly row: (row: Row) => ComponentChild;
  readonly onGo: (from: number) => void;
}): VNode {
  const { label, total, from, rows, isWaiting, row, onGo } = props;
  const end = Math.floor(Math.max(0, total - 1) / PAGE_ROWS) * PAGE_ROWS;
  const way = (to: number): Way => (to === from || to < 0 || to > end ? undefined : () => onGo(to));
  return (
    <>
      <ul class="list" aria-label={label}>
        {rows.map((one, place) => (
          <li key={from + place}>{row(one)}</li>
        ))}
      </ul>
      {total > PAGE_ROWS && (
        <div class="buttons">
          <PageButtons
            first={way(0)}
            previous={way(from - PAGE_ROWS)}
            next={way(from + PAGE_ROWS)}
            last={way(end)}
          />
          <span class="quiet small" role="status">
            {isWaiting
              ? "Reading…"
              : `${grouped(from + 1)} to ${grouped(from + rows.length)} of ${grouped(total)}`}
          </span>
        </div>
      )}
    </>
  );
}
