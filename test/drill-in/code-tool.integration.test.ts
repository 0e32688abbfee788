import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { codeEngine } from "../../src/drill-in/code/engine.js";
import type { OffloadEvent } from "../../src/events.js";
import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import { fileStore } from "../../src/store/file/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import { foreignId } from "./stored-outputs.js";

const folder = mkdtempSync(join(tmpdir(), "code-tool-"));
const SESSION = "s";
const SCOPE = scopeOf(SESSION);
const CITIES = ["Rome", "Oslo", "Lima"];
const RECORDS = Array.from({ length: 900 }, (_, id) => ({ id, city: CITIES[id % 3], day: id % 7 }));
const events: OffloadEvent[] = [];
let offloader: Offloader;
let records: StoredArtifact;
let log: StoredArtifact;
let foreign: StoredArtifact;

async function stored(value: unknown, sessionId = SESSION): Promise<StoredArtifact> {
  return (await offloader.put(value, { sessionId, toolName: "search" })).storedArtifact;
}

async function run(code: unknown): Promise<{
  readonly text: string;
  readonly failed: boolean;
  readonly kept: readonly StoredArtifact[];
}> {
  const { text, failed, kept = [] } = await offloader.drillIn.code({ code }, SCOPE);
  // The time differs from run to run.
  return { text: text.replace(/(?:\d+ ms|[\d.]+ s)\.$/, "N ms."), failed, kept };
}

beforeAll(async () => {
  offloader = createOffloader({
    store: fileStore({ directory: folder }),
    drillIn: { code: codeEngine(), maxOutputTokens: 900 },
    onEvent: (event) => events.push(event),
  });
  records = await stored(RECORDS);
  log = await stored(Array.from({ length: 50 }, (_, n) => `line ${n}`).join("\n"));
  foreign = await stored(RECORDS, "another");
});
afterAll(async () => {
  await offloader.close();
  rmSync(folder, { recursive: true });
});

