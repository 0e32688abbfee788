import fc from "fast-check";
import { Readable } from "node:stream";
import { describe, expect, it, vi, afterEach } from "vitest";

import type { Describer } from "../../../src/core/describe/describer.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { resolveOptions } from "../../../src/core/options/resolve.js";
import type { PipelineContext } from "../../../src/core/pipeline/context.js";
import { createStats } from "../../../src/core/pipeline/observe/stats.js";
import { runPipeline } from "../../../src/core/pipeline/run-pipeline.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { headroom, threshold } from "../../../src/presets/index.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const fail = (): never => {
  throw new Error("no");
};

describe("the steps of an output", () => {
  it("leave a short text where it is, counted, without a look at it", async () => {
    const options = resolveOptions({ store: memoryStore() });
    const countOutput = vi.fn<() => void>();
    const context = { options, stats: { countOutput } } as unknown as PipelineContext;
    const call = {
      output: { toolName: "tool", sessionId: "s", value: "short" },
      source: "tool",
      isLimited: true,
      sessionKey: "s",
      options,
      notify: () => {},
    } as const;
    expect(await runPipeline(context, call)).toEqual({ outcome: "inline", value: "short" });
    expect(countOutput).toHaveBeenCalledExactlyOnceWith("s");
  });

  it("leave the text of a stream inline where storing and then shortening fail", async () => {
    const put = (): Promise<never> => Promise.reject(new Error("disk full"));
    const gates = [fail];
    const { offloader } = opened({ store: { ...memoryStore(), put }, gates });
    const text = "a line of the stream\n".repeat(1_500);
    async function* lines(): AsyncGenerator<string> {
      yield text;
    }
    const output = { toolName: "tool", sessionId: "s", value: lines(), always: true } as const;
    const overrides = { enabled: false };
    expect(await offloader.offload({ ...output, overrides })).toMatchObject({ value: text });
  });

  it("count the conversation by its own method, and only where a gate asks for it", async () => {
    class Counted {
      asked = 0;
      async countedBy(): Promise<number> {
        this.asked += 1;
        return await Promise.resolve(90_000);
      }
    }
    const outcomes: unknown[] = [];
    for (const gates of [[headroom({ fraction: 0.5 })], [threshold({ tokens: 9_000 })]]) {
      const { offloader } = opened({ gates, contextWindowTokens: 100_000 });
      const conversation = new Counted();
      const output = { toolName: "tool", sessionId: "s", value: "word ".repeat(900), conversation };
      outcomes.push((await offloader.offload(output)).outcome, conversation.asked);
    }
    expect(outcomes).toEqual(["offloaded", 1, "inline", 0]);
  });

  it.each<readonly [string, OffloadOptions, boolean]>([
    ["a gate throws", { gates: [fail] }, false],
    ["its store fails, which `put` reports", { store: { ...memoryStore(), put: fail } }, true],
  ])("close a stream that is still held where %s", async (_name, options, isPut) => {
    const { offloader } = opened({ maxOutputBytes: 6_000_000, ...options });
    const ended = vi.fn<() => void>();
    async function* source(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve("a line of text\n".repeat(50_000));
      } finally {
        ended();
      }
    }
    const output = { toolName: "tool", sessionId: "s", value: source() };
    if (isPut) await expect(offloader.put(output.value, output)).rejects.toThrow("no");
    else await expect(offloader.offload(output)).resolves.toMatchObject({ outcome: "truncated" });
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  });
});

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
        const { offloader } = opened(given);
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
      expect((await opened(given).offloader.offload(output)).outcome).toBe("offloaded");
    },
  );
});

/** Counts characters / 4, so that a text of any kind can be made of so many tokens. */
const tokenizer = "characters" as const;

const prose = (tokens: number): string => "word ".repeat(tokens).slice(0, 4 * tokens);
const records = (tokens: number): string => {
  const [head, tail] = ['[{"id":1,"kind":"a"},{"id":2,"kind":"b","text":"', '"}]'];
  return head + prose(tokens).slice(head.length + tail.length) + tail;
};
async function outcomeOf(value: unknown, options: OffloadOptions): Promise<string> {
  const { offloader } = opened({ ...options, tokenizer });
  return (await offloader.offload({ toolName: "t", value, sessionId: "s" })).outcome;
}

it.each<readonly [string, (tokens: number) => string, number, string]>([
  ["text", prose, 6000, "inline"],
  ["too much text", prose, 6600, "offloaded"],
  ["records", records, 2000, "offloaded"],
])(
  "by default what a stream was until it was stopped, and bytes that are no UTF-8, have the limit of what they are: %s",
  async (_name, textOf, tokens, outcome) => {
    const text = textOf(tokens);
    const maxOutputBytes = text.length;
    const goesOn = new Blob([text, "\nand so on"]).stream();
    expect(await outcomeOf(goesOn, { maxOutputBytes })).toBe(outcome);
    const broken = Buffer.from(text).fill(0xff, 200, 201);
    expect(await outcomeOf(broken, {})).toBe(outcome);
    expect(await outcomeOf(new Blob([broken]).stream(), {})).toBe(outcome);
  },
);

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

