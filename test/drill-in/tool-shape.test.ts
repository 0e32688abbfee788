import { describe, expect, it } from "vitest";
import { cleanupAnswer, shapeAnswer, toolNamesOf } from "../../src/drill-in/tool-shape.js";
import { artifactTools, cleanupTool, largeOutputTools } from "../../src/presets/tool-shape-sets.js";

const ID = "01K15WZHW8ABCDEFGHJKMNPQRS";
const artifact = { id: ID, fileName: `tool_20250727_093045_x_${ID}.json` };

describe("tool shapes", () => {
  it("say which drill-ins they stand for", () => {
    expect(toolNamesOf([...artifactTools(), cleanupTool()])).toEqual({
      read: "artifact_read",
      grep: "artifact_grep",
      jq: "artifact_jq",
    });
  });

  it("turn their arguments into those of the drill-in and pass others on", () => {
    const [read, search, query] = largeOutputTools();
    const filename = artifact.fileName;
    expect(read?.call({ filename, start: 0, end: 5000 })).toEqual({
      tool: "read",
      args: { id: filename, start: 0, end: 5000 },
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

  it("rename the next call of an answer and leave data that looks like one", () => {
    const call = `read_large_output {"id":"${ID}","start":9}`;
    const data = Array.from({ length: 8 }, () => call);
    const text = ["head", "a", "b", ...data, "c", "d", `Next call: ${call}`].join("\n");
    const shaped = shapeAnswer(text, artifact, largeOutputTools()).split("\n");
    expect(shaped.slice(3, -3)).toEqual(data);
    expect(shaped.at(-1)).toBe(
      `Next call: read_large_output {"filename":"${artifact.fileName}","start":9}`,
    );
  });

  it("leave a call on another artifact and text that is no call", () => {
    const other = `read_large_output {"id":"${ID.replace("Q", "P")}"}`;
    const broken = `read_large_output {"id":"${ID}" oops}`;
    for (const text of [other, broken]) {
      expect(shapeAnswer(text, artifact, largeOutputTools())).toBe(text);
    }
  });

  it("answer a cleanup with what went", () => {
    expect(cleanupAnswer([])).toBe('{"removed_files":0,"removed_bytes":0}');
  });
});
