import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { threshold } from "../../src/design.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { atlatl, forTool, lro, mcpagent } from "../../src/presets/index.js";
import { memoryStore } from "../../src/store/memory.js";
import type { OffloadResult } from "../../src/types/result.js";
import { openedOffloaders } from "../opened-offloaders.js";

const open = openedOffloaders();
/** Counts characters / 4, so that a text of any kind can be made of so many tokens. */
const measure = { tokenizer: "characters" } as const;

const prose = (tokens: number): string => "word ".repeat(tokens).slice(0, 4 * tokens);
/** A document of JSON with nothing to list. */
const bareDocument = (tokens: number): string =>
  JSON.stringify({ text: prose(tokens).slice(0, -'{"text":""}'.length) });
const records = (tokens: number): string => {
  const [head, tail] = ['[{"id":1,"kind":"a"},{"id":2,"kind":"b","text":"', '"}]'];
  return head + prose(tokens).slice(head.length + tail.length) + tail;
};
const table = (tokens: number): string => {
  const head = "id,name,text\n1,one,short\n2,two,";
  return head + prose(tokens).slice(head.length);
};

async function walked(
  value: unknown,
  options: OffloadOptions = {},
  overrides?: unknown,
): Promise<OffloadResult> {
  const { offloader } = open({ ...options, measure });
  return await offloader.offload({ toolName: "t", value, sessionId: "s", overrides });
}

/** The most tokens of each kind that stay inline, of those that the cases ask about. */
async function expectLimits(
  limits: { readonly text: number; readonly records: number },
  options: OffloadOptions = {},
  overrides?: unknown,
): Promise<void> {
  const outcomeOf = async (value: string): Promise<string> =>
    (await walked(value, options, overrides)).outcome;
  const { text: most, records: mostOfRecords } = limits;
  for (const make of [prose, bareDocument]) {
    expect(await outcomeOf(make(most))).toBe("inline");
    expect(await outcomeOf(make(most + 1))).toBe("offloaded");
  }
  for (const make of [records, table]) {
    expect(await outcomeOf(make(mostOfRecords))).toBe("inline");
    expect(await outcomeOf(make(mostOfRecords + 1))).toBe("offloaded");
  }
}

describe("by default", () => {
  it("text and documents without records stay up to 6,400 tokens, records up to 1,600", async () => {
    await expectLimits({ text: 6400, records: 1600 });
    await expectLimits({ text: 6400, records: 1600 }, lro());
  });

  it("it says in its event which of the two an output was over", async () => {
    const reasons: unknown[] = [];
    for (const make of [prose, records]) {
      const { offloader, events } = open({ measure });
      await offloader.offload({ toolName: "t", value: make(7000), sessionId: "s" });
      reasons.push(...events.map((event) => "reason" in event && event.reason));
    }
    expect(reasons).toEqual(["threshold of 6400 tokens", "threshold of 1600 tokens"]);
  });

  it("a document of several sets has records", async () => {
    const users = Array.from({ length: 60 }, (_, id) => ({ id, name: `user ${id}`, age: id % 7 }));
    const orders = users.map(({ id }) => ({ order: id, of: `user ${id}`, sum: id * 3 }));
    const value = JSON.stringify({ users, orders, note: prose(1000) });
    expect(value.length).toBeLessThan(4 * 6400);
    expect((await walked(value)).outcome).toBe("offloaded");
  });

  it("a stream that is all there as text is judged as text is", async () => {
    const streamed = async (value: string, options?: OffloadOptions): Promise<string> =>
      (await walked(new Blob([value]).stream(), options)).outcome;
    expect(await streamed(prose(6400))).toBe("inline");
    expect(await streamed(prose(6401))).toBe("offloaded");
    expect(await streamed(records(1601))).toBe("offloaded");
  });

  it("of a stream that was stopped nobody knows what it is: it has the smaller limit", async () => {
    const streams = { maxBytes: 4 * 2000 };
    const { outcome } = await walked(new Blob([prose(3000)]).stream(), { streams });
    expect(outcome).toBe("offloaded");
  });

  it("a message of the user is a text", async () => {
    const { offloader } = open({ measure });
    const outcomeOf = async (value: string): Promise<string> => {
      const output = { toolName: "user", value, sessionId: "s", origin: "user" } as const;
      return (await offloader.offload(output)).outcome;
    };
    expect(await outcomeOf(prose(6400))).toBe("inline");
    expect(await outcomeOf(prose(6401))).toBe("offloaded");
  });

  it("a model that can read nothing back gets four times as much of either with `raise`", async () => {
    const options = { drillIn: false, decide: { whenNoDrillIn: "raise" } } as const;
    await expectLimits({ text: 25_600, records: 6400 }, options);
    const { outcome } = await walked(prose(90_000), {
      drillIn: false,
      decide: { whenNoDrillIn: "inline" },
    });
    expect(outcome).toBe("inline");
  });
});

