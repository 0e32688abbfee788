import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

import { MemorySaver } from "@langchain/langgraph";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createAgent } from "langchain";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import { spansTo } from "../../plugins/opentelemetry/spans-to.js";
import type { Offloader } from "../../../src/core/pipeline/create-offloader.js";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { toolNamed } from "../../adapters/agents.js";
import { artifactsOf } from "../../adapters/large-outputs.js";
import { openableStores } from "../../core/store/opened-stores.js";
import { newDirectory } from "../../after-file.js";
import { openedOffloaders } from "../../opened-offloaders.js";

/** Stands in every output, and in arguments, titles and field names, which come of the data. */
const SECRET = "zebra-7431-quartz";
const SESSION = "a private thread";
const SESSION_KEY = sessionKeyOf(SESSION);
const isLinux = process.platform === "linux";

const keys = { current: { id: "test", key: randomBytes(32) } };
const folder = newDirectory();
const systemTemporary = process.env["TMPDIR"];
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
// What is made where nothing is said goes here, and is looked at too.
beforeAll(() => {
  process.env["TMPDIR"] = folder;
});

// The spans of an end too: what is opened is closed before.
afterEach(() => exporter.reset());
const opened = openedOffloaders();
afterAll(() => {
  if (systemTemporary === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = systemTemporary;
});

/** What a tool of the model answers. */
const ask = (offloader: Offloader, tool: string, args: object) =>
  offloader.drillIn.run(tool, args, { sessionKey: SESSION_KEY });

/** Every byte below the folder, names included. */
function onDisk(): Buffer {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Buffer.concat(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile()
        ? Buffer.concat([Buffer.from(path), readFileSync(path)])
        : Buffer.from(path);
    }),
  );
}

/** What this process has open of files in the folder, also of those whose names are gone. */
function openedFiles(): Buffer {
  if (!isLinux) return Buffer.alloc(0);
  return Buffer.concat(
    readdirSync("/proc/self/fd").map((fd) => {
      try {
        const path = `/proc/self/fd/${fd}`;
        return readlinkSync(path).startsWith(folder) ? readFileSync(path) : Buffer.alloc(0);
      } catch {
        return Buffer.alloc(0);
      }
    }),
  );
}

const media = (await openableStores()).filter(([name]) => name !== "memory");

// What each of the others keeps is tested below.
const [[, , openFiles] = expect.fail()] = media.filter(([name]) => name === "files");
storeContract(
  "encrypted files",
  async (clock) => {
    const { store, ...medium } = await openFiles();
    return { ...medium, store: encrypted(store(clock), keys), cleanup: async () => undefined };
  },
  { describe, it, expect },
);

const records = Array.from({ length: 600 }, (_, id) => ({
  id,
  [`field ${SECRET}`]: `${SECRET} ${id}`,
  city: id % 2 ? "Oslo" : "Rome",
}));
const lines = records.map(({ id }) => `${id},${SECRET},some words of a line`);

async function* parts(of: readonly string[], times: number): AsyncGenerator<string> {
  for (let time = 0; time < times; time += 1) yield of.join("\n") + "\n";
}

const outputs: readonly (readonly [string, () => unknown])[] = [
  ["records", () => JSON.stringify(records)],
  ["sets", () => JSON.stringify({ one: records, two: records })],
  ["document", () => JSON.stringify({ [SECRET]: { deep: lines.join(" ") } })],
  ["csv", () => `id,secret,words\n${lines.join("\n")}`],
  ["text", () => lines.map((line) => `It says ${line}`).join("\n")],
  ["a stream of text", () => parts(lines, 80)],
  [
    "a stream of lines of JSON",
    () =>
      parts(
        records.map((record) => JSON.stringify(record)),
        30,
      ),
  ],
];

