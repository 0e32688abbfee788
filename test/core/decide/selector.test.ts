import { describe, expect, it } from "vitest";

import { isSelected } from "../../../src/core/decide/selector.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import type { OffloadResult } from "../../../src/core/types/result.js";

type Selection = Pick<OffloadOptions, "include" | "exclude">;

const by = (
  toolName: string,
  { include, exclude }: Selection = {},
  rest: Partial<ToolOutput> = {},
): boolean => isSelected({ toolName, value: "", sessionId: "s", ...rest }, { include, exclude });

describe("sessionKey", () => {
  it("takes every tool when nothing is said", () => {
    expect(by("search")).toBe(true);
    expect(by("search", {})).toBe(true);
  });

  it("takes only included tools, by name or by rule", () => {
    expect(by("search", { include: ["search"] })).toBe(true);
    expect(by("other", { include: ["search"] })).toBe(false);
    expect(by("db_query", { include: ({ toolName }) => toolName.startsWith("db_") })).toBe(true);
    expect(by("search", { include: ({ toolName }) => toolName.startsWith("db_") })).toBe(false);
  });

  it("lets exclude win over include", () => {
    expect(by("search", { include: ["search"], exclude: ["search"] })).toBe(false);
    expect(by("search", { exclude: ({ toolName }) => toolName === "search" })).toBe(false);
    expect(by("other", { exclude: ["search"] })).toBe(true);
  });

  it("takes no tool when the list of included tools is empty", () => {
    expect(by("search", { include: [] })).toBe(false);
  });

  it("takes tools by all of the entries of their metadata", () => {
    const exclude = { metadata: { reader: "code", batch: true } };
    const metadata = { reader: "code", batch: true, owner: "us" };
    expect(by("search", { exclude }, { metadata })).toBe(false);
    expect(by("search", { exclude }, { metadata: { reader: "code" } })).toBe(true);
    expect(by("search", { exclude }, { metadata: { reader: "code", batch: "true" } })).toBe(true);
    expect(by("search", { exclude })).toBe(true);
    expect(by("search", { include: exclude }, { metadata })).toBe(true);
    expect(by("search", { include: exclude })).toBe(false);
    expect(by("search", { include: { metadata: { toString: null } } }, { metadata: {} })).toBe(
      false,
    );
  });

  it("asks a rule about each output of the tools that take part", () => {
    const asked: ToolOutput[] = [];
    const include = (output: ToolOutput): boolean => {
      asked.push(output);
      return output.toolCallId !== undefined;
    };
    expect(by("search", { include }, { toolCallId: "call_1" })).toBe(true);
    expect(by("search", { include })).toBe(false);
    expect(by("search", { include, exclude: ["search"] })).toBe(false);
    expect(asked).toHaveLength(2);
  });
});

const large = Array.from({ length: 900 }, (_, id) => ({ id, name: `record ${id}` }));

async function pipeline(
  selection: Selection,
): Promise<{ result: OffloadResult; events: OffloadEvent[] }> {
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): void => void events.push(event);
  const offloader = createOffloader({ store: memoryStore(), ...selection, onEvent });
  const result = await offloader.offload({ toolName: "search", value: large, sessionId: "s" });
  await offloader.close();
  return { result, events };
}

describe("a selector that fails", () => {
  const rule = (): boolean => {
    throw new Error("no rule");
  };
  const promised = (async () => Promise.reject(new Error("late"))) as unknown as () => boolean;

  it.each<[string, Selection]>([
    ["`include` throws", { include: rule }],
    ["`include` gives a promise", { include: promised }],
    ["`exclude` gives a promise", { exclude: promised }],
  ])("because %s leaves the output alone and says so", async (_, selection) => {
    const { result, events } = await pipeline(selection);
    expect(result).toEqual({ outcome: "inline", value: large });
    expect(events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
  });

  it("is refused when it is neither names, a function nor metadata", () => {
    const wrong = { exclude: { metadata: { reader: ["code"] } } } as unknown as Selection;
    expect(() => createOffloader(wrong)).toThrow(/at exclude/);
  });
});
