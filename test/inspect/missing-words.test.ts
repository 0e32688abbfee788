import { expect, it } from "vitest";

import { missingWords } from "../../src/inspect/page/missing-words.js";

it("says what the page cannot show, and nothing where it shows all", () => {
  const losses = { lostEntries: 0, skippedLines: 0, unreadSegments: 0 };
  expect(missingWords({ newer: 0, unreadable: 0 })).toBeUndefined();
  expect(missingWords({ newer: 0, unreadable: 0, losses })).toBeUndefined();
  const some = { newer: 1, unreadable: 0, losses: { ...losses, lostEntries: 1200 } };
  expect(missingWords(some)).toBe(
    "Not shown here: 1 output stored by a newer version; 1,200 entries that the journal could not write.",
  );
});
