import { describe, expect, it } from "vitest";
import type { OffloadEvent } from "../../src/events.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { memoryStore } from "../../src/store/memory.js";

const value = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => ({ id, state: id % 3 === 0 ? "open" : "closed" })),
);
const fail = (): never => {
  throw new Error("a bug of the caller");
};

describe("a function of the options that fails (C19)", () => {
  const none: unknown = undefined;
  it.each<readonly [string, OffloadOptions]>([
    ["describe.describer", { describe: { describer: fail } }],
    ["describe.describer", { describe: { describer: () => Promise.reject(new Error("late")) } }],
    ["describe.describer", { describe: { describer: () => Promise.resolve(none as never) } }],
    ["describe.recipes", { describe: { recipes: fail } }],
    ["describe.recipes", { describe: { recipes: () => none as never } }],
    ["describe.recipes", { describe: { recipes: () => [{ filter: 1 }] as never } }],
    ["fileName", { fileName: fail }],
    ["fileName", { fileName: () => "../no" }],
  ])("%s leaves the output stored and described as usual, with an event", async (option, given) => {
    const events: OffloadEvent[] = [];
    const offloader = createOffloader({
      ...given,
      store: memoryStore(),
      onEvent: (event) => events.push(event),
    });
    const usual = createOffloader({ store: memoryStore() });
    const output = { toolName: "t", value, sessionId: "s" };
    const [result, expected] = [await offloader.offload(output), await usual.offload(output)];
    if (result.outcome !== "offloaded" || expected.outcome !== "offloaded") throw new Error();
    const { id } = result.storedArtifact;
    const { id: usualId } = expected.storedArtifact;
    expect(result.text.replaceAll(id, "")).toBe(expected.text.replaceAll(usualId, ""));
    expect(await offloader.store.stat(id, result.storedArtifact.scope)).toBeDefined();
    expect(events.map(({ type }) => type)).toEqual(["option-failed", "offloaded"]);
    expect(events[0]).toMatchObject({ option, toolName: "t" });
    await Promise.all([offloader.close(), usual.close()]);
  });
});
