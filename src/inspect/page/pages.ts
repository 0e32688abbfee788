import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Rows that are asked for at once. */
const PAGE = 200;

/** A long list, of which only what is in sight is fetched. */
export interface Pages<Row> {
  /** `undefined` until the first answer. */
  readonly total: number | undefined;
  /** `undefined` for a row that has not come yet. */
  readonly at: (place: number) => Row | undefined;
  /** For the list that shows it: which rows are in sight. */
  readonly onShown: (from: number, to: number) => void;
}

/** Some rows of a list, and how many it has. */
export interface RowsPage<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

interface Fetched<Row> {
  readonly query: string;
  readonly total?: number;
  readonly pages: ReadonlyMap<number, readonly Row[]>;
}

/**
 * @param query - An address that takes `from` and `limit`. What was there goes when it changes.
 * @param fetchPage - Asks for a page; made once, outside of the view.
 * @param version - When it changes, what is in sight is fetched again and stays until it comes.
 */
export function usePages<Row>(
  query: string,
  fetchPage: (address: string) => Promise<RowsPage<Row>>,
  version: unknown,
): Pages<Row> {
  const [fetched, setFetched] = useState<Fetched<Row>>({ query, pages: new Map() });
  const [range, setRange] = useState<readonly [number, number]>([0, 1]);
  const asked = useRef({ key: "", pages: new Set<number>() });
  useEffect(() => {
    const key = `${query} ${String(version)}`;
    if (asked.current.key !== key) asked.current = { key, pages: new Set() };
    const own = asked.current;
    const first = Math.floor(range[0] / PAGE);
    for (let page = first; page * PAGE < Math.max(range[1], 1); page += 1) {
      if (own.pages.has(page)) continue;
      own.pages.add(page);
      fetchPage(`${query}${query.includes("?") ? "&" : "?"}from=${page * PAGE}&limit=${PAGE}`)
        .then(({ total, rows }) =>
          setFetched((old) => {
            if (asked.current !== own) return old;
            const pages = new Map(old.query === query ? old.pages : []);
            return { query, total, pages: pages.set(page, rows) };
          }),
        )
        .catch(() => own.pages.delete(page));
    }
  }, [query, fetchPage, version, range]);
  const onShown = useCallback((from: number, to: number) => setRange([from, to]), []);
  const own = fetched.query === query ? fetched : undefined;
  return {
    total: own?.total,
    at: (place) => own?.pages.get(Math.floor(place / PAGE))?.[place % PAGE],
    onShown,
  };
}
