import { describe, expect, it } from "vitest";
import { largeOutputTools } from "../../../src/presets/index.js";

const ID = "01K15WZHW8ABCDEFGHJKMNPQRS";
const artifact = { id: ID, fileName: `tool_20250727_093045_x_${ID}.json` };

describe("tool shapes", () => {
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
