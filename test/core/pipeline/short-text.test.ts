import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";

import { openedOffloaders } from "../../opened-offloaders.js";

const open = openedOffloaders();

const unit = fc.constantFrom("word ", "x", "漢", "😀", "\ud800", '{"id":1},', "\u0000", "1,2\n");
const text = fc.tuple(unit, fc.nat({ max: 200 })).map(([part, times]) => part.repeat(times));
const size = fc.oneof(
  fc.record({ tokens: fc.nat({ max: 300 }) }),
  fc.record({ bytes: fc.nat({ max: 300 }) }),
);
const options: fc.Arbitrary<OffloadOptions> = fc.record(
  {
    threshold: size,
    mode: fc.constantFrom("store", "truncate"),
    tokenizer: fc.constant("characters" as const),
  },
  { requiredKeys: [] },
);

describe("a text that is short enough to stay by its length alone", () => {
  it("is one that a look at it leaves where it is as well", async () => {
    const overrides = fc.option(fc.record({ threshold: size }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(text, options, overrides, async (value, given, overrides) => {
        const { offloader } = open(given);
        const output = { toolName: "t", value, sessionId: "s", overrides };
        const { outcome } = await offloader.offload(output);
        // An artifact of its own makes the pipeline look.
        expect(await offloader.offload({ ...output, artifact: "none" })).toMatchObject({ outcome });
        const seen = offloader.stats("s").outputsSeen;
        expect(seen).toBe(value === "" ? 0 : 2);
      }),
    );
  });

  it.each<OffloadOptions>([
    { tokenizer: () => 9000 },
    { gates: [() => ({ bytes: 3, reason: "small" })] },
    { selectResultSet: () => "row\n".repeat(5000) },
  ])(
    "is judged by a function that counts, a gate and the set behind it all the same: %o",
    async (given) => {
      const output = { toolName: "t", value: "a text", sessionId: "s" };
      expect((await open(given).offloader.offload(output)).outcome).toBe("offloaded");
    },
  );
});
