import { describe, expect, it } from "vitest";
import { largeOutputTools } from "../../../src/presets/index.js";

const ID = "01K15WZHW8ABCDEFGHJKMNPQRS";
const artifact = { id: ID, fileName: `tool_20250727_093045_x_${ID}.json` };

describe("tool shapes", () => {
  it("turn their arguments into those of the drill-in and pass others on", () => {
    const [read, search, query] = largeOutputTools();
    const filename = artifact.fileName;
    expect(read?.call({ filename, start: 0, end: 5000 })).toEqual({
      tool: "read",
      // As many characters as are asked for fit into one answer.
      args: { id: filename, start: 0, end: 5000, max_tokens: 10_200 },
    });
    expect(read?.call({ filename, start_line: 3 }).args).toEqual({ id: filename, start_line: 3 });
    expect(search?.call({ filename, pattern: "x", case_sensitive: "False" }).args).toEqual({
      id: filename,
      pattern: "x",
      ignore_case: true,
    });
    expect(search?.call({ filename, pattern: "x" }).args).toEqual({ id: filename, pattern: "x" });
    expect(query?.call({ filename, query: "." }).args).toEqual({
      id: filename,
      filter: ".",
      compact: false,
    });
    expect(query?.call("no object").args).toEqual({ compact: false });
  });

  it.each([
    ["no numbers", { valueOf: 1, toString: 1 }],
    ["a deep list", JSON.parse("[".repeat(20_000) + "]".repeat(20_000))],
  ])("leave %s for the drill-in to refuse", (_, value: unknown) => {
    const [read, search] = largeOutputTools();
    expect(read?.call({ start: value, end: value }).args).toEqual({ start: value, end: value });
    const args = { case_sensitive: value };
    expect(search?.call(args).tool).toBe("grep");
  });

  it("state a call on an output in their own words", () => {
    const [read, search, query] = largeOutputTools();
    const filename = artifact.fileName;
    const stated = [
      [read, { id: ID, start: 9 }, { filename, start: 9 }],
      [read, { id: ID, start_line: 3 }, { filename, start_line: 3 }],
      [
        search,
        { id: ID, pattern: "x", ignore_case: true, skip: 2 },
        { filename, pattern: "x", case_sensitive: false, skip: 2 },
      ],
      [query, { id: ID, filter: ".", skip: 2 }, { filename, query: ".", compact: true, skip: 2 }],
      [query, { id: ID, filter: ".", compact: false }, { filename, query: ".", compact: false }],
    ] as const;
    for (const [shape, args, words] of stated) {
      const printed: unknown = JSON.parse(JSON.stringify(shape?.state(args, artifact)));
      expect(printed).toEqual(words);
    }
  });
});
