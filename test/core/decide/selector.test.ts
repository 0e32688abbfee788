import { describe, expect, it } from "vitest";

import { isSelected } from "../../../src/core/decide/selector.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";

type Selection = Pick<OffloadOptions, "include" | "exclude">;

const by = (
  toolName: string,
  { include, exclude }: Selection = {},
  rest: Partial<ToolOutput> = {},
): boolean => isSelected({ toolName, value: "", sessionId: "s", ...rest }, { include, exclude });

describe("the tools that take part", () => {
  const isDb = ({ toolName }: ToolOutput): boolean => toolName.startsWith("db_");
  it.each<[string, Selection | undefined, boolean]>([
    ["search", undefined, true],
    ["search", {}, true],
    ["search", { include: ["search"] }, true],
    ["other", { include: ["search"] }, false],
    ["search", { include: [] }, false],
    ["db_query", { include: isDb }, true],
    ["search", { include: isDb }, false],
    ["search", { include: ["search"], exclude: ["search"] }, false],
    ["db_query", { exclude: isDb }, false],
    ["other", { exclude: ["search"] }, true],
  ])("of %s with %j: exclude wins over include", (toolName, selection, isTaken) => {
    expect(by(toolName, selection)).toBe(isTaken);
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

const opened = openedOffloaders();
const large = Array.from({ length: 900 }, (_, id) => ({ id, name: `record ${id}` }));

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
    const { offloader, events } = opened(selection);
    const result = await offloader.offload({ toolName: "search", value: large, sessionId: "s" });
    expect(result).toEqual({ outcome: "inline", value: large });
    expect(events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
  });

  it("is refused when it is neither names nor a function", () => {
    const wrong = { exclude: { metadata: { reader: "code" } } } as unknown as Selection;
    expect(() => opened(wrong)).toThrow(/at exclude/);
  });
});
