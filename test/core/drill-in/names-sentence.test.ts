import { expect, it } from "vitest";

import { namesSentence } from "../../../src/core/drill-in/diagnosis.js";

it("the nearest of many long names are found without holding the event loop", async () => {
  const long = "field_of_a_record_that_has_a_long_name_in_its_schema_";
  const names = Array.from({ length: 400 }, (_, index) => long + index);
  const query = names
    .slice(0, 12)
    .map((name) => `${name}x`)
    .join(" ");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const told = await namesSentence(query, names);
  clearInterval(timer);
  expect(told).toMatch(/nearest first: \w+_(?:\d|1[01]), /);
  expect(turns).toBeGreaterThan(2);
});
