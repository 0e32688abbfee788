import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/offload/create-offloader.js";
import { metaCc } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/store/memory.js";
import type { OffloadResult } from "../../../src/types/result.js";
import { NOW_MS, walk } from "../preset-walk.js";

const records = Array.from({ length: 1500 }, (_, at) => ({
  tool: `tool-${at % 40}`,
  status: at % 10 < 3 ? "error" : "success",
  timestamp: new Date(NOW_MS + at * 1000).toISOString(),
  ...(at % 10 < 3 ? { error: `failed ${at}` } : {}),
}));
const output = JSON.stringify(records);
const preset = metaCc({ environment: {} });
const letters = (bytes: number): string => JSON.stringify("x".repeat(bytes - 2));

describe("metaCc preset", () => {
  it("gives the file reference of the seed, with counts from the data", async () => {
    const { text, fileName, body } = await walk(preset, output);
    expect(JSON.parse(text)).toEqual({
      mode: "file_ref",
      file_ref: {
        path: fileName,
        size_bytes: Buffer.byteLength(body),
        line_count: 1500,
        fields: ["tool", "status", "timestamp", "error"],
        summary: { total_records: 1500, error_count: 450, success_count: 1050 },
      },
      guidance: expect.stringContaining("Analyze summary first"),
    });
  });

  it("stores one JSON object a line and nothing else", async () => {
    const { body, fileName, id } = await walk(preset, output);
    expect(body).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    expect(fileName).toBe(`meta-cc-mcp-${NOW_MS / 1000}-${id}.jsonl`);
  });

  it("keeps a document with more than its records whole", async () => {
    const around = JSON.stringify({ total: 1500, data: records });
    const { body, fileName } = await walk(preset, around);
    expect(body).toBe(around);
    expect(fileName.endsWith(".json")).toBe(true);
  });

  it("wraps up to 8,192 bytes inline", async () => {
    const inline = await walk(preset, letters(8192));
    expect(inline.result.outcome).toBe("inline");
    expect(inline.text).toBe(`{"mode":"inline","data":${letters(8192)}}`);
    expect((await walk(preset, letters(8193))).result.outcome).toBe("offloaded");
  });

  it("wraps JSON as it came and other text as a string", async () => {
    const data = ' [{"id": 9007199254740993, "rate": 1e400}]\n';
    expect((await walk(preset, data)).text).toBe(
      '{"mode":"inline","data":[{"id": 9007199254740993, "rate": 1e400}]}',
    );
    expect(JSON.parse((await walk(preset, 'say "hi"')).text)).toEqual({
      mode: "inline",
      data: 'say "hi"',
    });
  });

  it("takes a call's own threshold, and so any output inline", async () => {
    const outcome = async (bytes: number, limit: number): Promise<string> =>
      (await walk(preset, letters(bytes), { args: { inline_threshold_bytes: limit } })).result
        .outcome;
    expect(await outcome(16_384, 16_384)).toBe("inline");
    expect(await outcome(16_385, 16_384)).toBe("offloaded");
    expect(await outcome(5000, 4999)).toBe("offloaded");
    expect(await outcome(500_000, Number.MAX_SAFE_INTEGER)).toBe("inline");
  });

  it("takes the threshold of the environment, below an option's", async () => {
    const environment = { META_CC_INLINE_THRESHOLD: "10000" };
    const outcome = async (given: Parameters<typeof metaCc>[0], bytes: number): Promise<string> =>
      (await walk(metaCc(given), letters(bytes))).result.outcome;
    expect(await outcome({ environment }, 10_000)).toBe("inline");
    expect(await outcome({ environment }, 10_001)).toBe("offloaded");
    expect(await outcome({ environment, inlineThresholdBytes: 9000 }, 9001)).toBe("offloaded");
    expect(await outcome({ environment: { META_CC_INLINE_THRESHOLD: "8KB" } }, 8193)).toBe(
      "offloaded",
    );
  });

  it("keeps files for 7 days, returns inline what it cannot store and has a cleanup tool", () => {
    expect(preset.retention).toEqual({ ttlMs: 604_800_000 });
    expect(preset.decide?.onStoreFailure).toBe("inline");
    const tools = (preset.drillIn !== false && preset.drillIn?.tools) || [];
    expect(tools.map(({ name, call }) => [name, call({})])).toEqual([
      ["cleanup_temp_files", { tool: "cleanup", args: {} }],
    ]);
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
