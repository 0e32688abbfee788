import { afterAll, describe, expect, it } from "vitest";

import { addRecords, createTestStore, drillInOver, SCOPE } from "../../stored-outputs.js";

const store = createTestStore();
const drillIn = drillInOver(store);
afterAll(() => drillIn.close());

const REPOS = Array.from({ length: 60 }, (_, index) => ({
  name: `repo-${index}`,
  owner: { login: `u${index % 4}`, name: `Ada ${index % 4}` },
  labels: [{ name: "bug" }, { name: index % 2 === 0 ? "p1" : "p2" }],
}));
const PODS = Array.from({ length: 60 }, (_, index) => ({
  metadata: { name: `web-${index}` },
  spec: {
    containers: [
      { name: "app", image: "a:1" },
      { name: "proxy", image: "b" },
    ],
    volumes: [{ name: "data" }],
  },
}));
const SPANS = Array.from({ length: 60 }, (_, index) => ({
  trace: { id: `t${index}` },
  "http.status_code": index % 2 === 0 ? 200 : 500,
  "": index,
  attributes: { "db.system": "pg" },
  meta: {},
  n: index,
}));

function asking(
  records: readonly unknown[],
  fields: readonly string[],
): (filter: string, slurp?: boolean) => Promise<string> {
  const { id } = addRecords(store, records, { fields });
  return async (filter, slurp = false) =>
    (await drillIn.jq({ id, filter, slurp, limit: 3 }, SCOPE)).text;
}

const ofRepos = asking(REPOS, ["name", "owner", "owner.login", "owner.name", "labels"]);
const ofPods = asking(PODS, ["metadata", "metadata.name", "spec", "spec.containers"]);
const ofSpans = asking(SPANS, [
  "trace",
  "trace.id",
  '"http.status_code"',
  "",
  "attributes",
  'attributes."db.system"',
  "meta",
  "n",
]);

describe("what jq says of a path behind a bar", () => {
  it.each([
    [
      '.labels[] | select(.name == "Bug")',
      '.labels[].name is never "Bug"; nearest: "bug". Its values: "bug" (60), "p1" (30), "p2" (30).',
    ],
    [
      '.owner | select(.login == "u1" and .name == "ada 1")',
      '.owner.name is never "ada 1"; nearest: "Ada 1". Its values: "Ada 0" (15), "Ada 1" (15), "Ada 2" (15), "Ada 3" (15).',
    ],
    [
      'select(any(.labels[]; .name == "P1")) | .name',
      '.labels[].name is never "P1"; nearest: "p1". Its values: "bug" (60), "p1" (30), "p2" (30).',
    ],
  ])("is of the values there: %s", async (filter, lesson) => {
    expect(await ofRepos(filter)).toBe(`0 results.\n${lesson}`);
  });

  it("is of the fields there", async () => {
    expect(await ofRepos(".owner | .Name")).toBe(
      "3 results and more, all null. No record has .owner.Name; nearest: .owner.name.",
    );
    expect(await ofRepos("map(.owner | .Name) | unique", true)).toContain(
      "No record has .owner.Name; nearest: .owner.name.",
    );
  });

  it("is of one list where others have the same names", async () => {
    expect(await ofPods('.spec.containers[] | select(.name == "App") | .image')).toBe(
      '0 results.\n.spec.containers[].name is never "App"; nearest: "app". Its values: "app" (60), "proxy" (60).',
    );
    expect(await ofPods('.spec.containers[] | select(.name == "data") | .image')).toBe(
      '0 results.\n.spec.containers[].name is never "data". Its values: "app" (60), "proxy" (60).',
    );
  });

  it("is nothing where it may be of several", async () => {
    expect(await ofPods('. as $pod | $pod | .. | objects | select(.name == "App")')).toBe(
      "0 results.",
    );
    expect(await ofPods('to_entries[] | .value.containers[]? | select(.name == "App")')).toBe(
      "0 results.",
    );
  });

  it("is told once of a path and what goes on from it", async () => {
    const answer = await ofPods('.items[] | select(.metadata.name == "web-1")');
    expect(answer).toContain("No record has .items itself; there is .metadata.name.");
    expect(answer.match(/No record has/g)).toHaveLength(1);
  });

  it("opens the lists on the way to what it names", async () => {
    expect(await ofRepos(".labels[].nam")).toBe(
      "3 results and more, all null. No record has .labels[].nam; nearest: .labels[].name.",
    );
    expect(await ofPods(".containers")).toBe(
      "3 results and more, all null. No record has .containers itself; there is .spec.containers.",
    );
  });
});

describe("what jq says of a key that has a dot in it", () => {
  it.each([
    [
      ".http.status_code",
      'No record has .http; a key has the dot in it: write ."http.status_code".',
    ],
    [
      ".attributes | {db: .db.system}",
      'No record has .attributes.db; a key has the dot in it: write .attributes."db.system".',
    ],
    ['."trace.id"', 'No record has ."trace.id"; the dot is between keys: write .trace.id.'],
    [".meta.status_code", 'No record has .meta.status_code; nearest: ."http.status_code".'],
    [".meta.x", "No record has .meta.x."],
  ])("%s", async (filter, lesson) => {
    expect(await ofSpans(filter)).toContain(lesson);
  });

  it("and that stands beside what was found", async () => {
    expect(
      await ofSpans(
        "group_by(.http.status_code) | map({s: .[0].http.status_code, n: length})",
        true,
      ),
    ).toBe(
      '[{"s":null,"n":60}]\n1 result.\nNo record has .http; a key has the dot in it: write ."http.status_code".',
    );
  });
});

describe("what jq says of texts that are numbers, some of them empty", () => {
  const ask = asking(
    Array.from({ length: 60 }, (_, index) => ({
      id: String(index),
      price: index % 9 === 0 ? "" : String(index * 1.5),
    })),
    ["id", "price"],
  );

  it.each([
    ["map(.price) | add", "which add joins: write (.price | tonumber?)."],
    ["map(.price) | max", "and ordered as text: write (.price | tonumber?)."],
    ["max_by(.price)", "and ordered as text: write max_by(.price | tonumber?)."],
    ["min_by(.price) | .id", "and ordered as text: write min_by(.price | tonumber? // infinite)."],
    ["[.[] | .id] | min", "and ordered as text: write (.id | tonumber)."],
  ])("%s", async (filter, end) => {
    const text = await ask(filter, true);
    expect(text).toMatch(/is text, such as "\d/);
    expect(text.endsWith(end)).toBe(true);
  });

  it("with what gives the right answer", async () => {
    expect(await ask("map(.price | tonumber?) | max", true)).toBe("88.5\n1 result.");
    expect(await ask("min_by(.price | tonumber? // infinite) | .price", true)).toBe(
      '"1.5"\n1 result.',
    );
  });
});