it("hears a stream among others at once: one that fails before its turn is its tool's fault, and not the process's end", async () => {
  const { offloader } = opened();
  const offload = (value: unknown) =>
    offloader.offload({ toolName: "tool", sessionId: "s", value });
  const others = Array.from({ length: 20 }, () => offload("words ".repeat(9_000)));
  const streams = Array.from({ length: 5 }, () => {
    const stream = new Readable({ read() {} });
    setImmediate(() => stream.destroy(new Error("no such file")));
    return offload(stream);
  });
  const told = await Promise.allSettled(streams);
  expect(told.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  await Promise.all(others);
});

describe("functions of the options", () => {
  const value = JSON.stringify(
    Array.from({ length: 400 }, (_, id) => ({ id, state: id % 3 === 0 ? "open" : "closed" })),
  );

  const none: unknown = undefined;
  const describers: Describer[] = [
    fail,
    () => Promise.reject(new Error("late")),
    () => Promise.resolve(none as never),
    async () => ({ text: "?", tokens: 1 }) as never,
    async ({ text }) => ({ form: "all", text, tokens: 1e6 }),
  ];
  it.each<readonly [string, OffloadOptions]>([
    ...describers.map((describer) => ["describe.describer", { describe: { describer } }] as const),
    ["fileName", { fileName: fail }],
    ["fileName", { fileName: () => "../no" }],
  ])(
    "that fail leave the output stored and described as usual, with an event (C19): %s",
    async (option, given) => {
      const { offloader, events } = opened(given);
      const { offloader: usual } = opened();
      const output = { toolName: "t", value, sessionId: "s" };
      const [result, expected] = [await offloader.offload(output), await usual.offload(output)];
      if (result.outcome !== "offloaded" || expected.outcome !== "offloaded") throw new Error();
      const { id } = result.storedArtifact;
      const { id: usualId } = expected.storedArtifact;
      expect(result.text.replaceAll(id, "")).toBe(expected.text.replaceAll(usualId, ""));
      expect(await offloader.store.stat(id, result.storedArtifact.sessionKey)).toBeDefined();
      expect(events.map(({ type }) => type)).toEqual(["option-failed", "offloaded"]);
      expect(events[0]).toMatchObject({ option, toolName: "t" });
    },
  );

  describe("what failed where nobody listens", () => {
    afterEach(() => vi.restoreAllMocks());
    const secret = "4111-1111";
    const failing = (): never => {
      throw new Error(`no ${secret}`);
    };
    const full = { ...memoryStore(), put: failing };

    it.each<readonly [string, OffloadOptions]>([
      ["describe.describer failed for the tool t (Error)", { describe: { describer: failing } }],
      ["clean of the plugin redact failed for the tool t (Error)", { plugins: [redact(failing)] }],
      [
        "Storing an output in memory, or describing it, failed for the tool t (Error)",
        { store: full },
      ],
    ])("is told once as a warning, without what an error says: %s", async (sentence, given) => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      const { offloader } = opened({ ...given, onEvent: undefined as never });
      const { offloader: heard } = opened(given);
      for (const toolCallId of ["1", "2"]) {
        await offloader.offload({ toolName: "t", value, sessionId: "s", toolCallId });
        await heard.offload({ toolName: "t", value, sessionId: "s", toolCallId });
      }
      expect(warn.mock.calls).toEqual([[expect.stringContaining(sentence), "OffloadWarning"]]);
      expect(JSON.stringify(warn.mock.calls)).not.toContain(secret);
    });

    it("is an error of put, and no warning beside it", async () => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      const { offloader } = opened({ store: full, onEvent: undefined as never });
      await expect(offloader.put(value, { sessionId: "s" })).rejects.toThrow("could not be stored");
      expect(warn).not.toHaveBeenCalled();
    });
  });
});

it("running totals keep 1,000 sessions, and drop the one not counted for longest", () => {
  const counter = createStats();
  const seen = (sessionKey: string): number => counter.stats(sessionKey).outputsSeen;
  for (let sessionKey = 0; sessionKey < 1000; sessionKey += 1) counter.countOutput(`${sessionKey}`);
  counter.countOutput("0");
  expect([seen("0"), seen("1")]).toEqual([2, 1]);
  counter.countOutput("1000");
  expect([seen("0"), seen("1"), seen("2"), seen("1000")]).toEqual([2, 0, 1, 1]);
  expect(counter.stats().outputsSeen).toBe(1002);
});