describe("code_tool_output", () => {
  it("shows the value, the printed lines, and what was read", async () => {
    const code = `
      const n = {};
      for (const r of outputs.open("${records.id}")) n[r.city] = (n[r.city] ?? 0) + 1;
      print("of", [...outputs.lines("${log.id}")].length, "lines");
      return n;`;
    expect(await run(code)).toEqual({
      failed: false,
      text: `{"Rome":300,"Oslo":300,"Lima":300}\nPrinted:\nof 50 lines\nRead 900 records of ${records.id}, 50 lines of ${log.id}. N ms.`,
      kept: [],
    });
  });

  it("names outputs as other tools do, by id, file name or path", async () => {
    for (const name of [records.id.toLowerCase(), records.fileName, records.filePath]) {
      expect((await run(`return [...outputs.open("${name}")].length`)).text).toMatch(/^900\n/);
    }
  });

  it("says that nothing came of it", async () => {
    expect((await run("const a = 1")).text).toBe(
      "Nothing returned or printed: end with return <value>, or print(...).\nN ms.",
    );
  });

  it("answers a foreign, a forged and an unknown id alike", async () => {
    const [one, other, forged] = await Promise.all(
      [foreign.id, foreignId(), "../../etc/passwd"].map((id) =>
        run(`return outputs.open("${id}")`),
      ),
    );
    expect(one?.failed).toBe(true);
    expect(one?.text).toContain("No stored output has this id or name. Use one of this session's");
    const sentence = (text = ""): string => text.split("\n")[0] ?? "";
    expect(sentence(other?.text)).toBe(sentence(one?.text));
    expect(sentence(forged?.text)).toBe(sentence(one?.text));
  });

  it("says where the code went wrong, and shows what was printed before", async () => {
    const { text, failed } = await run('print("so far"); return missing.city');
    expect(failed).toBe(true);
    expect(text).toBe(
      'ReferenceError: missing is not defined\nLine 1: print("so far"); return missing.city\nPrinted:\nso far\nN ms.',
    );
  });

  it("stores what is saved in the session of the call, and says what it was made from", async () => {
    const code = `
      const rows = [...outputs.open("${records.id}")];
      const id = outputs.save("Oslo only", rows.filter((r) => r.city === "Oslo"));
      return [...outputs.lines(id)].length;`;
    const { text, kept } = await run(code);
    const [saved] = kept;
    expect(kept).toHaveLength(1);
    expect(saved).toMatchObject({
      toolName: "code_tool_output",
      title: "Oslo only",
      scope: SCOPE,
      layout: "records",
      recordCount: 300,
      derivedFrom: [records.id],
      args: { code },
    });
    expect(text).toBe(
      `300\nRead 900 records of ${records.id}, 300 lines of ${saved?.id}. Saved "Oslo only" as ${saved?.id} (300 records). N ms.`,
    );
    const jq = { id: saved?.id, filter: "map(.id) | length", slurp: true };
    expect((await offloader.drillIn.jq(jq, SCOPE)).text).toMatch(/^300\n/);
    expect((await offloader.drillIn.jq(jq, scopeOf("another"))).failed).toBe(true);
    expect(await offloader.store.stat(saved?.id ?? "", SCOPE)).toEqual(saved);
  });

  it("takes code in a fence of Markdown, whose lines keep their numbers", async () => {
    expect((await run("```js\nconst a = 2\nreturn a\n```")).text).toMatch(/^2\n/);
    expect((await run("```\n1 + 1\n```\n")).text).toMatch(/^2\n/);
    expect((await run("```js\nconst a = 2\na.b.c\n```")).text).toContain("\nLine 3: a.b.c\n");
  });

  it("says that an integer beyond 2^53 was rounded, where the code has read it", async () => {
    const big = '{"n":9007199254740993,"text":"9007199254740995, "}';
    const { id } = await stored(`[${'{"n":1},'.repeat(30_000)}${big}]`);
    const told = `Integers beyond 2^53 were rounded, such as 9007199254740993 of ${id}; outputs.lines(id) has them as they are written. N ms.`;
    const sum = (open: string): string => `let n = 0; for (const r of ${open}) n += 1; return n`;
    for (const open of [`outputs.open("${id}")`, `outputs.open("${id}", ["n"])`]) {
      expect((await run(sum(open))).text).toBe(`30001\nRead 30,001 records of ${id}. ${told}`);
    }
    for (const open of [`outputs.open("${id}", ["text"])`, `outputs.lines("${id}")`]) {
      expect((await run(sum(open))).text).not.toContain("rounded");
    }
  });

  it("saves an empty list as records, for code, jq and the answer", async () => {
    const { text, kept } = await run('outputs.save("none", [].values()); return 1');
    const [none] = kept;
    expect(none).toMatchObject({ layout: "records", recordCount: 0 });
    expect(text).toContain(`Saved "none" as ${none?.id} (0 records).`);
    expect((await run(`return [...outputs.open("${none?.id}")]`)).text).toMatch(/^\[\]\n/);
    const { jq } = offloader.drillIn;
    expect((await jq({ id: none?.id, filter: "." }, SCOPE)).text).toBe("0 results.");
    expect((await jq({ id: none?.id, filter: "length", slurp: true }, SCOPE)).text).toMatch(/^0\n/);
  });

  it("saves a list of one record as a list, and one without any", async () => {
    const { kept } = await run('outputs.save("one", [{ a: 1 }]); outputs.save("none", [])');
    expect(kept.map(({ kind, recordCount }) => [kind, recordCount])).toEqual([
      ["json-array", 1],
      ["json-array", 0],
    ]);
  });

  it("stores a value that is too long, and shows its descriptor in its place", async () => {
    const { text, kept } = await run(`return outputs.open("${records.id}")`);
    const [value] = kept;
    const [lead, descriptor = "", note] = text.split("\n");
    expect(lead).toMatch(
      /^The returned value, [\d,]+ tokens, is too long for this answer and is stored:$/,
    );
    expect(JSON.parse(descriptor)).toMatchObject({
      offloaded: true,
      summary: { count: 900, title: "Value that code returned", derived_from: [records.id] },
      file_path: value?.filePath,
    });
    expect(note).toBe(`Read 900 records of ${records.id}. N ms.`);
    const read = await offloader.drillIn.read({ id: value?.id, start_record: 900 }, SCOPE);
    expect(read.text).toContain('"id":899');
  });

  it("stores printed lines that are too long, byte for byte", async () => {
    const { text, kept } = await run(
      'for (let n = 0; n < 5000; n += 1) print("line", n); return 7',
    );
    expect(text).toMatch(/^7\nWhat was printed, [\d,]+ tokens, is too long/);
    const body = await offloader.store.read(kept[0] as StoredArtifact);
    expect(Buffer.from(body).toString()).toBe(
      Array.from({ length: 5000 }, (_, n) => `line ${n}\n`).join(""),
    );
  });

  it("keeps short lines in the answer beside a long value", async () => {
    const { text } = await run(`print("short"); return outputs.open("${records.id}")`);
    expect(text).toContain("\nPrinted:\nshort\n");
  });

  it("is within its limit where a descriptor is not", async () => {
    const code = `return outputs.open("${records.id}")`;
    const small = await offloader.drillIn.code({ code }, SCOPE, undefined, {
      conversation: { tokens: 99_800, contextWindowTokens: 100_000 },
    });
    expect(small.tokens).toBeLessThanOrEqual(200);
    expect(small.text).toContain(
      `is too long for this answer and is stored as ${small.kept?.[0]?.id}.`,
    );
  });

  it("tells of the outputs that it read, of what it stored, and counts both", async () => {
    events.length = 0;
    const before = offloader.stats(SESSION);
    const code = `outputs.lines("${log.id}"); outputs.save("x", outputs.open("${records.id}").drop(1))`;
    const { kept } = await run(code);
    expect(events.map(({ type }) => type)).toEqual(["offloaded", "drilled-in"]);
    expect(events[0]).toMatchObject({ storedArtifact: { id: kept[0]?.id } });
    expect(events[1]).toMatchObject({
      tool: "code_tool_output",
      artifactId: log.id,
      otherArtifactIds: [records.id],
      scope: SCOPE,
      failed: false,
    });
    expect(offloader.stats(SESSION).outputsOffloaded).toBe(before.outputsOffloaded + 1);
  });

  it.each([
    ["x".repeat(200_000), "The code has 200000 characters; at most 32768 are allowed."],
    [undefined, "Invalid arguments: code is missing. Allowed: code."],
    [["return 1"], "Invalid arguments: code: expected string, received array. Allowed: code."],
    [" \n", 'The code is empty. Write JavaScript, such as return outputs.read("<id>").length'],
  ])("refuses what is no code", async (code, sentence) => {
    expect(await run(code)).toEqual({ failed: true, text: sentence, kept: [] });
  });

  it("bounds the outputs that one call opens and saves", async () => {
    const many = await run('for (let n = 0; ; n += 1) outputs.save("n" + n, [n])');
    expect(many.kept).toHaveLength(32);
    expect(many.text).toContain("One call saves at most 32 outputs; put more into each.");
    const opened = await run(
      'for (let n = 0; ; n += 1) { try { outputs.open("a" + n) } catch (e) { if (!e.message.startsWith("No stored")) throw e; } }',
    );
    expect(opened.text).toContain("One call opens at most 64 outputs");
  });

  it("ends with what a tool that the code called has thrown", async () => {
    const thrown = new Error("an interrupt");
    const codeTools = {
      names: ["ask"],
      repeatable: { seed: 1, nowMs: 0 },
      saves: {
        before: () => undefined,
        add: async () => {},
        otherWay: () => {
          throw thrown;
        },
      },
      call: () => Promise.reject(thrown),
    };
    const call = offloader.drillIn.code(
      { code: "try { await tools.ask({}) } catch (e) {}" },
      SCOPE,
      undefined,
      { codeTools },
    );
    await expect(call).rejects.toBe(thrown);
  });
});

