import { describe, expect, it } from "vitest";
import { vectara } from "../../../src/presets/index.js";
import { offloadWith } from "../offload-with.js";

const rows = Array.from({ length: 500 }, (_, id) => ({
  id,
  name: `customer ${id}`,
  city: "Oslo",
  score: id / 500,
  active: id % 2 === 0,
  note: "",
}));
const output = JSON.stringify({ rows, next_cursor: "abc" });
const preset = { preset: vectara({ onWarning: () => {} }) };
const HOW_TO_ACCESS = {
  artifact_read: "Read full content or a line range (start_line/end_line)",
  artifact_grep: "Search for patterns with grep",
  artifact_jq: "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'",
};

describe("vectara preset", () => {
  it("gives the envelope of the seed: id, size, lines, shape and how to access", async () => {
    const { result, text, id } = await offloadWith(preset, output, { contextWindowTokens: 8000 });
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

  it("lets in exactly what is left until the headroom, and not a token more", async () => {
    const around = { contextWindowTokens: 100_000, tokens: 65_000 };
    const words = (tokens: number): string => `a${" a".repeat(tokens - 1)}`;
    const outcome = async (tokens: number): Promise<string> =>
      (await offloadWith(preset, words(tokens), around)).result.outcome;
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
      return (
        await offloadWith({ preset: vectara({ onWarning: () => {}, ...given }) }, text, around)
      ).result.outcome;
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
    expect((await offloadWith(preset, text.slice(0, 1_048_576), around)).result.outcome).toBe(
      "inline",
    );
    expect((await offloadWith(preset, text.slice(0, 1_048_577), around)).result.outcome).toBe(
      "offloaded",
    );
  });
});
