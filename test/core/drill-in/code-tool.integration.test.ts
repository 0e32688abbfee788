import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { code } from "../../../src/plugins/code/code.js";
import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { CALL, inSession, SESSION_KEY } from "./in-session.js";
import { offerTools } from "../../../src/plugins/code/request.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";

const folder = mkdtempSync(join(tmpdir(), "code-tool-"));
const CITIES = ["Rome", "Oslo", "Lima"];
const RECORDS = Array.from({ length: 900 }, (_, id) => ({ id, city: CITIES[id % 3], day: id % 7 }));
let offloader: Offloader;
let records: StoredArtifact;

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
  records = await inSession(offloader).put(RECORDS);
});
afterAll(async () => {
  await offloader.close();
  rmSync(folder, { recursive: true });
});

describe("code_tool_output", () => {
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

it("code over a store that hands nothing over ends at the limit, and when it is aborted", async () => {
  const store = memoryStore();
  const own = createOffloader({ store, plugins: [code()], drillIn: { timeoutMs: 200 } });
  const { id } = await inSession(own).put(RECORDS);
  vi.spyOn(store, "read").mockImplementation(() => new Promise(() => undefined));
  const args = { code: `return [...outputs.open("${id}")].length` };
  expect(await inSession(own).ask("code", args)).toContain("stopped after 0.2 s");
  const run = own.drillIn.run("code", args, { ...CALL, signal: AbortSignal.timeout(20) });
  await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
  await own.close();
});
