import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { createStoredFiles } from "./stored-files.js";

const OWN = sessionKeyOf("thread 1");
const CANARY = "canary-0d4f";

const files = createStoredFiles();
const drillIn = files.drillIn({ timeoutMs: 60_000, maxMemoryMb: 64 });
/** For filters that may have no end. */
const hurried = files.drillIn({ timeoutMs: 300, maxMemoryMb: 64 });
const workers = new Set<Worker>();
const onWorker = (worker: Worker): void => {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
};
let records: StoredArtifact;
let text: StoredArtifact;

beforeAll(async () => {
  process.env["DRILL_IN_CANARY"] = CANARY;
  process.on("worker", onWorker);
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, title: `${"a".repeat(40)}!` }));
  records = await files.put(JSON.stringify(rows), "thread 1");
  text = await files.put(
    `${`${"a".repeat(40)}!\n`.repeat(50)}${"a".repeat(100_000)}!\n`,
    "thread 1",
  );
  writeFileSync(join(files.directory, "secret.json"), `"${CANARY}"`);
  writeFileSync(join(files.directory, "secret.jq"), `def leak: "${CANARY}";`);
});

afterAll(async () => {
  await files.close();
  process.off("worker", onWorker);
  delete process.env["DRILL_IN_CANARY"];
});

/** Lets the worker start that takes the place of one that a case before has cost. */
beforeEach(async () => {
  const ask = () =>
    hurried.run("jq", { id: records.id, filter: "1", limit: 1 }, { sessionKey: OWN });
  while ((await ask()).failed);
});

/** Runs a call and holds it against every bound that all calls have. */
async function bounded(ask: () => Promise<DrillInAnswer>): Promise<DrillInAnswer> {
  const answer = await ask();
  expect(answer.tokens).toBeLessThanOrEqual(2000);
  expect(answer.text).not.toContain(CANARY);
  return answer;
}

const jq = (filter: string, mayStop = false): Promise<DrillInAnswer> =>
  bounded(() =>
    (mayStop ? hurried : drillIn).run(
      "jq",
      { id: records.id, filter: filter.replaceAll("DIR", files.directory) },
      { sessionKey: OWN },
    ),
  );

const grep = (pattern: string): Promise<DrillInAnswer> =>
  bounded(() => drillIn.run("grep", { id: text.id, pattern }, { sessionKey: OWN }));

describe("a hostile jq filter is answered within its limits", () => {
  const filters: readonly (readonly [string, RegExp])[] = [
    ["env", /^\{\}\n/],
    ["$ENV.DRILL_IN_CANARY", /^40 results, all null\.$/],
    ["input_filename", /^40 results, all null\.$/],
    ['import "secret" as $s {search: "DIR"}; $s', /error/],
    ['import "secret" as s {search: "DIR"}; s::leak', /error/],
    ['include "secret" {search: "DIR"}; leak', /error/],
    ['1); include "secret" {search: "DIR"}; (leak', /error/],
    ['"DIR/secret" | modulemeta', /error/],
    ["getpath([range(1e7)])", /error|stopped|memory/],
    ["last(range(1e12))", /stopped after 0\.3 s/],
    ["[range(1e12)]", /memory|stopped/],
    ["repeat(1)", /^1\n1\n|stopped/],
    ["def f: [f]; f", /stopped|memory/],
    ['"a" * 1e9', /memory|error|stopped/],
    ['[limit(100; repeat("a" * 10000000))] | add', /memory|stopped|error/],
    ['"a" * 1000000 | test("^(a+)+$b")', /stopped|error|memory|false/],
    ['.title | test("^(a|a)*$")', /stopped|error|memory|false/],
    ["\"$(id); '\\(.title)'\" | @sh", /^"'\$\(id\);/],
    ["debug | .id", /^0\n1\n/],
    ["last(repeat(debug))", /stopped|error/],
    ["--rawfile x /etc/passwd .", /error/],
    ["-.id", /^-?0\n-1\n/],
    ["1) | env | (2", /error/],
    ['"\\(1', /error/],
    ["1 # )\n) | env | (1", /error/],
    [". \0 env", /NUL/],
    ["[".repeat(8000) + "]".repeat(8000), /nested deeper than jq allows/],
    ["[".repeat(600) + "]".repeat(600), /^\[\[/],
    ["$__prog_args, $__loc__", /./],
  ];

  it.each(filters.map(([filter, expected]) => [filter.slice(0, 60), filter, expected] as const))(
    "%s",
    async (_, filter, expected) => {
      expect((await jq(filter, expected.source.includes("stopped"))).text).toMatch(expected);
    },
  );

  it("with variables that are hostile instead", async () => {
    const ask = (args: unknown): Promise<DrillInAnswer> =>
      bounded(() =>
        drillIn.run("jq", { id: records.id, filter: "$x", limit: 1, args }, { sessionKey: OWN }),
      );
    expect((await ask({ x: "1) | env | (2" })).text).toMatch(/^"1\) \| env \| \(2"\n/);
    expect((await ask({ x: "$ENV", ENV: 1 })).text).toMatch(/^"\$ENV"\n/);
    expect((await ask({ "x; env": 1 })).text).toContain("$x is not defined");
    expect((await ask({ __proto__: null, x: { constructor: 1 } })).text).toMatch(/constructor/);
    expect((await ask({ x: "y".repeat(70_000) })).text).toContain("at most 65536");
  });
});

it.each(["^(?:.?){99}=$", "(?i)(\\p{L}+)+\\P{L}{2}"])(
  "a hostile pattern is answered within its limits: %s",
  async (pattern) => {
    expect((await grep(pattern)).text).toMatch(/^0 matching lines/);
  },
);

it("after all of that, the tools answer as before, with no more workers than allowed, and none once closed", async () => {
  expect((await jq(".id")).text).toMatch(/^0\n1\n/);
  expect((await grep("!")).text).toMatch(/^51 matching lines/);
  expect(workers.size).toBeGreaterThan(0);
  expect(workers.size).toBeLessThanOrEqual(6);
  await Promise.all([drillIn.close(), hurried.close()]);
  expect(workers.size).toBe(0);
});
