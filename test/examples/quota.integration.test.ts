import { createAgent, tool } from "langchain";
import {
  createOffloader,
  fileStore,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
  type OffloadResult,
  type ToolOutput,
  memoryStore,
  offloadMiddleware,
  sessionKeyOf,
} from "langchain-offload";
import { pluginContract, scriptedModel } from "langchain-offload/testing";
import { afterEach, describe, expect, it } from "vitest";

import { quota } from "../../examples/09-quota-plugin/quota.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const teamOf = ({ toolName }: ToolOutput) =>
  ({ list_trips: "transport", list_stops: "map" })[toolName];
const plugin = () => quota({ teams: { transport: 50_000, map: 50_000 }, teamOf });

/** A text of so many bytes, no two of which are the same output. */
const text = (sizeBytes: number, mark: string) =>
  `${mark}-0123456\n`.repeat(Math.ceil(sizeBytes / 10)).slice(0, sizeBytes);
const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (offloader) => offloader.close()));
});
const make = (options: OffloadOptions = {}) => {
  const offloader = createOffloader({ store: memoryStore(), plugins: [plugin()], ...options });
  opened.push(offloader);
  return offloader;
};
const trips = (value: unknown, more: Partial<ToolOutput> = {}): ToolOutput => ({
  toolName: "list_trips",
  value,
  sessionId: "one",
  ...more,
});
const left = async (offloader: Offloader) => {
  const { text: answer } = await offloader.drillIn.run(
    "quota",
    {},
    { sessionKey: sessionKeyOf("one") },
  );
  return /transport: (\d+)/.exec(answer)?.[1];
};
const outcomes = (results: readonly OffloadResult[]) => results.map(({ outcome }) => outcome);

pluginContract("the example's quota", plugin, { describe, it, expect });
pluginContract(
  "the example's quota that is used up",
  () => quota({ teams: { all: 0 }, teamOf: () => "all" }),
  { describe, it, expect },
);

describe("the example's quota", () => {
  it("puts a sentence in place of an output that does not fit, and the agent goes on", async () => {
    const offloader = make();
    const listTrips = tool(({ day }: { day: string }) => text(30_000, day), {
      name: "list_trips",
      description: "Trips of a day.",
      schema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    });
    const listStops = tool(() => text(30_000, "s"), {
      name: "list_stops",
      description: "Stops.",
      schema: { type: "object", properties: {} },
    });
    const call = (day: string) => ({ name: "list_trips", args: { day } });
    const model = scriptedModel([
      { toolCalls: [call("a")] },
      { toolCalls: [call("b"), { name: "list_stops", args: {} }] },
      { toolCalls: [{ name: "quota_tool_output", args: {} }] },
      "Done with it.",
    ]);
    const middleware = [offloadMiddleware({ offloader })];
    const agent = createAgent({ model, tools: [listTrips, listStops], middleware });
    const { messages } = await agent.invoke({ messages: "Which trips?" });
    const [first, refused, stops, answer] = messages.filter(({ type }) => type === "tool");

    expect(first?.text).toContain(
      "It counts for the quota of team transport. quota_tool_output says",
    );
    expect(refused?.text).toBe(
      "Team transport has 20000 of its 50000 bytes left, and this output has 30000: it was not kept.",
    );
    expect(stops?.text).toContain("It counts for the quota of team map.");
    expect(answer?.text).toBe(
      "transport: 20000 of 50000 bytes are left.\nmap: 20000 of 50000 bytes are left.",
    );
    expect(messages.at(-1)?.text).toBe("Done with it.");
  });

  it("keeps as many of several outputs at once as fit, also where they share a turn's budget", async () => {
    const waits = { threshold: { tokens: 50_000 }, turnBudget: { tokens: 2000 } };
    for (const options of [{}, waits]) {
      const events: OffloadEvent[] = [];
      const offloader = make({ ...options, onEvent: (event) => events.push(event) });
      const outputs = ["a", "b", "c", "d", "e"].map((mark) => trips(text(20_000, mark)));
      const results = await offloader.offloadAll(outputs);
      expect(results.filter(({ outcome }) => outcome === "offloaded")).toHaveLength(2);
      expect(results.filter(({ outcome }) => outcome === "inline")).toHaveLength(3);
      expect(events.filter(({ type }) => type === "plugin-failed")).toEqual([]);
      expect(events.filter(({ type }) => type === "plugin-event")).toHaveLength(3);
      expect(await left(offloader)).toBe("10000");
      const { artifacts } = await offloader.store.list(sessionKeyOf("one"));
      expect(artifacts).toHaveLength(2);
    }
  });

  it("leaves alone what is small, what has no team and what is switched off", async () => {
    const offloader = make({ perTool: { list_trips: { plugins: { quota: false } } } });
    const exempt = await offloader.offload(trips(text(60_000, "a")));
    const free = await offloader.offload(trips(text(60_000, "b"), { toolName: "other" }));
    const small = await make().offload(trips("few"));
    expect(outcomes([exempt, free, small])).toEqual(["offloaded", "offloaded", "inline"]);
    for (const result of [exempt, free])
      expect(result.outcome === "offloaded" && result.text).not.toContain("quota");
    expect(await left(offloader)).toBe("50000");
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
    expect(outcomes([await offload("b", "two"), await offload("c")])).toEqual([
      "offloaded",
      "inline",
    ]);
    await offloader.endSession("two");
    expect(outcomes([await offload("d")])).toEqual(["offloaded"]);
    time += 3_600_000;
    // It was refused above; now it fits.
    expect(outcomes([await offload("c")])).toEqual(["offloaded"]);
    expect(await left(offloader)).toBe("10000");
  });

  it("counts on after a restart, for all sessions", async () => {
    const store = async () => fileStore({ directory: await directory });
    const directory = makeDirectory();
    const before = make({ store: await store() });
    await before.offload(trips(text(40_000, "a")));
    await before.close();
    const after = make({ store: await store() });
    expect(await left(after)).toBe("10000");
    const other = await after.offload(trips(text(40_000, "b"), { sessionId: "two" }));
    expect(other.outcome).toBe("inline");
  });

  it("removes nothing that was kept before, when the same output comes again beyond the quota", async () => {
    const offloader = make();
    const first = await offloader.offload(trips(text(40_000, "a")));
    await offloader.put(text(40_000, "b"), { sessionId: "one", toolName: "list_trips" });
    const again = await offloader.offload(trips(text(40_000, "a")));
    expect(first.outcome === "offloaded" && first.storedArtifact.id).toBe(
      again.outcome === "offloaded" && again.storedArtifact.id,
    );
    const { artifacts } = await offloader.store.list(sessionKeyOf("one"));
    expect(artifacts).toHaveLength(2);
  });
});
