import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { code } from "../../../src/plugins/code/code.js";
import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { CALL, inSession, SESSION, SESSION_KEY } from "./in-session.js";
import { offerTools } from "../../../src/plugins/code/request.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";

const folder = mkdtempSync(join(tmpdir(), "code-tool-"));
const CITIES = ["Rome", "Oslo", "Lima"];
const RECORDS = Array.from({ length: 900 }, (_, id) => ({ id, city: CITIES[id % 3], day: id % 7 }));
let offloader: Offloader;
let records: StoredArtifact;
let log: StoredArtifact;

async function run(code: unknown): Promise<{
  readonly text: string;
  readonly failed: boolean;
  readonly kept: readonly StoredArtifact[];
}> {
  const { text, failed, kept = [] } = await inSession(offloader).run("code", { code });
  return { text, failed, kept };
}

beforeAll(async () => {
  offloader = createOffloader({
    store: fileStore({ directory: folder }),
    plugins: [code()],
    drillIn: { maxAnswerTokens: 900 },
  });
  const { put } = inSession(offloader);
  records = await put(RECORDS);
  log = await put(Array.from({ length: 50 }, (_, n) => `line ${n}`).join("\n"));
});
afterAll(async () => {
  await offloader.close();
  rmSync(folder, { recursive: true });
});

describe("code_tool_output", () => {
  it("shows the value and the printed lines", async () => {
    const code = `
      const n = {};
      for (const r of outputs.open("${records.id}")) n[r.city] = (n[r.city] ?? 0) + 1;
      print("of", [...outputs.lines("${log.id}")].length, "lines");
      return n;`;
    expect(await run(code)).toEqual({
      failed: false,
      text: `{"Rome":300,"Oslo":300,"Lima":300}\nPrinted:\nof 50 lines`,
      kept: [],
    });
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
      sessionKey: SESSION_KEY,
      layout: "records",
      recordCount: 300,
      derivedFrom: [records.id],
      args: { code },
    });
    expect(text).toBe(`300\nSaved "Oslo only" as ${saved?.id}.`);
    const jq = { id: saved?.id, filter: "map(.id) | length", slurp: true };
    expect(await inSession(offloader).ask("jq", jq)).toMatch(/^300\n/);
    const other = { sessionKey: sessionKeyOf("another") };
    expect(await offloader.drillIn.run("jq", jq, other)).toMatchObject({ failed: true });
    expect(await offloader.store.stat(saved?.id ?? "", SESSION_KEY)).toEqual(saved);
  });

  it("stores a value that is too long, and shows its descriptor in its place", async () => {
    const { text, kept } = await run(`return outputs.open("${records.id}")`);
    const [value] = kept;
    const [lead, descriptor = ""] = text.split("\n");
    expect(lead).toMatch(
      /^Too long for this answer and stored as \w{26}: the returned value, [\d,]+ tokens\.$/,
    );
    expect(JSON.parse(descriptor)).toMatchObject({
      offloaded: true,
      summary: { count: 900, title: "Value that code returned" },
      file_path: value?.filePath,
    });
    const read = { id: value?.id, start_line: 901 };
    expect(await inSession(offloader).ask("read", read)).toContain('"id":899');
  });

  it("bounds the outputs that one call opens and saves", async () => {
    const many = await run('for (let n = 0; ; n += 1) outputs.save("n" + n, [n])');
    expect(many.kept).toHaveLength(32);
    expect(many.text).toContain("One call saves at most 32 outputs; put more into each.");
    const opened = await run(
      'for (let n = 0; ; n += 1) { try { outputs.open("a" + n) } catch (e) { if (!e.message.startsWith("No stored")) throw e; } }',
    );
    expect(opened.text).toContain("One call opens at most 256 outputs");
  });

  it("counts no large results of tools as outputs that the code opens", async () => {
    const { put } = inSession(offloader);
    const results = await Promise.all(Array.from({ length: 66 }, (_, n) => put([n])));
    const state = new Map<string, unknown>();
    offerTools(state, {
      names: ["list"],
      call: async () => ({ storedId: results.pop()?.id ?? "" }),
    });
    const code = "let n = 0; while (n < 66) for (const row of await tools.list()) n += 1; return n";
    const { text } = await offloader.drillIn.run("code", { code }, { ...CALL, state });
    expect(text).toBe("66");
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
      plugins: [code()],
      drillIn: { maxAnswerTokens: 300, timeoutMs: 200 },
    });
    const { storedArtifact } = await own.put(RECORDS, { sessionId: SESSION, toolName: "search" });
    isFailing = true;
    return { own, id: storedArtifact.id };
  }
  const never = (): Promise<never> => new Promise(() => undefined);

  it("ends when the store hands nothing over, at the limit and when it is aborted", async () => {
    const { own, id } = await failing("read", never);
    const code = `return [...outputs.open("${id}")].length`;
    expect(await inSession(own).ask("code", { code })).toContain("stopped after 0.2 s");
    const signal = AbortSignal.timeout(20);
    const run = own.drillIn.run("code", { code }, { ...CALL, signal });
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
    await own.close();
  });

  it("ends when the store takes nothing, at the limit", async () => {
    const { own } = await failing("put", never);
    const code = 'return "x y z ".repeat(400)';
    const text = await inSession(own).ask("code", { code });
    expect(text).toContain("could not be stored: The store did not answer in time.");
  });
});
