import { pause } from "../../util/pause.js";
import { boundedBy } from "../remote.js";

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

/** An item as a search returns it. */
export interface LangGraphItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The same store, whose calls are waited for a bounded time. */
export function boundedStore(store: LangGraphBaseStore, timeoutMs: number): LangGraphBaseStore {
  const bounded = boundedBy("The LangGraph store", timeoutMs);
  return {
    get: (...args) => bounded("get", () => store.get(...args)),
    put: (...args) => bounded("put", () => store.put(...args)),
    delete: (...args) => bounded("delete", () => store.delete(...args)),
    search: (...args) => bounded("search", () => store.search(...args)),
  };
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
  filter: { readonly filter?: Record<string, unknown> } = {},
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
