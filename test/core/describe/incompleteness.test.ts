import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { atlatl } from "../../../src/presets/atlatl/atlatl.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { memoryCorpus } from "../../../bench/corpus.js";
import { temporaryDirectories } from "../store/temporary-directory.js";

const makeDirectory = temporaryDirectories();

const PART = { complete: false, note: "One part only.", pages: 3 };

async function summaryOf(
  value: object,
  options: Parameters<typeof createOffloader>[0],
): Promise<{ readonly form: string; readonly summary: Readonly<Record<string, unknown>> }> {
  const offloader = createOffloader({ store: memoryStore(), ...options });
  const output = { toolName: "recall_memories", value: JSON.stringify(value), sessionId: "s" };
  const result = await offloader.offload(output);
  await offloader.close();
  if (result.outcome !== "offloaded") throw new Error("not offloaded");
  return { form: result.descriptor.form, summary: JSON.parse(result.text).summary };
}

describe("a set that says that it is not complete", () => {
  const records = memoryCorpus(200, "light");

  it("is said to be a part in every form, of both revisions", async () => {
    const part = { ...PART, records };
    const full = await summaryOf(part, {});
    expect(full).toMatchObject({ form: "full", summary: { count: 200, complete: false } });
    const bare = await summaryOf(part, { describe: { form: "bare" } });
    expect(bare).toMatchObject({ form: "bare", summary: { count: 200, complete: false } });
    const store = fileStore({ directory: await makeDirectory() });
    const older = await summaryOf(part, { preset: atlatl(), store });
    expect(older).toMatchObject({ form: "full", summary: { complete: false } });
    const generic = await summaryOf(part, { describe: { form: "generic" } });
    expect(generic.summary).toMatchObject({ complete: false });
  });
});
