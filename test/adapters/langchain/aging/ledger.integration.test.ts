import { describe, expect, it } from "vitest";

import { aged, breaksIn, pageOf, pages, rigOf, soon, toolContents } from "./rig.js";

const withLedger = { ...soon, ledger: true };
const TOLD = /\n\n(\[context: [^\]]*\])$/;

function told(contents: readonly unknown[]): number[] {
  return contents.flatMap((text, place) => (TOLD.test(String(text)) ? [place] : []));
}

describe("the ledger in a conversation", () => {
  it("stands behind the newest result, at most every tenth, and breaks no cache", async () => {
    const { model, send, events } = rigOf(pages(40), {
      aging: { ...withLedger, keep: { results: 30 } },
      decide: { contextWindowTokens: 100_000 },
    });
    await send("Read.");
    const last = toolContents(model.requests.at(-1));
    const places = told(last);
    expect(places.length).toBeGreaterThan(2);
    for (const [at, place] of places.entries()) {
      if (at > 0) expect(place - (places[at - 1] ?? 0)).toBeGreaterThanOrEqual(10);
    }
    // Each was new when it was written: the first call that shows it is the one in which the result is the newest.
    for (const request of model.requests) {
      const shown = toolContents(request);
      const newest = told(shown).at(-1);
      if (newest === shown.length - 1) expect(shown[newest]).toContain(pageOf(newest));
    }
    expect(breaksIn(model.requests)).toBe(aged(events).length);
  });

  it("leaves the state's content and what is stored as it came, and goes with its result", async () => {
    const { model, send, offloader, events } = rigOf(pages(30), { aging: withLedger });
    const messages = await send("Read.");
    expect(toolContents(messages)).toEqual(pages(30).map((_, page) => pageOf(page)));
    const shown = toolContents(model.requests.at(-1));
    for (const place of told(shown)) expect(String(shown[place]).startsWith("[aged")).toBe(false);
    const everTold = new Set(model.requests.flatMap((request) => told(toolContents(request))));
    expect(everTold.size).toBeGreaterThan(1);
    for (const { artifactIds, scope } of aged(events)) {
      for (const id of artifactIds) {
        const artifact = await offloader.store.stat(id, scope);
        const bytes = artifact && (await offloader.store.read(artifact));
        expect(Buffer.from(bytes ?? []).toString()).not.toContain("[context:");
      }
    }
  });

  it("is told to nobody who has not asked for it, or has room enough", async () => {
    const without = rigOf(pages(12));
    await without.send("Read.");
    const roomy = rigOf(pages(12), { aging: { ...withLedger, trigger: { tokens: 100_000 } } });
    await roomy.send("Read.");
    for (const { model } of [without, roomy]) {
      expect(model.requests.flatMap((request) => told(toolContents(request)))).toEqual([]);
    }
  });
});
