import { Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";

import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import type { NextOutput, OffloadPlugin, PluginHooks } from "../../../src/core/types/plugin.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const value = "a line that says nothing\n".repeat(2_000);
const streamed = (): Readable => Readable.from([value]);
const plugin = (hooks: PluginHooks, name = "own"): OffloadPlugin => ({ name, setup: () => hooks });
const failing = (): never => {
  throw new Error("own fault");
};
const never = (): Promise<never> => new Promise(() => {});

const output = { toolName: "t", value, sessionId: "s" };

async function offloaded(hooks: PluginHooks, given: unknown = value) {
  const { offloader, events } = opened({ plugins: [plugin(hooks)] });
  const result = await offloader.offload({ ...output, value: given, toolCallId: "c" });
  return { offloader, events, result };
}
const whole = { outcome: "offloaded", storedArtifact: { sizeBytes: value.length } };

const faults = (events: readonly OffloadEvent[]) =>
  events.flatMap((event) =>
    event.type === "plugin-failed" ? [`${event.plugin} ${event.hook}`] : [],
  );

afterEach(() => vi.useRealTimers());

describe.each([
  ["a value", () => value],
  ["a stream", streamed],
])("wrapOutput around %s", (_name, given) => {
  it("may change what comes in and what comes out", async () => {
    const wrapOutput = async ({ output, ...call }: Parameters<NextOutput>[0], next: NextOutput) => {
      const result = await next({ ...call, output: { ...output, title: "Notes" } });
      return Object.assign({}, result, { own: true }) as OffloadResult;
    };
    const { result } = await offloaded({ wrapOutput }, given());
    expect(result).toMatchObject({
      outcome: "offloaded",
      own: true,
      storedArtifact: { title: "Notes" },
    });
  });

  it("is passed over where it throws before the pipeline, which then runs once", async () => {
    const { offloader, events, result } = await offloaded({ wrapOutput: failing }, given());
    expect(result.outcome).toBe("offloaded");
    expect(faults(events)).toEqual(["own wrapOutput"]);
    expect(offloader.stats().outputsSeen).toBe(1);
  });

  it("is passed over where it gives next no call", async () => {
    for (const lacking of [undefined, {}, { output: {} }]) {
      const wrapOutput: PluginHooks["wrapOutput"] = (_, next) => next(lacking as never);
      const { events, result } = await offloaded({ wrapOutput }, given());
      expect(result).toMatchObject(whole);
      expect(faults(events)).toEqual(["own wrapOutput"]);
    }
  });

  it("loses nothing where it throws after the pipeline, or gives no result", async () => {
    const bare = ["offloaded", "truncated", "none"].map((outcome) => ({ outcome, text: "" }));
    const half = [undefined, { outcome: "inline", text: 5 }, ...bare];
    for (const end of [failing, ...half.map((given) => () => given as never)]) {
      const wrapOutput: PluginHooks["wrapOutput"] = async (call, next) => {
        await next(call);
        return end();
      };
      const { events, result } = await offloaded({ wrapOutput }, given());
      expect(result).toMatchObject(whole);
      expect(faults(events)).toEqual(["own wrapOutput"]);
    }
  });

  it("is not waited for when it never returns", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const before = offloaded({ wrapOutput: never }, given());
    const after = offloaded({ wrapOutput: (call, next) => next(call).then(never) }, given());
    const ended = Promise.all([before, after]);
    const ticking = setInterval(() => vi.advanceTimersByTime(60_000), 1);
    const results = await ended;
    clearInterval(ticking);
    for (const { result, events } of results)
      expect([result.outcome, ...faults(events)]).toEqual(["offloaded", "own wrapOutput"]);
  });
});

it("runs the pipeline again on the unchanged output where a hook changed it and then failed", async () => {
  const wrapOutput: PluginHooks["wrapOutput"] = async ({ output, ...call }, next) => {
    await next({ ...call, output: { ...output, value: "nothing is left" } });
    return failing();
  };
  expect((await offloaded({ wrapOutput })).result).toMatchObject(whole);
});

it("reports a description that comes as a promise, whose rejection ends no process", async () => {
  const { result, events } = await offloaded({ describe: (async () => failing()) as never });
  expect([result.outcome, ...faults(events)]).toEqual(["offloaded", "own describe"]);
});

it("wraps in the order of the list, and cleans before all of them", async () => {
  const told: string[] = [];
  const wrapping = (name: string): OffloadPlugin =>
    plugin({ wrapOutput: (call, next) => (told.push(name), next(call)) }, name);
  const cleaning = plugin({ clean: (text) => (told.push("clean"), text) }, "cleaning");
  const { offloader } = opened({ plugins: [wrapping("a"), cleaning, wrapping("b")] });
  await offloader.offload(output);
  expect(told).toEqual(["clean", "a", "b"]);
});

