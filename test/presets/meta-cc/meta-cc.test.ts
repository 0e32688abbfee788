import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { metaCc } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import { NOW_MS, offloadWith } from "../offload-with.js";

const records = Array.from({ length: 1500 }, (_, at) => ({
  tool: `tool-${at % 40}`,
  status: at % 10 < 3 ? "error" : "success",
  timestamp: new Date(NOW_MS + at * 1000).toISOString(),
  ...(at % 10 < 3 ? { error: `failed ${at}` } : {}),
}));
const output = JSON.stringify(records);
const preset = { preset: metaCc() };

describe("metaCc preset", () => {
  it("keeps a document with more than its records whole", async () => {
    const around = JSON.stringify({ total: 1500, data: records });
    const { body, fileName } = await offloadWith(preset, around);
    expect(body).toBe(around);
    expect(fileName.endsWith(".json")).toBe(true);
  });

  it("says that fields are of a sample, which lacks those of few records", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({
      id,
      text: "words ".repeat(12),
      ...(id === 29_998 && { rare: 1 }),
    }));
    const { text } = await offloadWith(preset, JSON.stringify(rows));
    expect(text).toContain('"fields":["id","text"],"fields_are":"of a sample"');
    expect((await offloadWith(preset, output)).text).not.toContain("fields_are");
  });

  it("wraps JSON as it came and other text as a string", async () => {
    for (const [value, data] of [
      [' [{"id": 9007199254740993, "rate": 1e400}]\n', '[{"id": 9007199254740993, "rate": 1e400}]'],
      ['say "hi"', String.raw`"say \"hi\""`],
    ] as const)
      expect((await offloadWith(preset, value)).text).toBe(`{"mode":"inline","data":${data}}`);
  });

  it("returns inline what it cannot store, cut only where it would not fit, and says so", async () => {
    const put = async (): Promise<never> => Promise.reject(new Error("disk full"));
    const offloader = createOffloader({ ...preset, store: { ...memoryStore(), put } });
    const given = async (contextWindowTokens: number, tokens: number): Promise<OffloadResult> =>
      await offloader.offload({
        toolName: "query",
        value: output,
        sessionId: "s",
        conversation: { contextWindowTokens, tokens },
      });
    const whole = { outcome: "inline", text: `{"mode":"inline","data":${output}}` };
    expect(await given(100_000, 10_000)).toMatchObject(whole);
    for (const [windowTokens, tokens] of [
      [10_000, 0],
      [100_000, 85_000],
    ] as const) {
      const cut = await given(windowTokens, tokens);
      expect(cut.outcome).toBe("truncated");
      expect(cut.text?.slice(0, 300)).toContain(`"total_count":1500`);
      expect(cut.text?.length).toBeLessThan(output.length / 2);
      expect(cut.text).toContain('"tool":"tool-0"');
    }
    await offloader.close();
  });
});
