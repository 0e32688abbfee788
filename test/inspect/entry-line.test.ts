import { expect, it } from "vitest";

interface Page {
  readonly EntryLine: (props: object) => { readonly props: Record<string, string> };
}

// The compiler of the tests has no JSX.
const file: string = "../../src/inspect/page/entry.js";
const { EntryLine } = (await import(file)) as Page;

const shownOf = (entry: object): Record<string, string> =>
  EntryLine({ entry: { v: 1, at: 0, id: "a:0", session: "s", ...entry } }).props;

it("a line marks the tokens that are estimated", () => {
  const aged = { type: "aged", results: 2, artifactIds: [], freedTokens: 5300 };
  expect(shownOf(aged)["detail"]).toContain("results 2, freed tokens ≈\u00A05,300");
  const tools = { type: "tools-shown", definitionTokens: 812 };
  expect(shownOf(tools)["detail"]).toContain("definition tokens ≈\u00A0812");
});

it("a line does not number a call of the model, since the journal counts those of all sessions", () => {
  const called = { type: "model-called", call: 7, parts: {}, contextTokens: 9, withoutTokens: 9 };
  expect(shownOf(called)["what"]).toBe("The model was called");
});