it("withholds an output that cannot be cleaned, also of a tool that takes no part", async () => {
  for (const more of [{}, { exclude: ["t"] }, { enabled: false }]) {
    const { offloader, events } = opened({ plugins: [plugin({ clean: failing })], ...more });
    const result = await offloader.offload({ ...output, value: "a secret" });
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(faults(events)).toEqual(["own clean"]);
  }
});

it("leaves a tool alone whose settings switch the plugin off", async () => {
  const hooks = { clean: vi.fn<() => string>(failing), wrapOutput: vi.fn<() => never>(failing) };
  const perTool = { t: { plugins: { own: false } } };
  const { offloader, events } = opened({ plugins: [plugin(hooks)], perTool });
  await offloader.offload(output);
  expect([hooks.clean.mock.calls.length, hooks.wrapOutput.mock.calls.length]).toEqual([0, 0]);
  expect(faults(events)).toEqual([]);
});

it("tells observers, whose faults change nothing", async () => {
  const seen: string[] = [];
  const { result } = await offloaded({
    onOutput: ({ source }, { outcome }) => (seen.push(`${source} ${outcome}`), failing()),
    onEvent: ({ type }) => (seen.push(type), failing()),
  });
  expect(result.outcome).toBe("offloaded");
  expect(seen).toContain("tool offloaded");
  expect(seen).toContain("offloaded");
});

it("lets a plugin store and find values in the session of the call, past all wraps", async () => {
  const setup: OffloadPlugin["setup"] = ({ put, find }) => ({
    async wrapOutput(call, next) {
      const { storedArtifact } = await put("beside", { call: call.call, toolName: "own" });
      expect(await find(storedArtifact.id, call.call)).toEqual(storedArtifact);
      return await next(call);
    },
  });
  const { offloader } = opened({ plugins: [{ name: "own", setup }] });
  await offloader.offload(output);
  const { artifacts } = await offloader.store.list(sessionKeyOf("s"));
  expect(artifacts.map(({ toolName }) => toolName)).toEqual(["own", "t"]);
});

it("hears of the end of a session and of the offloader, and waits for neither too long", async () => {
  const told: string[] = [];
  const hooks = {
    endSession: async (sessionKey: string) => void told.push(sessionKey.slice(0, 3)),
    close: async () => void told.push("closed"),
  };
  const { offloader } = await offloaded(hooks);
  await offloader.endSession("s");
  await offloader.close();
  expect(told).toEqual([expect.stringMatching(/^[0-9a-f]{3}$/), "closed"]);
});

it.each<[string, readonly unknown[], RegExp]>([
  ["given twice", [plugin({}), plugin({})], /"own" is given twice/],
  ["with an unknown hook", [plugin({ wrapAll: failing } as never)], /plugin "own"[^]*"wrapAll"/],
  [
    "with a hook that is none",
    [plugin({ clean: "no" } as never)],
    /plugin "own"[^]*a function\n {2}→ at clean/,
  ],
  ["whose hooks would come later", [{ name: "own", setup: async () => ({}) }], /setup must return/],
  ["without setup", [{ name: "own" }], /a plugin/],
])("refuses a plugin %s", (_name, plugins, message) => {
  expect(() => opened({ plugins: plugins as never })).toThrow(message);
});

describe("tags of an output", () => {
  const tagging = (tags: unknown): PluginHooks => ({
    wrapOutput: (call, next) =>
      next({ ...call, output: { ...call.output, tags } as (typeof call)["output"] }),
    describe: ({ storedArtifact: { tags } }) => ({ guidance: `Of ${tags?.["team"] ?? "nobody"}.` }),
  });

  it("are kept with what is stored, and the model sees only what the plugin says of them", async () => {
    const { offloader, result } = await offloaded(tagging({ team: "map", secret: "s3" }));
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    const { id, sessionKey } = result.storedArtifact;
    const kept = await offloader.store.stat(id, sessionKey);
    expect(kept?.tags).toEqual({ team: "map", secret: "s3" });
    expect(result.text).toContain("Of map.");
    expect(result.text).not.toContain("s3");
  });

  it.each([5, { n: 5n }, { team: "x".repeat(2_000) }])(
    "are left out where they are no texts or too long: %#",
    async (tags) => {
      const { result } = await offloaded(tagging(tags));
      expect(result).toMatchObject({ outcome: "offloaded" });
      expect(result).not.toHaveProperty("storedArtifact.tags");
    },
  );

  it("tell two equal outputs apart", async () => {
    const tags = { team: "a" };
    const { offloader } = opened({ plugins: [plugin(tagging(tags))] });
    const first = await offloader.offload(output);
    tags.team = "b";
    const results = [first, await offloader.offload(output)];
    const ids = results.map((one) => one.outcome === "offloaded" && one.storedArtifact.id);
    expect(new Set(ids).size).toBe(2);
  });

  it("put() says what a plugin refused it with", async () => {
    const wrapOutput = async () => ({ outcome: "inline", value: "The quota is used up." }) as const;
    const { offloader } = opened({ plugins: [plugin({ wrapOutput })] });
    await expect(offloader.put(value, { sessionId: "s" })).rejects.toThrow("The quota is used up.");
  });
});
