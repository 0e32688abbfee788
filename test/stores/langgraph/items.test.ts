import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { allItems, type LangGraphBaseStore } from "../../../src/stores/langgraph/driver.js";

const NAMESPACE = ["items"];

/** A store of numbered items, in which others delete the first ones before a search. */
async function storeOf(
  count: number,
  { deletes = 0, before = 0 } = {},
): Promise<{ store: LangGraphBaseStore; searches: () => number }> {
  const base = new InMemoryStore();
  for (let index = 0; index < count; index += 1) await base.put(NAMESPACE, String(index), {});
  let searches = 0;
  return {
    searches: () => searches,
    store: {
      get: (namespace, key) => base.get(namespace, key),
      put: (namespace, key, value, index) => base.put(namespace, key, value, index),
      delete: (namespace, key) => base.delete(namespace, key),
      search: async (namespace, options) => {
        searches += 1;
        if (searches === before) {
          for (let index = 0; index < deletes; index += 1) {
            await base.delete(NAMESPACE, String(index));
          }
        }
        return await base.search(namespace, options);
      },
    },
  };
}

const keysOf = async (store: LangGraphBaseStore): Promise<number[]> =>
  (await allItems(store, NAMESPACE)).map(({ key }) => Number(key)).toSorted((a, b) => a - b);

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("all items of a namespace", () => {
  it.each([
    [0, 1],
    [1999, 1],
    [2000, 2],
    [2001, 2],
    [3899, 2],
    [3900, 3],
  ])("are found once each in a few pages: %d in %d", async (count, pages) => {
    const { store, searches } = await storeOf(count);
    expect(await keysOf(store)).toEqual(numbers(0, count));
    expect(searches()).toBe(pages);
  });

  it.each([1, 99, 100, 101, 2050, 4200])(
    "are found, all that stay, while others delete %d of them",
    async (deletes) => {
      for (const before of [2, 3]) {
        const { store } = await storeOf(4200, { deletes, before });
        const found = await keysOf(store);
        expect(found.filter((number) => number >= deletes)).toEqual(numbers(deletes, 4200));
      }
    },
  );
});
