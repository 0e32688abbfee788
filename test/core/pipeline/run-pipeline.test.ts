import { describe, expect, it } from "vitest";

import { StreamFault } from "../../../src/core/content/stream/held-stream.js";
import type {
  Call,
  SourcePolicy,
  EncodedOutput,
  Payload,
  SoFar,
  Decision,
} from "../../../src/core/pipeline/call.js";
import { type Steps, runPipeline } from "../../../src/core/pipeline/run-pipeline.js";
import { resolveOptions } from "../../../src/core/options/resolve.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadResult } from "../../../src/core/types/result.js";

const measurement = { tokens: 9, exact: true, characters: 36, overLimit: true };
const over = { measurement, reason: "threshold of 5 tokens" };
const limits = { tokens: undefined, bytes: undefined };
const store: Decision = {
  action: "store",
  ...over,
  worthTokens: Infinity,
  limitsIfLost: () => Promise.resolve(limits),
};
const result = (text: string): OffloadResult => ({ outcome: "inline", value: text });
const kept = { storedArtifact: {}, descriptor: {} } as Awaited<
  ReturnType<Steps["storeAndDescribe"]>
>;

/** A runPipeline of which every step notes that it was taken; `failing` throws instead. */
function scripted({
  decisions = [store],
  failing = {},
  isKept = true,
  isShort = false,
}: {
  readonly decisions?: readonly Decision["action"][] | readonly Decision[];
  readonly failing?: Readonly<Record<string, unknown>>;
  readonly isKept?: boolean;
  readonly isShort?: boolean;
} = {}) {
  const taken: string[] = [];
  const recovered: SoFar[] = [];
  const decided = [...decisions];

  async function step<Given>(name: string, given: Given): Promise<Given> {
    taken.push(name);
    await Promise.resolve();
    if (name in failing) throw failing[name];
    return given;
  }
  const payload: Payload = {
    output: { toolName: "tool", sessionId: "s", value: "the value" },
    text: "the value",
    keptBlocks: [],
    isWhole: true,
    encode: () => step("encode", {} as EncodedOutput),
    excerpt: () => step("excerpt", { text: "the value" }),
    close: async () => void taken.push("close"),
  };
  const policy: SourcePolicy = {
    admits: () => true,
    isShort: () => isShort,
    select: () => step("select", payload),
    decide: async () => {
      const decision = decided.shift() ?? store;
      const more = (): Promise<Payload> => step("more", payload);
      const known = typeof decision === "string" ? verdictOf(decision, more) : decision;
      return await step("decide", known);
    },
    describer: () => undefined,
    async recover(_error, so) {
      recovered.push(so);
      return await step("recover", result("recovered"));
    },
  };
  const steps: Steps = {
    hold: () => step("hold", payload),
    count: () => void taken.push("count"),
    kept: () => void taken.push("kept"),
    shorten: () => step("shorten", result("shortened")),
    storeAndDescribe: () => step("storeAndDescribe", isKept ? kept : undefined),
    offloaded: () => step("offloaded", result("offloaded")),
    release: async (held) => await held?.close(),
  };
  const call: Call = {
    output: payload.output,
    sessionKey: "s",
    options: resolveOptions({ store: memoryStore() }),
    policy,
    notify: () => {},
  };
  return { run: () => runPipeline(call, steps), taken, recovered };
}

function verdictOf(action: Decision["action"], more: () => Promise<Payload>): Decision {
  if (action === "store") return store;
  if (action === "shorten") return { action, ...over, limits };
  if (action === "read-more") return { action, more };
  return { action, measurement };
}

describe("the runPipeline", () => {
  it.each([
    ["pass-on", "hold select decide close", "the value"],
    ["keep-inline", "hold select decide count kept close", "the value"],
    ["shorten", "hold select decide count shorten close", "shortened"],
    ["store", "hold select decide count encode storeAndDescribe offloaded close", "offloaded"],
  ] as const)("takes these steps of an output that is to %s: %s", async (action, taken, value) => {
    const offloaded = scripted({ decisions: [action] });
    expect(await offloaded.run()).toMatchObject({ value });
    expect(offloaded.taken.join(" ")).toBe(taken);
  });

  it("counts a short text and leaves it where it is, without a look at it", async () => {
    const offloaded = scripted({ isShort: true });
    expect(await offloaded.run()).toEqual({ outcome: "inline", value: "the value" });
    expect(offloaded.taken).toEqual(["count"]);
  });

  it("reads more of a stream until that is decided", async () => {
    const offloaded = scripted({ decisions: ["read-more", "read-more", "keep-inline"] });
    await offloaded.run();
    expect(offloaded.taken.join(" ")).toBe(
      "hold select decide more select decide more select decide count kept close",
    );
  });

  it("leaves an output where it is that storing saves nothing of", async () => {
    const offloaded = scripted({ isKept: false });
    expect(await offloaded.run()).toEqual({ outcome: "inline", value: "the value" });
    expect(offloaded.taken).not.toContain("offloaded");
  });

  it.each(["select", "decide", "encode", "storeAndDescribe", "offloaded"])(
    "asks the policy for a way out when `%s` throws, tells it how far it came, and closes after it",
    async (name) => {
      const offloaded = scripted({ failing: { [name]: new Error("no") } });
      expect(await offloaded.run()).toMatchObject({ value: "recovered" });
      expect(offloaded.taken.slice(-3)).toEqual([name, "recover", "close"]);
      const [so] = offloaded.recovered;
      expect(so?.payload).toBeDefined();
      expect(so?.decision === undefined).toBe(name === "select" || name === "decide");
      expect(so?.encoded === undefined).toBe(!["storeAndDescribe", "offloaded"].includes(name));
    },
  );

  it("has nothing to close, and no payload to tell of, when the output cannot be opened", async () => {
    const offloaded = scripted({ failing: { hold: new Error("no") } });
    await offloaded.run();
    expect(offloaded.taken).toEqual(["hold", "recover"]);
    expect(offloaded.recovered[0]?.payload).toBeUndefined();
  });

  it.each(["hold", "decide", "encode", "storeAndDescribe"])(
    "gives the fault of the tool's own stream to the caller when it shows in `%s`",
    async (name) => {
      const fault = new StreamFault("the tool's");
      const offloaded = scripted({ failing: { [name]: fault } });
      await expect(offloaded.run()).rejects.toBe(fault);
      expect(offloaded.taken).not.toContain("recover");
    },
  );

  it("closes where the policy itself rejects", async () => {
    const offloaded = scripted({
      failing: { encode: new Error("no"), recover: new Error("refused") },
    });
    await expect(offloaded.run()).rejects.toThrow("refused");
    expect(offloaded.taken.at(-1)).toBe("close");
  });
});
