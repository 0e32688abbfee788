import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../src/offload/create-offloader.js";
import { sqlEngine } from "../../../src/drill-in/sql/engine.js";
import { memoryStore } from "../../../src/store/memory.js";
import { scopeOf } from "../../../src/store/naming.js";

const SESSION = "s";
const REPOS = Array.from({ length: 60 }, (_, index) => ({
  name: `repo-${index}`,
  title: "t",
  labels: [{ name: "bug" }, { name: index % 2 === 0 ? "p1" : "p2" }],
  owner: { name: "Ada", "login.id": index },
  meta: index % 2 === 0 ? { "mem.used": index, a: { "b.c": 1 } } : [],
}));
const OTHERS = Array.from({ length: 60 }, (_, index) => ({ name: `other-${index}` }));

let offloader: Offloader;
let id: string;
let other: string;

async function stored(value: unknown): Promise<string> {
  const result = await offloader.offload({ toolName: "list", value, sessionId: SESSION });
  if (result.outcome !== "offloaded") throw new Error(`the output is ${result.outcome}`);
  return result.storedArtifact.id;
}

async function ask(query: string, more: object = {}): Promise<string> {
  return (await offloader.drillIn.sql({ id, query, ...more }, scopeOf(SESSION))).text;
}

beforeAll(async () => {
  offloader = createOffloader({
    store: memoryStore(),
    threshold: { tokens: 0 },
    drillIn: { sql: sqlEngine(), timeoutMs: 25_000 },
  });
  [id, other] = await Promise.all([stored(REPOS), stored(OTHERS)]);
});
afterAll(() => offloader.close());

describe("what SQL says of a text that no row has", () => {
  it.each([
    "SELECT name FROM output WHERE name = 'Repo-1'",
    "SELECT name FROM output AS o WHERE o.name = 'Repo-1'",
    "SELECT output.name FROM output, unnest(labels) AS t(l) WHERE output.name = 'Repo-1'",
    "SELECT name FROM (SELECT * FROM output WHERE title = 't') WHERE name = 'Repo-1'",
  ])("is of the column that is compared: %s", async (query) => {
    expect(await ask(query)).toContain(
      '0 rows.\nname is never "Repo-1"; nearest: "repo-1". Its values: "repo-0", ',
    );
  });

  it("is of the table that is named", async () => {
    const query = "SELECT 1 FROM output o JOIN b ON o.title = b.name WHERE b.name = 'Other-1'";
    expect(await ask(query, { with: { b: other } })).toContain(
      'name is never "Other-1"; nearest: "other-1".',
    );
    expect(await ask("SELECT 1 FROM output WHERE owner.name = 'ada'")).toContain(
      'owner.name is never "ada"; nearest: "Ada". Its values: "Ada" (60).',
    );
  });

  it.each([
    "SELECT count(*) FROM (SELECT unnest(labels) AS l FROM output) WHERE l.name = 'Bug'",
    "SELECT count(*) FROM output, unnest(labels) AS t(l) WHERE l.name = 'Bug'",
    "SELECT count(*) FROM output WHERE len(list_filter(labels, x -> x.name = 'Bug')) > 0",
    "SELECT count(*) FROM (SELECT unnest(owner) FROM output) WHERE name = 'ada'",
    "SELECT count(*) FROM (SELECT owner.* FROM output) WHERE name = 'ada'",
    "SELECT count(*) FROM (SELECT owner.name FROM output) o WHERE o.name = 'ada'",
    "WITH output AS (SELECT 'x' AS name) SELECT count(*) FROM output WHERE output.name = 'ada'",
    "SELECT count(*) FROM output, unnest(labels) AS t(name) WHERE name.name = 'Bug'",
  ])("is nothing where the query has made what it compares: %s", async (query) => {
    expect(await ask(query)).not.toMatch(/is never|Its values/);
  });
});

describe("what SQL says of a key that has a dot in it", () => {
  it.each([
    ["SELECT sum(TRY_CAST(meta->>'$.mem.used' AS DOUBLE)) FROM output", "mem.used", '."mem.used"'],
    ["SELECT name, meta.mem.used FROM output LIMIT 3", "mem.used", '."mem.used"'],
    ["SELECT count(*) FROM output WHERE (meta->'$.a.b.c') = '1'", "a.b.c", '.a."b.c"'],
  ])("%s", async (query, asked, path) => {
    expect(await ask(query)).toContain(
      `\nNo meta has ${asked}; a key has the dot in it: write meta->>'$${path}'.`,
    );
  });

  it("in an object", async () => {
    expect(await ask("SELECT owner.login.id FROM output")).toMatch(
      /\nA key has the dot in it: write "login\.id" as one name in double quotes\.$/,
    );
  });
});

describe("the next step of SQL", () => {
  it("opens a list of objects, and gets there", async () => {
    expect(await ask("SELECT labels.name FROM output")).toMatch(
      /\nlabels is a list: write FROM output, unnest\(labels\) AS t\(item\), and item\.name\.$/,
    );
    const opened =
      "SELECT item.name, count(*) AS n FROM output, unnest(labels) AS t(item) GROUP BY 1 ORDER BY 1";
    expect(await ask(opened)).toBe("name | n\nbug | 60\np1 | 30\np2 | 30\n3 rows.");
  });

  it("puts an arrow in brackets", async () => {
    expect(await ask("SELECT count(*) FROM output WHERE meta->'$.a' = 1")).toMatch(
      /\nA comparison binds before ->: write \(column->'\$\.field'\) in brackets before it, or ->>\.$/,
    );
    const both = "meta->>'$.x' = 'y' AND meta->>'$.a' = '1'";
    expect(await ask(`SELECT count(*) FROM output WHERE ${both}`)).toMatch(
      /\nAND and OR bind before -> and ->>: write each \(column->>'\$\.field' = …\) in brackets\.$/,
    );
  });

  it("gives a text single quotes", async () => {
    expect(await ask('SELECT name FROM output WHERE name = "repo-1"')).toMatch(
      /\nIn double quotes stands the name of a column; a text has single quotes: 'repo-1'\.$/,
    );
    expect(await ask('SELECT "nmae" FROM output')).not.toContain("single quotes");
  });

  it("says which rows of all it shows, to the last", async () => {
    const told: string[] = [];
    for (let query: string | undefined = "SELECT name, title FROM output"; query !== undefined;) {
      const [note = ""]: string[] = (await ask(query, { max_tokens: 200 })).split("\n").slice(-1);
      told.push(note.replace(/ For less[\s\S]*/, ""));
      const call: string | undefined = /Next call: sql_tool_output (\{.*\})/.exec(note)?.[1];
      query = call === undefined ? undefined : String(Object(JSON.parse(call)).query);
    }
    expect(told.length).toBeGreaterThan(2);
    expect(told[0]).toMatch(/^Showing the first \d+ of 60 rows\.$/);
    expect(told[1]).toMatch(/^Showing rows \d+ to \d+ of 60\.$/);
    expect(told.at(-1)).toMatch(/^Rows \d+ to 60, the last\.$/);
    expect(await ask("FROM (\nSELECT name FROM output\n) OFFSET 59")).toContain(
      "\nRow 60, the last.",
    );
    expect(await ask("FROM (\nSELECT name FROM output\n) OFFSET 60")).toContain(
      "No row after the first 60.",
    );
  });
});
