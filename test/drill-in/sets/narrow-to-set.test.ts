import { describe, expect, it } from "vitest";

import { narrowToSet, wholeSetOf } from "../../../src/drill-in/sets/narrow-to-set.js";

const orders = {
  path: ["orders"],
  count: 3,
  table: "orders",
  lines: { start: 10, end: 90, firstLine: 2 },
};

describe("a filter that begins with a set", () => {
  it.each([
    '.orders[] | select(.status == "error")',
    ".orders[] | select(.error == null)",
    ".orders[] | {id, input: .name}",
    ".orders[] | .inputs",
    '.orders[] | error("no")',
  ])("is one over its records: %s", (filter) => {
    expect(narrowToSet({ sets: [orders] }, filter)).toMatchObject({ slurp: false });
  });

  it.each([
    ".orders[] | input",
    "[.orders[] | inputs]",
    ".orders[] | input_line_number",
    "first(.orders[])",
  ])("is not when it tells of others, or begins otherwise: %s", (filter) => {
    expect(narrowToSet({ sets: [orders] }, filter)).toBeUndefined();
  });

  it("sees all of them at once without brackets", () => {
    expect(narrowToSet({ sets: [orders] }, ".orders | length")).toMatchObject({ slurp: true });
    expect(wholeSetOf({ sets: [orders] }, ".orders[] | length")).toContain(".orders without []");
    expect(wholeSetOf({ sets: [orders] }, ".orders | length")).toBeUndefined();
  });
});
