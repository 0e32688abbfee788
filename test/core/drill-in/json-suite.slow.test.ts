import { afterAll, describe, expect, it } from "vitest";
import { oneSet, setsOf } from "../../../src/core/types/content.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { INVALID, OPEN, VALID } from "./json-cases.js";
import { createStoredFiles } from "./stored-files.js";
import { bodyOf, nextOf } from "./stored-outputs.js";

const OWN = sessionKeyOf("thread 1");
const files = createStoredFiles();
const drillIn = files.drillIn();

afterAll(() => files.close());

/** What the next calls give from the first line on, header line included. */
async function readWhole({ id }: StoredArtifact): Promise<string> {
  let text = "";
  for (let args: unknown = { id }; args !== undefined;) {
    const answer = await drillIn.run("read", args, { sessionKey: OWN });
    if (answer.failed) throw new Error(answer.text);
    text += bodyOf(answer);
    args = nextOf(answer);
  }
  return text;
}

/** The body after its header line. */
async function storedBody(artifact: StoredArtifact): Promise<string> {
  const text = await readWhole(artifact);
  return artifact.headerBytes === 0 ? text : text.slice(text.indexOf("\n") + 1);
}

async function jqValues({ id }: StoredArtifact): Promise<unknown[]> {
  const answer = await drillIn.run("jq", { id, filter: "." }, { sessionKey: OWN });
  expect(answer.failed).toBe(false);
  return answer.text
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

describe("JSON that every parser takes", () => {
  it.each(Object.entries(VALID))("%s: is read back and queried", async (_, text) => {
    const content = await identifyContent(text);
    const { layout } = content;
    const [records] = setsOf(content);
    const artifact = await files.put(text, "thread 1");
    expect(["records", "document"]).toContain(layout);
    const whole: unknown = JSON.parse(text);
    if (records === undefined) {
      expect(await storedBody(artifact)).toBe(text);
      expect(await jqValues(artifact)).toEqual([whole]);
    } else {
      const each = Array.from({ length: records.count }, (__, index) => records.at(index));
      expect(await jqValues(artifact)).toEqual(each.map((record): unknown => JSON.parse(record)));
      if (records.count > 0)
        expect(await storedBody(artifact)).toBe(each.map((record) => `${record}\n`).join(""));
    }
  });
});

describe("what is no JSON", () => {
  it.each(Object.entries(INVALID))("%s: is text, read back as it came", async (_, text) => {
    const artifact = await files.put(text, "thread 1");
    expect(artifact.layout).toBe("text");
    const answer = await drillIn.run("jq", { id: artifact.id, filter: "." }, { sessionKey: OWN });
    expect(answer.failed).toBe(false);
    expect(answer.text).toMatch(/\d results?\.|The first result /);
    if (text === "")
      expect((await drillIn.run("read", { id: artifact.id }, { sessionKey: OWN })).text).toContain(
        "is empty",
      );
    else expect(await readWhole(artifact)).toBe(text);
  });
});

describe("what a parser may take or refuse", () => {
  it.each(Object.entries(OPEN))(
    "%s: is kept as UTF-8 without a byte order mark, and jq answers",
    async (_, text) => {
      const artifact = await files.put(text, "thread 1");
      const body = await storedBody(artifact);
      if (artifact.layout === "records") {
        const records = oneSet(await identifyContent(text));
        const each = Array.from({ length: records?.count ?? 0 }, (__, i) => records?.at(i));
        expect(body).toBe(each.map((record) => `${record}\n`).join(""));
      } else expect(body).toBe(text.replace(/^\uFEFF/, "").toWellFormed());
      const answer = await drillIn.run(
        "jq",
        { id: artifact.id, filter: ".", limit: 1 },
        { sessionKey: OWN },
      );
      expect(answer.tokens).toBeLessThanOrEqual(2000);
      expect(
        (await drillIn.run("grep", { id: artifact.id, pattern: "." }, { sessionKey: OWN })).failed,
      ).toBe(false);
    },
  );
});

it("has enough cases of each kind to mean something", () => {
  const counts = [VALID, INVALID, OPEN].map((cases) => Object.keys(cases).length);
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(200);
});
