import { expect, it } from "vitest";
import { fieldMap } from "../../../src/core/describe/forms/fields/field-map.js";
import { fieldNames, profileContent } from "../../../src/core/profile/profile-document.js";
import { valuesContent } from "../describe/fixture.js";

it("a key that has a dot in it stands in quotes, so that a descriptor tells it from two", async () => {
  const records = Array.from({ length: 12 }, (_, index) => ({
    "http.status": index,
    trace: { id: index, "": index },
    list: [{ "a.b": "x" }],
  }));
  const content = valuesContent(records);
  const profile = await profileContent(content);
  const names = ['"http.status"', "trace.id", 'trace.""'];
  expect(Object.keys(Object(fieldMap(profile, { maxFields: 80, detail: "types" })))).toEqual([
    ...names,
    "list",
  ]);
  expect(fieldNames(profile, content)).toEqual([
    '"http.status"',
    "trace",
    ...names.slice(1),
    "list",
    'list[]."a.b"',
  ]);
  expect(fieldMap(profile, { maxFields: 80, detail: "types" })).toMatchObject({
    list: 'list of {"a.b"}',
  });
});
