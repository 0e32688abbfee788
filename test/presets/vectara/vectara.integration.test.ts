import { describe, expect, it } from "vitest";
import { vectara } from "../../../src/presets/index.js";
import { offloadWith } from "../offload-with.js";

const preset = { preset: vectara({ onWarning: () => {} }) };
describe("vectara preset", () => {
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
});
