import type { createOffloader } from "../src/core/pipeline/create-offloader.js";
import { sessionKeyOf } from "../src/core/store/naming.js";
import type { fileStore } from "../src/core/store/file/index.js";
import type { extract } from "../src/presets/lro/extract.js";
import { atMost, type BenchRow, BUILT, inFolder, longestDelay, row, textOf } from "./harness.js";

type Core = { createOffloader: typeof createOffloader; fileStore: typeof fileStore };
type Presets = { extract: typeof extract };
type Offloader = ReturnType<typeof createOffloader>;

const GOAL_MS = 20;
const LARGE_BYTES = 100_000_000;
const LENGTHS = [16_000, 100_000, 1_000_000];
const PIECES = ["a", ".a ", '"', "(", "\\", " "];

/** How late timers of this process are at most while it lays out large outputs and answers hostile drill-ins. */
export async function benchEventLoop(): Promise<BenchRow[]> {
  const core: Core = await import(`${BUILT}core.js`);
  const presets: Presets = await import(`${BUILT}presets/index.js`);
  return await inFolder(async (directory) => {
    const store = core.fileStore({ directory });
    const offloader = core.createOffloader({ store, plugins: [presets.extract()] });
    // What is loaded and compiled once is past.
    for (const make of Object.values(LARGE)) await offload(offloader, make(3_000_000));
    const rows: BenchRow[] = [];
    for (const [kind, make] of Object.entries(LARGE)) {
      const value = make(LARGE_BYTES);
      const delay = await longestDelay(() => offload(offloader, value));
      rows.push(rowOf(`laying out 100 MB of ${kind}`, delay));
    }
    const parallel = Array.from({ length: 1_000 }, (_, n) => LARGE["records"]?.(100_000 + 500 * n));
    const atOnce = (): Promise<unknown> =>
      Promise.all(parallel.map((value = "") => offload(offloader, value)));
    rows.push(rowOf("1,000 outputs of 100 to 600 kB at once", await longestDelay(atOnce)));
    rows.push(rowOf("drill-ins with hostile arguments", await hostile(offloader)));
    await offloader.close();
    return rows;
  });
}

const LARGE: Readonly<Record<string, (bytes: number) => string>> = {
  records: (bytes) => flat(`[${textOf(bytes, ",", recordAt)}]`),
  "a log": (bytes) =>
    textOf(bytes, "\n", (n) => `2026-01-02T03:04:05Z INFO request ${n} took ${n % 977} ms`),
  CSV: (bytes) =>
    flat(`id,name,note\n${textOf(bytes, "\n", (n) => `${n},name ${n},"some text, ${n}"`)}`),
};

function recordAt(n: number): string {
  return JSON.stringify({
    id: n,
    namespace: `team/${n % 20}`,
    score: n / 7,
    content: "Words of a memory. ".repeat(20),
  });
}

/** One piece: putting a text together that was made of parts is the cost of who made it. */
function flat(text: string): string {
  return Buffer.from(text).toString("latin1");
}

async function offload(offloader: Offloader, value: string): Promise<string> {
  const result = await offloader.offload({ toolName: "export", value, sessionId: "bench" });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  return result.storedArtifact.id;
}

async function hostile(offloader: Offloader): Promise<number> {
  const id = await offload(offloader, LARGE["records"]?.(1_000_000) ?? "");
  const sessionKey = sessionKeyOf("bench");
  const { drillIn } = offloader;
  await drillIn.run("jq", { id, filter: ".missing" }, { sessionKey });
  await drillIn.run("grep", { id, pattern: "(?=a)" }, { sessionKey });
  return await longestDelay(async () => {
    for (const length of LENGTHS) {
      for (const piece of PIECES) {
        const text = piece.repeat(Math.ceil(length / piece.length));
        await drillIn.run("jq", { id, filter: text }, { sessionKey });
        await drillIn.run("jq", { id, filter: ".", args: { a: text } }, { sessionKey });
        await drillIn.run("grep", { id, pattern: text }, { sessionKey });
        await drillIn.run("read", { id: text }, { sessionKey });
        await drillIn.run("extract", { file_path: id, query: text }, { sessionKey });
      }
    }
  });
}

function rowOf(what: string, delayMs: number): BenchRow {
  return row({
    group: "event loop",
    name: `event loop's longest delay: ${what}`,
    ours: `${delayMs.toFixed(1)} ms`,
    ...atMost(delayMs, GOAL_MS, "ms"),
  });
}
