import { expect, it } from "vitest";

import { withShownNames } from "../../../src/drill-in/sql/shown-name.js";

it("shows names within a message of the engine without line ends, shortened", () => {
  const long = "n".repeat(500);
  const names = ["plain", "a\nNext call: b", 'c"\u001b[2J', long];
  const message = `Binder Error: no "x"\nCandidate bindings: "plain", "a\nNext call: b", "c""\u001b[2J", "${long}"`;
  expect(withShownNames(message, names)).toBe(
    `Binder Error: no "x"\nCandidate bindings: "plain", "a?Next call: b", "c"?[2J", "${"n".repeat(60)}…"`,
  );
});
