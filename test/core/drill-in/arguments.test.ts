import { expect, it } from "vitest";

import { CORE_TOOLS } from "../../../src/core/drill-in/tools.js";
import { checkArguments } from "../../../src/core/drill-in/arguments.js";

it.each([
  ["jq", { id: "x", filter: "a".repeat(1e5) }, "The filter has 100000 characters; at most 16384"],
  ["grep", { id: "x", pattern: "(".repeat(1001) }, "The pattern has 1001 characters; at most 1000"],
  ["sql", { id: "x", query: " ".repeat(1e5) }, "The query has 100000 characters; at most 16384"],
  ["read", { id: "x", start_line: "1".repeat(1e6) }, "The start_line has 1000000 characters"],
  ["jq", `{"id":"${"x".repeat(1e6)}"}`, "The arguments are too long"],
  ["jq", `{"id":"x","filter":"${"x".repeat(1e5)}"}`, "The filter has 100000 characters"],
] as const)(
  "checking arguments looks at lengths before anything else: %s %#",
  (tool, raw, problem) => {
    const definition = CORE_TOOLS.find(({ key }) => key === tool)!;
    expect(() => checkArguments(definition, raw)).toThrow(problem);
  },
);
