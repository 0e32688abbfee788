import { describe, expect, it } from "vitest";

import type { AgingItem } from "../../src/aging/aging-item.js";
import { stalePlaces } from "../../src/aging/stale-places.js";

const answer: AgingItem = { role: "answer", tokens: 900, agedTokens: 60 };
const small: AgingItem = { role: "result", tokens: 10 };

describe("arguments of old calls", () => {
  it("are stale when the results of all their calls are", () => {
    const items = [answer, small, small, answer, small, answer, small];
    expect(stalePlaces(items, 2)).toEqual([0]);
    expect(stalePlaces(items, 1)).toEqual([0, 3]);
    expect(stalePlaces(items, 0)).toEqual([0, 3]);
    expect(stalePlaces([...items, answer], 0)).toEqual([0, 3, 5]);
  });
});
