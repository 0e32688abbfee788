import { describe, expect, it } from "vitest";

import { checkArguments } from "../../src/drill-in/arguments.js";
import { artifactTools, largeOutputTools } from "../../src/drill-in/tool-shape-sets.js";

describe("checking arguments", () => {
  it("names what is wrong and what is allowed", () => {
    expect(checkArguments("jq", { id: "x", filter: 7 }).problem).toBe(
      "Invalid arguments: filter: expected string, received number. Allowed: id, filter, raw, compact, slurp, args, limit, with.",
    );
  });

  it("speaks in the names of the tool that the model knows", () => {
    const [, search, query] = largeOutputTools();
    expect(checkArguments("jq", { id: "x", filter: 7 }, query).problem).toBe(
      "Invalid arguments: query: expected string, received number. Allowed: filename, query, compact, raw, slurp, args, limit, with.",
    );
    expect(checkArguments("jq", "text", query).problem).toContain("pass an object with filename,");
    const problem = checkArguments("grep", { pattern: "x" }, search).problem;
    expect(problem).toContain("filename: expected string");
    expect(problem).toContain("Allowed: filename, pattern, case_sensitive, max_results,");
    const [read] = artifactTools();
    expect(checkArguments("read", { id: "x", start_line: "one" }, read).problem).toMatch(
      /start_line: expected integer.*Allowed: artifact_id, start_line/,
    );
  });
});
