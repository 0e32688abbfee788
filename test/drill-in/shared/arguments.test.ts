import { describe, expect, it } from "vitest";

import { checkArguments } from "../../../src/drill-in/shared/arguments.js";
import { artifactTools, largeOutputTools } from "../../../src/presets/tool-shape-sets.js";

describe("checking arguments", () => {
  it.each([
    [
      "jq",
      { id: "x", filter: "a".repeat(1e6) },
      "The filter has 1000000 characters; at most 16384",
    ],
    [
      "grep",
      { id: "x", pattern: "(".repeat(1001) },
      "The pattern has 1001 characters; at most 1000",
    ],
    ["sql", { id: "x", query: " ".repeat(1e5) }, "The query has 100000 characters; at most 16384"],
    ["read", { id: "x", start_line: "1".repeat(1e5) }, "The start_line has 100000 characters"],
    ["jq", { id: "x", filter: ".", args: { a: ["b".repeat(1e5)] } }, "The args has "],
    ["jq", `{"id":"${"x".repeat(1e6)}"}`, "The text of the arguments has 1000009 characters"],
    ["jq", `{"id":"x","filter":"${"x".repeat(1e5)}"}`, "The filter has 100000 characters"],
  ] as const)("looks at lengths before anything else: %s %#", (tool, raw, problem) => {
    expect(checkArguments(tool, raw).problem).toContain(problem);
  });

  it("names what is wrong and what is allowed", () => {
    expect(checkArguments("jq", { id: "x", filter: 7 }).problem).toBe(
      "Invalid arguments: filter: expected string, received number. Allowed: id, filter, slurp, raw, args, with, skip, limit, max_tokens.",
    );
  });

  it("understands what the tool does not show, and says nothing when that is wrong", () => {
    expect(checkArguments("read", { id: "x", start: "5" }).args?.number("start")).toBe(5);
    expect(checkArguments("read", { id: "x", start: "five" }).problem).toBeUndefined();
    const both = checkArguments("read", { id: "x", start: "five", start_line: "one" }).problem;
    expect(both).toMatch(/^Invalid arguments: start_line: expected integer\. Allowed: /);
  });

  it("speaks of further outputs only where they can be named", () => {
    const [, , query] = largeOutputTools();
    expect(checkArguments("jq", { id: ["x"], filter: "." }).problem).toContain("go in with: ");
    expect(checkArguments("jq", { id: ["x"], filter: "." }, query).problem).not.toContain("with");
  });

  it("speaks in the names of the tool that the model knows", () => {
    const [, search, query] = largeOutputTools();
    expect(checkArguments("jq", { id: "x", filter: 7 }, query).problem).toBe(
      "Invalid arguments: query: expected string, received number. Allowed: filename, query, compact, raw.",
    );
    expect(checkArguments("jq", "text", query).problem).toContain("pass an object with filename,");
    const problem = checkArguments("grep", { pattern: "x" }, search).problem;
    expect(problem).toContain("filename is missing");
    expect(problem).toContain("Allowed: filename, pattern, case_sensitive, max_results.");
    const [read] = artifactTools();
    expect(checkArguments("read", { id: "x", start_line: "one" }, read).problem).toMatch(
      /start_line: expected integer.*Allowed: artifact_id, start_line/,
    );
  });
});
