import { describe, expect, it } from "vitest";

import { StreamFault } from "../../../src/core/content/stream/held-stream.js";
import type {
  Call,
  Door,
  EncodedOutput,
  Payload,
  SoFar,
  Verdict,
} from "../../../src/core/pipeline/call.js";
import { type Steps, walk } from "../../../src/core/pipeline/walk.js";
import { resolveOptions } from "../../../src/core/options/resolve.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadResult } from "../../../src/core/types/result.js";

const measurement = { tokens: 9, exact: true, characters: 36, overLimit: true };
const over = { measurement, reason: "threshold of 5 tokens" };
const limits = { tokens: undefined, bytes: undefined };
const store: Verdict = {
  action: "store",
  ...over,
  worthTokens: Infinity,
  limitsIfLost: () => Promise.resolve(limits),
};
const result = (text: string): OffloadResult => ({ outcome: "inline", value: text });
const kept = { storedArtifact: {}, descriptor: {} } as Awaited<
  ReturnType<Steps["storeAndDescribe"]>
>;

/** A walk of which every step notes that it was taken; `failing` throws instead. */
function scripted({
  verdicts = [store],
  failing = {},
  isKept = true,
  isShort = false,
}: {
  readonly verdicts?: readonly Verdict["action"][] | readonly Verdict[];
  readonly failing?: Readonly<Record<string, unknown>>;
  readonly isKept?: boolean;
  readonly isShort?: boolean;
} = {}) {
  const taken: string[] = [];
  const recovered: SoFar[] = [];
  const decided = [...verdicts];

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
  const door: Door = {
    admits: () => true,
    isShort: () => isShort,
    select: () => step("select", payload),
    decide: async () => {
      const verdict = decided.shift() ?? store;
      const more = (): Promise<Payload> => step("more", payload);
      const known = typeof verdict === "string" ? verdictOf(verdict, more) : verdict;
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
    door,
    notify: () => {},
  };
  return { run: () => walk(call, steps), taken, recovered };
}

function verdictOf(action: Verdict["action"], more: () => Promise<Payload>): Verdict {
  if (action === "store") return store;
  if (action === "shorten") return { action, ...over, limits };
  if (action === "read-more") return { action, more };
  return { action, measurement };
}

describe("the walk", () => {
  it.each([
    ["pass-on", "hold select decide close", "the value"],
    ["keep-inline", "hold select decide count kept close", "the value"],
    ["shorten", "hold select decide count shorten close", "shortened"],
    ["store", "hold select decide count encode storeAndDescribe offloaded close", "offloaded"],
  ] as const)("takes these steps of an output that is to %s: %s", async (action, taken, value) => {
    const walked = scripted({ verdicts: [action] });
    expect(await walked.run()).toMatchObject({ value });
    expect(walked.taken.join(" ")).toBe(taken);
  });

  it("counts a short text and leaves it where it is, without a look at it", async () => {
    const walked = scripted({ isShort: true });
    expect(await walked.run()).toEqual({ outcome: "inline", value: "the value" });
    expect(walked.taken).toEqual(["count"]);
  });

  it("reads more of a stream until that is decided", async () => {
    const walked = scripted({ verdicts: ["read-more", "read-more", "keep-inline"] });
    await walked.run();
    expect(walked.taken.join(" ")).toBe(
      "hold select decide more select decide more select decide count kept close",
    );
  });

  it("leaves an output where it is that storing saves nothing of", async () => {
    const walked = scripted({ isKept: false });
    expect(await walked.run()).toEqual({ outcome: "inline", value: "the value" });
    expect(walked.taken).not.toContain("offloaded");
  });

  it.each(["select", "decide", "encode", "storeAndDescribe", "offloaded"])(
    "asks the door for a way out when `%s` throws, tells it how far it came, and closes after it",
    async (name) => {
      const walked = scripted({ failing: { [name]: new Error("no") } });
      expect(await walked.run()).toMatchObject({ value: "recovered" });
      expect(walked.taken.slice(-3)).toEqual([name, "recover", "close"]);
      const [so] = walked.recovered;
      expect(so?.payload).toBeDefined();
      expect(so?.verdict === undefined).toBe(name === "select" || name === "decide");
      expect(so?.encoded === undefined).toBe(!["storeAndDescribe", "offloaded"].includes(name));
    },
  );

  it("has nothing to close, and no payload to tell of, when the output cannot be opened", async () => {
    const walked = scripted({ failing: { hold: new Error("no") } });
    await walked.run();
    expect(walked.taken).toEqual(["hold", "recover"]);
    expect(walked.recovered[0]?.payload).toBeUndefined();
  });

  it.each(["hold", "decide", "encode", "storeAndDescribe"])(
    "gives the fault of the tool's own stream to the caller when it shows in `%s`",
    async (name) => {
      const fault = new StreamFault("the tool's");
      const walked = scripted({ failing: { [name]: fault } });
      await expect(walked.run()).rejects.toBe(fault);
      expect(walked.taken).not.toContain("recover");
    },
  );

  it("closes where the door itself rejects", async () => {
    const walked = scripted({
      failing: { encode: new Error("no"), recover: new Error("refused") },
    });
    await expect(walked.run()).rejects.toThrow("refused");
    expect(walked.taken.at(-1)).toBe("close");
  });
});
