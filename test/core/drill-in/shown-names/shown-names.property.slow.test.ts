import { describe } from "vitest";

import { testShownNames } from "./agents-texts.js";

describe("no text that a model reads names what is not there", () => {
  testShownNames(50);
});