describe.each(media)("an encrypted store on %s", (name, available, openMedium) => {
  // Below the encryption, which media have in common, a short output and a long one tell them apart.
  const stored = name === "files" ? outputs : [outputs[0]!, outputs.at(-1)!];

  it.skipIf(!available)(
    "keeps no plain byte of any output, its arguments, title and fields, while and after it is read",
    async () => {
      const medium = await openMedium();
      const below = medium.store();
      const openWhileStoring: boolean[] = [];
      const watched: ArtifactStore = {
        ...below,
        async put(artifact, body) {
          openWhileStoring.push(openedFiles().includes(SECRET));
          return await below.put(artifact, body);
        },
      };
      const { offloader } = opened({
        store: encrypted(watched, keys),
        temporaryDirectory: join(folder, "spool"),
        drillIn: { timeoutMs: 25_000 },
        plugins: [spansTo(provider)],
      });
      const args = { query: SECRET, title: `All of ${SECRET}` };
      for (const [toolName, value] of stored) {
        const output = { toolName, value: value(), sessionId: SESSION, args };
        const result = await offloader.offload(output);
        if (result.outcome !== "offloaded") throw new Error(`${toolName} is ${result.outcome}`);
        const { id, filePath, bodySha256 } = result.storedArtifact;
        expect([filePath, bodySha256]).toEqual([undefined, undefined]);
        const found = await ask(offloader, "grep", { id, pattern: SECRET, max_results: 3 });
        expect([toolName, found.text.includes(SECRET)]).toEqual([toolName, true]);
        const read = await ask(offloader, "read", { id, start_line: 1, end_line: 5 });
        const asked = await ask(offloader, "jq", { id, filter: "[.. | strings] | length" });
        expect([toolName, read.failed, asked.failed]).toEqual([toolName, false, false]);
      }
      expect(openWhileStoring).toEqual(stored.map(() => false));
      for (const bytes of [onDisk(), openedFiles(), await medium.bytes()]) {
        expect(bytes.includes(SECRET)).toBe(false);
      }
      expect((await medium.bytes()).length).toBeGreaterThan(100_000);
      const spans = exporter.getFinishedSpans();
      const told = spans.map(({ name, attributes, events }) => [name, attributes, events]);
      expect(told.length).toBeGreaterThan(stored.length);
      expect(JSON.stringify(told)).not.toContain(SECRET);
    },
    60_000,
  );
});

it("an agent with an encrypted store has in its checkpoints and events what the model was shown, and nothing of the rest", async () => {
  const hidden = records.map(({ id }) => ({ id, note: id === 300 ? SECRET : `note ${id}` }));
  const checkpointer = new MemorySaver();
  const { offloader, events } = opened({
    store: encrypted(fileStore({ directory: join(folder, "agent") }), keys),
  });
  const agent = createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: "list_notes", args: {} }] },
      (messages) => {
        const args = { id: artifactsOf(messages)[0]?.id, filter: ".note | length" };
        return { toolCalls: [{ name: "jq_tool_output", args }] };
      },
    ]),
    tools: [toolNamed("list_notes", () => JSON.stringify(hidden))],
    middleware: [offloadMiddleware({ offloader })],
    checkpointer,
  });
  const thread = { configurable: { thread_id: "private" } };
  const { messages } = await agent.invoke({ messages: "Which notes?" }, thread);
  expect(artifactsOf(messages)).toHaveLength(1);
  const kept = JSON.stringify([checkpointer.storage, checkpointer.writes], (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
  expect(kept).toContain("list_notes");
  expect(kept).not.toContain(SECRET);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(onDisk().includes(SECRET)).toBe(false);
});

describe("SQL over encrypted outputs", () => {
  it.runIf(isLinux)("has its files in memory, and makes none on the disk", async () => {
    const { offloader } = opened({
      store: encrypted(fileStore({ directory: join(folder, "sql") }), keys),
      drillIn: { sql: {}, timeoutMs: 25_000 },
    });
    const { storedArtifact } = await offloader.put(JSON.stringify(records), { sessionId: SESSION });
    const { storedArtifact: csv } = await offloader.put(`id,a,b\n${lines.join("\n")}`, {
      sessionId: SESSION,
    });
    process.env["TMPDIR"] = join(folder, "none");
    try {
      const query = "SELECT count(*) AS n FROM output JOIN csv USING (id)";
      const args = { id: storedArtifact.id, query, with: { csv: csv.id } };
      expect((await ask(offloader, "sql", args)).text).toContain("600");
    } finally {
      process.env["TMPDIR"] = folder;
    }
    expect(onDisk().includes(SECRET)).toBe(false);
  });

  it("is refused above the limit of memory, as grep and jq are, while parts are still read", async () => {
    const { offloader } = opened({
      store: encrypted(fileStore({ directory: join(folder, "limit") }), {
        ...keys,
        maxMemoryBytes: 10_000,
      }),
      drillIn: { sql: {}, timeoutMs: 25_000 },
    });
    const { storedArtifact } = await offloader.put(JSON.stringify(records), { sessionId: SESSION });
    const { id } = storedArtifact;
    for (const [tool, args] of [
      ["sql", { query: "SELECT 1" }],
      ["jq", { filter: "." }],
      ["grep", { pattern: "Rome" }],
    ] as const) {
      const answer = await ask(offloader, tool, { id, ...args });
      expect(answer.failed).toBe(true);
      expect(answer.text).toContain("is encrypted, and is held in memory only up to 10,000 bytes");
    }
    const read = await ask(offloader, "read", { id, start_record: 300, end_record: 301 });
    expect(read.text).toContain(`${SECRET} 300`);
  });
});
