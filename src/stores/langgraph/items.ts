import { withDeadline } from "../../util/abort.js";
import { pause } from "../../util/pause.js";

/** The part of LangGraph's `BaseStore` that is used; every `BaseStore` has it. */
export interface LangGraphBaseStore {
  get(
    namespace: string[],
    key: string,
  ): Promise<{ readonly value: Readonly<Record<string, unknown>> } | null>;
  /** `index: false` keeps bodies out of a store's embeddings. */
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
  ): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
  search(
    namespacePrefix: string[],
    options?: { limit?: number; offset?: number; filter?: Record<string, unknown> },
  ): Promise<readonly LangGraphItem[]>;
}

/** The same store, whose calls are waited for a bounded time. */
export function boundedStore(store: LangGraphBaseStore, timeoutMs: number): LangGraphBaseStore {
  const bounded = <T>(call: string, job: () => Promise<T>): Promise<T> => {
    const late = `The LangGraph store has not answered ${call} within ${timeoutMs} ms.`;
    return withDeadline({ timeoutMs, late }, job);
  };
  return {
    get: (namespace, key) => bounded("get", () => store.get(namespace, key)),
    put: (namespace, key, value, index) =>
      bounded("put", () => store.put(namespace, key, value, index)),
    delete: (namespace, key) => bounded("delete", () => store.delete(namespace, key)),
    search: (prefix, options) => bounded("search", () => store.search(prefix, options)),
  };
}

/** An item as a search returns it. */
export interface LangGraphItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What a store may leave out by itself; one that does not filter gives all. */
export interface ItemFilter {
  readonly filter?: Record<string, unknown>;
}

/** A store in memory goes through all that it has for each page. */
const PAGE_SIZE = 2000;
/** Items that a page shares with the one before. */
const SHARED = 100;

/**
 * All items at or below a namespace, in no order. A store's own search may also find namespaces
 * that only begin alike; those are left out.
 */
export async function allItems(
  store: LangGraphBaseStore,
  namespace: readonly string[],
  filter: ItemFilter = {},
): Promise<readonly LangGraphItem[]> {
  // Items that are added meanwhile move others to a later page, where they come a second time.
  const items = new Map<string, LangGraphItem>();
  for (let offset = 0; ;) {
    const page = await store.search([...namespace], { limit: PAGE_SIZE, offset, ...filter });
    // Items that are deleted meanwhile move others to an earlier page: one that shares nothing has some before it.
    if (offset > 0 && !items.has(nameOf(page[0]))) offset = Math.max(0, offset - PAGE_SIZE);
    else {
      for (const item of page) items.set(nameOf(item), item);
      if (page.length < PAGE_SIZE) break;
      offset += PAGE_SIZE - SHARED;
    }
    // A store in memory answers without a turn of the event loop.
    await pause();
  }
  return [...items.values()].filter((item) =>
    namespace.every((label, depth) => item.namespace[depth] === label),
  );
}

function nameOf(item: LangGraphItem | undefined): string {
  return JSON.stringify([item?.namespace, item?.key]);
}
