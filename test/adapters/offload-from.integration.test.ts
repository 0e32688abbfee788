import { afterAll, describe, expect, it } from "vitest";

import {
  createOffloader,
  memoryStore,
  type Offloader,
  type OffloadEvent,
  offloadFrom,
  type OffloadOptions,
  withOffload,
} from "../../src/index.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { SURFACES } from "../corpus/surfaces.js";
import { question, rows, toolMessages } from "./large-outputs.js";
import { calling, toolNamed } from "./agents.js";

const opened: Offloader[] = [];
afterAll(async () => {
  await Promise.all(opened.map((offloader) => offloader.close()));
});

/** Tiny, so that a descriptor itself is over it. */
const threshold = { tokens: 20 };

function offloaderWith(options: OffloadOptions = {}): Offloader {
  const offloader = createOffloader({ store: memoryStore(), threshold, ...options });
  opened.push(offloader);
  return offloader;
}

const returning = toolNamed(
  "visits",
  async (_, config) => await offloadFrom(config)(rows, { title: "Visits" }),
);

const call = calling("visits");
const count: ScriptedTurn = (messages) => {
  const text = toolMessages(messages)[0]?.text ?? "";
  const id = /"file_path":"([^"]+)"/.exec(text)?.[1];
  const args = { id, filter: "length", slurp: true };
  return calling("jq_tool_output", args);
};

describe.each(Object.entries(SURFACES))("offloadFrom(config) in %s", (name, surface) => {
  const thread = { configurable: { thread_id: name } };

  it("gives a text that, returned as it is, the pipeline leaves alone", async () => {
    const offloader = offloaderWith();
    const { invoke } = surface(offloader, [returning], [call, count]);
    const { messages } = await invoke(question, thread);
    const [given, counted] = toolMessages(messages);
    expect(JSON.parse(given?.text ?? "")).toMatchObject({
      offloaded: true,
      summary: { count: rows.length, title: "Visits", operation: "visits" },
    });
    expect(given?.artifact).toMatchObject({ toolName: "visits", title: "Visits" });
    expect(counted?.text).toMatch(/^800\n/);
    expect(offloader.stats().outputsOffloaded).toBe(1);
  });
});

it("offloadFrom(config) gives the value cut to the threshold when it cannot be stored", async () => {
  const events: OffloadEvent[] = [];
  const store = { ...memoryStore(), put: async () => Promise.reject(new Error("disk full")) };
  const onEvent = (event: OffloadEvent): void => void events.push(event);
  const offloader = offloaderWith({ store, onEvent, threshold: { tokens: 300 } });
  const wrapped = withOffload(returning, { offloader });
  const text = await wrapped.invoke({});
  expect(JSON.parse(text)).toMatchObject({ offload_failed: true, total_count: rows.length });
  expect(events.map(({ type }) => type)).toEqual(["write-failed", "truncated"]);
});