describe("a threshold that is stated", () => {
  const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "1600" };
  const all = { text: 1600, records: 1600 };

  it.each<[string, OffloadOptions, unknown?]>([
    ["as an option", { threshold: { tokens: 1600 } }],
    ["in decide", { decide: { threshold: { tokens: 1600 } } }],
    ["in bytes", { threshold: { bytes: 4 * 1600 } }],
    ["by a gate", { decide: { gates: [threshold({ tokens: 1600 })] } }],
    ["by the environment", { config: { env } }],
    ["for one tool", { scope: { perTool: { t: { threshold: { tokens: 1600 } } } } }],
    ["for one call", {}, { threshold: { tokens: 1600 } }],
    [
      "for one call, whatever the agent's text may have",
      { decide: { textThreshold: { tokens: 9000 } } },
      { threshold: { tokens: 1600 } },
    ],
    [
      "for one tool, whatever the agent's text may have",
      {
        decide: { textThreshold: { tokens: 9000 } },
        scope: { perTool: { t: { threshold: { tokens: 1600 } } } },
      },
    ],
    [
      "for the agent, where the tool states other things",
      {
        threshold: { tokens: 1600 },
        scope: { perTool: { t: { decide: { onStoreFailure: "inline" } } } },
      },
    ],
  ])("%s holds for text and for records", async (_, options, overrides) => {
    await expectLimits(all, options, overrides);
  });

  it("by a preset holds for both", async () => {
    await expectLimits({ text: 6400, records: 6400 }, atlatl());
    const { outcome } = await walked(prose(9_000), mcpagent());
    expect(outcome).toBe("inline");
  });

  it("for other tools is not that of a tool with a preset of its own", async () => {
    const scope = { perTool: { t: forTool(lro()) } };
    await expectLimits({ text: 6400, records: 1600 }, { threshold: { tokens: 100 }, scope });
  });
});

describe("a threshold for text that is stated", () => {
  const textThreshold = { tokens: 3000 };

  it.each<[string, OffloadOptions]>([
    ["alone", { decide: { textThreshold } }],
    ["beside a threshold", { threshold: { tokens: 1600 }, decide: { textThreshold } }],
    [
      "beside a threshold of the environment",
      {
        config: { env: { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "1600" } },
        decide: { textThreshold },
      },
    ],
    [
      "for one tool under the agent's threshold",
      { threshold: { tokens: 1600 }, scope: { perTool: { t: { decide: { textThreshold } } } } },
    ],
    [
      "for the agent, where the tool states other things",
      { decide: { textThreshold }, scope: { perTool: { t: { decide: { mode: "artifact" } } } } },
    ],
  ])("%s is that of outputs without records", async (_, options) => {
    await expectLimits({ text: 3000, records: 1600 }, options);
  });

  it("holds below the threshold too", async () => {
    const decide = { textThreshold: { tokens: 500 } };
    await expectLimits({ text: 500, records: 1600 }, { decide });
  });

  it("is in bytes where that is said", async () => {
    const decide = { textThreshold: { bytes: 4 * 2000 } };
    await expectLimits({ text: 2000, records: 1600 }, { decide });
  });

  it("does not raise what a gate allows", async () => {
    const gates = [threshold({ tokens: 700 })];
    await expectLimits({ text: 700, records: 700 }, { decide: { textThreshold, gates } });
  });

  it("must be a size", () => {
    expect(() => open({ decide: { textThreshold: { tokens: -1 } } })).toThrow(
      "at decide.textThreshold.tokens",
    );
  });
});

describe("an output that cannot leave whole", () => {
  it.each<[string, OffloadOptions]>([
    ["in the mode `truncate`", { decide: { mode: "truncate" } }],
    [
      "when the store fails",
      { store: { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) } },
    ],
  ])("is cut to the limit of what it is %s", async (_, options) => {
    const cut = async (value: string): Promise<number> => {
      const result = await walked(value, options);
      if (result.outcome !== "truncated") throw new Error(result.outcome);
      return result.text.length / 4;
    };
    expect(await cut(prose(20_000))).toBeLessThanOrEqual(6400);
    expect(await cut(prose(20_000))).toBeGreaterThan(6000);
    const rows = JSON.stringify(Array.from({ length: 5000 }, (_row, id) => ({ id, at: id * 7 })));
    expect(await cut(rows)).toBeLessThanOrEqual(1600);
    expect((await walked(prose(6400), options)).outcome).toBe("inline");
  });
});

describe("whatever is stated", () => {
  const size = fc.integer({ min: 50, max: 4000 });
  const limit = fc.option(size, { nil: undefined });

  it("an output stays exactly when it is within the limit of what it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        limit,
        limit,
        size,
        fc.boolean(),
        async (most, mostOfText, tokens, isSet) => {
          const { offloader } = open({
            measure,
            ...(most !== undefined && { threshold: { tokens: most } }),
            ...(mostOfText !== undefined && { decide: { textThreshold: { tokens: mostOfText } } }),
          });
          const value = (isSet ? records : prose)(tokens);
          const { outcome } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
          const limitTokens = isSet ? (most ?? 1600) : (mostOfText ?? most ?? 6400);
          // A descriptor can be larger than what it stands for: that stays too.
          if (tokens <= limitTokens) expect(outcome).toBe("inline");
          else if (tokens > 1300) expect(outcome).toBe("offloaded");
        },
      ),
      { numRuns: 60 },
    );
  });
});
