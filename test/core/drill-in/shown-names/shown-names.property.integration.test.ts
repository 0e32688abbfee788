import { describe, expect, it } from "vitest";

import { testShownNames } from "./agents-texts.js";
import { strangersIn } from "./strangers.js";

describe("no text that a model reads names what is not there", () => {
  testShownNames(20);
});

describe("a name that is not there is found", () => {
  it.each([
    ["with", "with: b cannot be a name."],
    ["with", "with.b: No stored output has this id."],
    ["with", "The outputs in with have 18 MB."],
    ["with", "The with has 70002 characters; at most 65536 are allowed."],
    ["id", "Pass the largest one as id, which is streamed."],
    ["slurp", "Stream instead, without slurp: inputs"],
    ["start_line", "Pass start_line 7."],
    ["limit", "Set limit to 7."],
    ["lro_extract", "Use lro_extract."],
  ])("%s in: %s", (name, text) => {
    expect(strangersIn(text, [], "")).toEqual([name]);
  });

  it("which words of a sentence are not", () => {
    const text = "Ask for less, or a limit; after the end, with no filter: start before.";
    expect(strangersIn(text, [], "")).toEqual([]);
  });
});