describe("code over a store that fails", () => {
  /** A store that holds one output, and does so with all that comes later. */
  async function failing(
    operation: "read" | "put",
    fail: () => Promise<never>,
  ): Promise<{ readonly own: Offloader; readonly id: string }> {
    const store = memoryStore();
    let isFailing = false;
    const own = createOffloader({
      store: {
        ...store,
        [operation]: (...given: never[]) =>
          isFailing ? fail() : Reflect.apply(store[operation], store, given),
      },
      drillIn: { code: codeEngine(), maxOutputTokens: 300, timeoutMs: 200 },
    });
    const { storedArtifact } = await own.put(RECORDS, { sessionId: SESSION, toolName: "search" });
    isFailing = true;
    return { own, id: storedArtifact.id };
  }
  const never = (): Promise<never> => new Promise(() => undefined);

  it("ends when the store hands nothing over, at the limit and when it is aborted", async () => {
    const { own, id } = await failing("read", never);
    const code = `return [...outputs.open("${id}")].length`;
    const { text } = await own.drillIn.code({ code }, SCOPE);
    expect(text).toContain("with less to wait for");
    const run = own.drillIn.code({ code }, SCOPE, AbortSignal.timeout(20));
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
    await own.close();
  });

  it("ends when the store takes nothing, at the limit and when it is aborted", async () => {
    const { own } = await failing("put", never);
    const code = 'return "x y z ".repeat(400)';
    const { text } = await own.drillIn.code({ code }, SCOPE);
    expect(text).toContain("could not be stored: The store did not answer in time.");
    const run = own.drillIn.code({ code }, SCOPE, AbortSignal.timeout(100));
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("keeps the store's own words to itself", async () => {
    const { own } = await failing("put", () => Promise.reject(new Error("EACCES: /srv/data")));
    const { text } = await own.drillIn.code({ code: 'outputs.save("a", [1])' }, SCOPE);
    expect(text).toMatch(/^The store did not take it\. Try once more/);
    expect(text).not.toContain("EACCES");
    await own.close();
  });
});
