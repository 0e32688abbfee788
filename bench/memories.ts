import type * as core from "../src/core.js";
import { createMeasure } from "../src/core/measure/measure.js";
import type { DetailLevel } from "../src/core/types/artifact.js";
import type * as presets from "../src/presets/index.js";
import { CORPUS_NAMESPACES, CORPUS_SIZES, memoryCorpus } from "./corpus.js";
import { type BenchRow, BUILT, inFolder } from "./harness.js";

const DETAILS: readonly DetailLevel[] = ["light", "medium", "full"];
/** From this number of memories on the LRO specification reports savings of 40 to 62 %. */
const REPORTED_FROM = 200;
const REPORTED_LEAST = 0.4;
/** Calls of the model that read the set when it is inline, and the descriptor when it is not. */
const READING_CALLS = 2;
/** Memories on a page of the specification's inline arm. */
const PAGE_SIZE = 5;

/**
 * Descriptor sizes and token savings on the corpus of the LRO specification's evaluation, without a
 * model: the task is to count the memories of one namespace with a confidence of 0.7 or more.
 */
export async function benchMemories(): Promise<BenchRow[]> {
  // The workers of jq are plain JavaScript, so the built package runs.
  const built: Core = await import(`${BUILT}core.js`);
  const { extract }: Presets = await import(`${BUILT}presets/index.js`);
  const plugins = [extract()];
  const rows: BenchRow[] = [];
  for (const count of CORPUS_SIZES) {
    for (const detail of DETAILS) rows.push(...(await benchSet(built, plugins, count, detail)));
  }
  return rows;
}

type Core = typeof core;
type Presets = typeof presets;

async function benchSet(
  { createOffloader, fileStore }: Core,
  plugins: NonNullable<core.OffloadOptions["plugins"]>,
  count: number,
  detail: DetailLevel,
): Promise<BenchRow[]> {
  return await inFolder(async (directory) => {
    const offloader = createOffloader({ store: fileStore({ directory }), plugins });
    const memories = memoryCorpus(count, detail);
    const text = JSON.stringify(memories);
    const sessionId = "bench";
    const result = await offloader.offload({
      toolName: "recall_memories",
      value: text,
      args: { detail },
      sessionId,
    });
    if (result.outcome !== "offloaded") throw new Error(`${count} memories stayed inline.`);
    const { storedArtifact, descriptor } = result;
    const answer = await offloader.drillIn.run(
      "extract",
      { file_path: storedArtifact.filePath, query: taskFilter(detail) },
      { sessionKey: storedArtifact.sessionKey },
    );
    if (answer.failed) throw new Error(answer.text);
    await offloader.close();
    const measure = createMeasure();
    const inlineTokens = (await measure.count(text)).tokens;
    // Inline, the answer to the tool call is read once more when the model goes on; so is the descriptor.
    const offloadedCalls = READING_CALLS * descriptor.tokens + answer.tokens;
    const saved = 1 - offloadedCalls / (READING_CALLS * inlineTokens);
    const name = `${count} memories, ${detail}`;
    const reported = count >= REPORTED_FROM;
    return [
      {
        group: "memories",
        name: `descriptor of ${name}`,
        ours: `${descriptor.tokens} tokens (${descriptor.form})`,
        other: `${inlineTokens} tokens inline, ${(inlineTokens / count).toFixed(0)} a memory`,
        ratio: `${(inlineTokens / descriptor.tokens).toFixed(1)}x`,
        goal: "at most 1,300 tokens and 80 % of the set",
        met: descriptor.tokens <= Math.min(1_300, 0.8 * inlineTokens),
      },
      {
        group: "memories",
        name: `one filter task over ${name}`,
        ours: `${offloadedCalls} tokens, ${percent(saved)} saved`,
        other: `${READING_CALLS * inlineTokens} inline at once; ${await pagedTokens(memories)} in pages of ${PAGE_SIZE}`,
        ratio: `${((READING_CALLS * inlineTokens) / offloadedCalls).toFixed(1)}x`,
        goal: reported ? "the specification reports 40 to 62 % saved at n >= 200" : "-",
        met: reported ? saved >= REPORTED_LEAST : null,
      },
    ];
  });
}

function taskFilter(detail: DetailLevel): string {
  const inNamespace = `.namespace == "${CORPUS_NAMESPACES[0]}"`;
  if (detail === "light") return `select(${inNamespace}) | .id`;
  const confidence = detail === "full" ? ".provenance.confidence" : ".confidence";
  return `select(${inNamespace} and ${confidence} >= 0.7) | .id`;
}

/** Input tokens of all calls when the set comes in pages and each call reads the pages before it. */
async function pagedTokens(memories: readonly unknown[]): Promise<number> {
  const measure = createMeasure();
  let held = 0;
  let total = 0;
  for (let start = 0; start < memories.length; start += PAGE_SIZE) {
    const page = JSON.stringify(memories.slice(start, start + PAGE_SIZE));
    held += (await measure.count(page)).tokens;
    total += held;
  }
  return total;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
