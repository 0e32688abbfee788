import { describe, expect, it } from "vitest";
import { artifactTools } from "../../../src/design.js";
import { vectara } from "../../../src/presets/index.js";
import { NOW_MS, walk } from "../preset-walk.js";

const rows = Array.from({ length: 500 }, (_, id) => ({
  id,
  name: `customer ${id}`,
  city: "Oslo",
  score: id / 500,
  active: id % 2 === 0,
  note: "",
}));
const output = JSON.stringify({ rows, next_cursor: "abc" });
const preset = vectara({ onWarning: () => {} });
const ONLY_SHAPES = { grep: false, jq: false, extract: false } as const;
const HOW_TO_ACCESS = {
  artifact_read: "Read full content or a line range (start_line/end_line)",
  artifact_grep: "Search for patterns with grep",
  artifact_jq: "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'",
};

describe("vectara preset", () => {
  it("gives the envelope of the seed: id, size, lines, shape and how to access", async () => {
    const { result, text, id } = await walk(preset, output, { contextWindowTokens: 8000 });
    expect(result.outcome).toBe("offloaded");
    expect(JSON.parse(text)).toEqual({
      artifact_id: `art_tool_output_${id}`,
      size_bytes: Buffer.byteLength(output),
      line_count: 1,
      complete: false,
      next_page: { tool: "search", cursor_at: "next_cursor", cursor: "abc" },
      shape: { rows: "array(500) of object(6 keys)", next_cursor: "string" },
      how_to_access: HOW_TO_ACCESS,
    });
    expect(Object.keys(JSON.parse(text))).toEqual([
      "artifact_id",
      "size_bytes",
      "line_count",
      "complete",
      "next_page",
      "shape",
      "how_to_access",
    ]);
  });

  it("stores the output as it came, under an id that its tools take", async () => {
    const walked = await walk(preset, output, { contextWindowTokens: 8000 });
    expect(walked.body).toBe(output);
    expect(walked.fileName).toBe(`art_tool_output_${walked.id}.json`);
    const artifactId: string = JSON.parse(walked.text).artifact_id;
    const call = { artifact_id: artifactId, filter: ".rows[499].name" };
    expect(await walked.call("artifact_jq", call)).toContain('"customer 499"');
    expect(
      await walked.call("artifact_grep", { artifact_id: artifactId, pattern: "customer 7" }),
    ).toContain("1 matching line");
    const answer = await walked.call("artifact_read", { artifact_id: artifactId, start_line: 1 });
    expect(answer).toContain('{"rows":[{"id":0,');
    expect(answer).toContain(`Next call: artifact_read {"artifact_id":"${artifactId}",`);
  });

  it("lists only the artifact tools that the agent has", async () => {
    const drillIn = { ...preset.drillIn, tools: artifactTools().slice(0, 1), names: ONLY_SHAPES };
    const { text } = await walk({ ...preset, drillIn }, output, { contextWindowTokens: 8000 });
    expect(JSON.parse(text).how_to_access).toEqual({
      artifact_read: HOW_TO_ACCESS.artifact_read,
    });
  });

  it("offloads past a quarter of the window and leaves exactly a quarter inline", async () => {
    const outcome = async (bytes: number): Promise<string> =>
      (await walk(preset, "word ".repeat(9000).slice(0, bytes), { contextWindowTokens: 8192 }))
        .result.outcome;
    expect(await outcome(8191)).toBe("inline");
    expect(await outcome(8192)).toBe("inline");
    expect(await outcome(8193)).toBe("offloaded");
  });

  it("passes what is below 4,096 bytes however full the context is, and nothing from there on", async () => {
    const around = { contextWindowTokens: 100_000, tokens: 70_000 };
    const outcome = async (bytes: number): Promise<string> =>
      (await walk(preset, "word ".repeat(9000).slice(0, bytes), around)).result.outcome;
    expect(await outcome(4095)).toBe("inline");
    expect(await outcome(4096)).toBe("offloaded");
  });

  it("lets in exactly what is left until the headroom, and not a token more", async () => {
    const around = { contextWindowTokens: 100_000, tokens: 65_000 };
    const words = (tokens: number): string => `a${" a".repeat(tokens - 1)}`;
    const outcome = async (tokens: number): Promise<string> =>
      (await walk(preset, words(tokens), around)).result.outcome;
    expect(await outcome(5000)).toBe("inline");
    expect(await outcome(5001)).toBe("offloaded");
  });

  it("takes 0 % and 100 % of either gate", async () => {
    const outcome = async (
      given: Parameters<typeof vectara>[0],
      bytes: number,
      tokens = 0,
    ): Promise<string> => {
      const around = { contextWindowTokens: 8192, tokens };
      const text = "word ".repeat(9000).slice(0, bytes);
      return (await walk(vectara({ onWarning: () => {}, ...given }), text, around)).result.outcome;
    };
    const noShare = { contextFraction: 0, headroomFraction: 1 };
    expect(await outcome(noShare, 4096)).toBe("inline");
    expect(await outcome(noShare, 4097)).toBe("offloaded");
    const whole = { contextFraction: 1, headroomFraction: 1 };
    expect(await outcome(whole, 32_768, 8192)).toBe("inline");
    expect(await outcome(whole, 32_769)).toBe("offloaded");
    const noRoom = { contextFraction: 1, headroomFraction: 0 };
    expect(await outcome(noRoom, 4095)).toBe("inline");
    expect(await outcome(noRoom, 4096)).toBe("offloaded");
  });

  it("offloads past 1,048,576 bytes on any window", async () => {
    const text = "a line of text\n".repeat(100_000);
    const around = { contextWindowTokens: 10_000_000 };
    expect((await walk(preset, text.slice(0, 1_048_576), around)).result.outcome).toBe("inline");
    expect((await walk(preset, text.slice(0, 1_048_577), around)).result.outcome).toBe("offloaded");
  });

  it("keeps head and tail when there is no artifact tool, or when it is told to", async () => {
    for (const given of [{ ...preset, drillIn: false as const }, vectara({ mode: "truncate" })]) {
      const cut = await walk(given, output, { contextWindowTokens: 8000 });
      expect(cut.result.outcome).toBe("truncated");
      expect(cut.text).toMatch(
        /^\{"rows":\[\{"id":0,.*\n\.\.\. \[truncated [\d.]+ kB; head and tail preserved\] \.\.\.\n.*"next_cursor":"abc"\}$/s,
      );
      expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(8000);
    }
  });

  it("can be switched off and keeps artifacts for the session", async () => {
    expect((await walk(vectara({ enabled: false }), output)).text).toBe(output);
    expect(preset.retention).toEqual({ ttlMs: 30 * 24 * 3_600_000 });
    const { result } = await walk(preset, output, { contextWindowTokens: 8000 });
    expect(result).toMatchObject({ storedArtifact: { expiresAt: NOW_MS + 2_592_000_000 } });
  });
});
