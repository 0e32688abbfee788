import { afterEach, describe, expect, it, vi } from "vitest";
import type { Describer } from "../../../src/core/describe/describer.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

const value = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => ({ id, state: id % 3 === 0 ? "open" : "closed" })),
);
const fail = (): never => {
  throw new Error("a bug of the caller");
};

describe("a function of the options that fails (C19)", () => {
  const none: unknown = undefined;
  const describers: Describer[] = [
    fail,
    () => Promise.reject(new Error("late")),
    () => Promise.resolve(none as never),
    async () => ({ text: "?", tokens: 1 }) as never,
    async ({ text }) => ({ form: "all", text, tokens: 1e6 }),
  ];
  it.each<readonly [string, OffloadOptions]>([
    ...describers.map((describer) => ["describe.describer", { describe: { describer } }] as const),
    ["fileName", { fileName: fail }],
    ["fileName", { fileName: () => "../no" }],
  ])("%s leaves the output stored and described as usual, with an event", async (option, given) => {
    const { offloader, events } = opened(given);
    const { offloader: usual } = opened();
    const output = { toolName: "t", value, sessionId: "s" };
    const [result, expected] = [await offloader.offload(output), await usual.offload(output)];
    if (result.outcome !== "offloaded" || expected.outcome !== "offloaded") throw new Error();
    const { id } = result.storedArtifact;
    const { id: usualId } = expected.storedArtifact;
    expect(result.text.replaceAll(id, "")).toBe(expected.text.replaceAll(usualId, ""));
    expect(await offloader.store.stat(id, result.storedArtifact.sessionKey)).toBeDefined();
    expect(events.map(({ type }) => type)).toEqual(["option-failed", "offloaded"]);
    expect(events[0]).toMatchObject({ option, toolName: "t" });
  });
});

describe("what failed where nobody listens", () => {
  afterEach(() => vi.restoreAllMocks());
  const secret = "4111-1111";
  const failing = (): never => {
    throw new Error(`no ${secret}`);
  };
  const full = { ...memoryStore(), put: failing };

  it.each<readonly [string, OffloadOptions]>([
    ["describe.describer failed for the tool t (Error)", { describe: { describer: failing } }],
    ["clean of the plugin redact failed for the tool t (Error)", { plugins: [redact(failing)] }],
    [
      "Storing an output in memory, or describing it, failed for the tool t (Error)",
      { store: full },
    ],
  ])("is told once as a warning, without what an error says: %s", async (sentence, given) => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { offloader } = opened({ ...given, onEvent: undefined as never });
    const { offloader: heard } = opened(given);
    for (const toolCallId of ["1", "2"]) {
      await offloader.offload({ toolName: "t", value, sessionId: "s", toolCallId });
      await heard.offload({ toolName: "t", value, sessionId: "s", toolCallId });
    }
    expect(warn.mock.calls).toEqual([[expect.stringContaining(sentence), "OffloadWarning"]]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain(secret);
  });

  it("is an error of put, and no warning beside it", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { offloader } = opened({ store: full, onEvent: undefined as never });
    await expect(offloader.put(value, { sessionId: "s" })).rejects.toThrow("could not be stored");
    expect(warn).not.toHaveBeenCalled();
  });
});
