import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";

import { openedOffloaders } from "../../opened-offloaders.js";

const open = openedOffloaders();
/** Counts characters / 4, so that a text of any kind can be made of so many tokens. */
const tokenizer = "characters" as const;

const prose = (tokens: number): string => "word ".repeat(tokens).slice(0, 4 * tokens);
const records = (tokens: number): string => {
  const [head, tail] = ['[{"id":1,"kind":"a"},{"id":2,"kind":"b","text":"', '"}]'];
  return head + prose(tokens).slice(head.length + tail.length) + tail;
};
async function outcomeOf(value: unknown, options: OffloadOptions): Promise<string> {
  const { offloader } = open({ ...options, tokenizer });
  return (await offloader.offload({ toolName: "t", value, sessionId: "s" })).outcome;
}

describe("by default", () => {
  it("of a stream that was stopped nobody knows what it is: it has the smaller limit", async () => {
    const maxOutputBytes = 4 * 2000;
    const stream = new Blob([prose(3000)]).stream();
    expect(await outcomeOf(stream, { maxOutputBytes })).toBe("offloaded");
  });
});

describe("whatever is stated", () => {
  const size = fc.integer({ min: 50, max: 4000 });
  const limit = fc.option(size, { nil: undefined });

  it("an output stays exactly when it is within the limit of what it is", async () => {
    await fc.assert(
      fc.asyncProperty(limit, size, fc.boolean(), async (most, tokens, isSet) => {
        const stated = most === undefined ? {} : { threshold: { tokens: most } };
        const outcome = await outcomeOf((isSet ? records : prose)(tokens), stated);
        const limitTokens = isSet ? (most ?? 1600) : (most ?? 6400);
        // A descriptor can be larger than what it stands for: that stays too.
        if (tokens <= limitTokens) expect(outcome).toBe("inline");
        else if (tokens > 1300) expect(outcome).toBe("offloaded");
      }),
      { numRuns: 60 },
    );
  });
});
