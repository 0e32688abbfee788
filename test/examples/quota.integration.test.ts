import { createAgent, tool } from "langchain";
import {
  createOffloader,
  fileStore,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
  type ToolOutput,
  memoryStore,
  offloadMiddleware,
  sessionKeyOf,
} from "langchain-offload";
import { pluginContract, scriptedModel } from "langchain-offload/testing";
import { describe, expect, it } from "vitest";

import { quota } from "../../examples/09-quota-plugin/quota.js";
import { afterFile } from "../after-file.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const teamOf = ({ toolName }: ToolOutput) =>
  ({ list_trips: "transport", list_stops: "map" })[toolName];
const plugin = () => quota({ teams: { transport: 50_000, map: 50_000 }, teamOf });

/** A text of so many bytes, no two of which are the same output. */
const text = (sizeBytes: number, mark: string) =>
  `${mark}-0123456\n`.repeat(Math.ceil(sizeBytes / 10)).slice(0, sizeBytes);
const make = (options: OffloadOptions = {}) => {
  const offloader = createOffloader({ store: memoryStore(), plugins: [plugin()], ...options });
  afterFile(() => offloader.close());
  return offloader;
};
const trips = (value: unknown, more: Partial<ToolOutput> = {}): ToolOutput => ({
  toolName: "list_trips",
  value,
  sessionId: "one",
  ...more,
});
const sessionKey = sessionKeyOf("one");
const left = async ({ drillIn }: Offloader) =>
  /transport: (\d+)/.exec((await drillIn.run("quota", {}, { sessionKey })).text)?.[1];
const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);

pluginContract("the example's quota", plugin, { describe, it, expect });
pluginContract(
  "the example's quota that is used up",
  () => quota({ teams: { all: 0 }, teamOf: () => "all" }),
  { describe, it, expect },
);

describe("the example's quota", () => {
  it("puts a sentence in place of an output that does not fit, and the agent goes on", async () => {
    const offloader = make();
    const named = (name: string) =>
      tool(({ day }: { day: string }) => text(30_000, day), {
        name,
        description: "Those of a day.",
        schema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
      });
    const call = (name: string, day: string) => ({ name, args: { day } });
    const model = scriptedModel([
      { toolCalls: [call("list_trips", "a")] },
      { toolCalls: [call("list_trips", "b"), call("list_stops", "s")] },
      { toolCalls: [{ name: "quota_tool_output", args: {} }] },
      "Done with it.",
    ]);
    const middleware = [offloadMiddleware({ offloader })];
    const tools = [named("list_trips"), named("list_stops")];
    const { messages } = await createAgent({ model, tools, middleware }).invoke({
      messages: "Go.",
    });
    const told = messages.filter(({ type }) => type === "tool").map((message) => message.text);
    expect(told).toEqual([
      expect.stringContaining("It counts for the quota of team transport. quota_tool_output says"),
      "Team transport has 20000 of its 50000 bytes left, and this output has 30000: it was not kept.",
      expect.stringContaining("It counts for the quota of team map."),
      "transport: 20000 of 50000 bytes are left.\nmap: 20000 of 50000 bytes are left.",
    ]);
    expect(messages.at(-1)?.text).toBe("Done with it.");
  });

  it("keeps as many of several outputs at once as fit, also where they share a turn's budget", async () => {
    const waits = { threshold: { tokens: 50_000 }, turnBudget: { tokens: 2000 } };
    for (const options of [{}, waits]) {
      const events: OffloadEvent[] = [];
      const offloader = make({ ...options, onEvent: (event) => events.push(event) });
      const outputs = ["a", "b", "c", "d", "e"].map((mark) => trips(text(20_000, mark)));
      const results = await offloader.offloadAll(outputs);
      const kept = ["offloaded", "offloaded", "inline", "inline", "inline"];
      expect(outcomes(results).toSorted().toReversed()).toEqual(kept);
      const types = events.map(({ type }) => type).filter((type) => type.startsWith("plugin"));
      expect(types).toEqual(Array(3).fill("plugin-event"));
      expect(await left(offloader)).toBe("10000");
      expect((await offloader.store.list(sessionKey)).artifacts).toHaveLength(2);
    }
  });

  it("counts what has expired, was deleted or ended with its session no more", async () => {
    let time = Date.now();
    const now = () => time;
    const offloader = make({ now, store: memoryStore({ now }) });
    const offload = async (mark: string, sessionId = "one") =>
      offloader.offload(trips(text(40_000, mark), { sessionId }));
    const first = await offload("a");
    expect(await left(offloader)).toBe("10000");
    if (first.outcome !== "offloaded") throw new Error("not stored");
    await offloader.store.delete(first.storedArtifact.id, first.storedArtifact.sessionKey);
    const both = [await offload("b", "two"), await offload("c")];
    expect(outcomes(both)).toEqual(["offloaded", "inline"]);
    await offloader.endSession("two");
    expect(outcomes([await offload("d")])).toEqual(["offloaded"]);
    time += 3_600_000;
    // It was refused above; now it fits.
    expect(outcomes([await offload("c")])).toEqual(["offloaded"]);
    expect(await left(offloader)).toBe("10000");
  });

  it("counts on after a restart, for all sessions", async () => {
    const directory = await makeDirectory();
    const before = make({ store: fileStore({ directory }) });
    await before.offload(trips(text(40_000, "a")));
    await before.close();
    const after = make({ store: fileStore({ directory }) });
    expect(await left(after)).toBe("10000");
    const other = await after.offload(trips(text(40_000, "b"), { sessionId: "two" }));
    expect(other.outcome).toBe("inline");
  });

  it("removes nothing that was kept before, when the same output comes again beyond the quota", async () => {
    const offloader = make();
    const first = await offloader.offload(trips(text(40_000, "a")));
    await offloader.put(text(40_000, "b"), { sessionId: "one", toolName: "list_trips" });
    const again = await offloader.offload(trips(text(40_000, "a")));
    const [id, same] = [first, again].map(
      (one) => "storedArtifact" in one && one.storedArtifact.id,
    );
    expect(same).toBe(id);
    expect(id).toBeTypeOf("string");
    expect((await offloader.store.list(sessionKey)).artifacts).toHaveLength(2);
  });
});
