import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it, vi } from "vitest";

import { sessionKeyOfCall } from "../../../../src/adapters/langchain/run/reading-call.js";
import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  type StoredArtifact,
} from "../../../../src/index.js";
import { newArtifactId } from "../../../../src/core/store/naming.js";
import { contractArtifact } from "../../../../src/testing/store-contract/contract-artifact.js";
import { startWorkCounter } from "../../../core/drill-in/count-work.js";

const OUTPUTS = 1_000;
/** For each output of a conversation: the length of a few paths, whatever the call is sent. */
const MAX_WORK_PER_OUTPUT = 100_000;
const LENGTH = 3_000_000;
const TEXTS = Array.from({ length: 3_000 }, (_, n) => [`a${n}`, "A".repeat(1_000)] as const);

const store = memoryStore();
const put = (more: object = {}): Promise<StoredArtifact> => {
  const nowMs = Date.now();
  const artifact = contractArtifact(1, { createdAt: nowMs, expiresAt: nowMs + 3_600_000 });
  return store.put({ ...artifact, ...more }, [Uint8Array.of(1)]);
};
const stored = await put();
const newest = await put({ ...named(), sessionKey: "b".repeat(64) });

/** A conversation without a thread id whose messages carry outputs. */
const carrying = (...artifacts: readonly StoredArtifact[]) => ({
  state: {
    messages: artifacts.map(
      (artifact) => new ToolMessage({ content: "{}", tool_call_id: "call", artifact }),
    ),
  },
});

describe("the session of a call", () => {
  it("is that of a named output although the store fails, so that its fault is told", async () => {
    const failing = { ...store, stat: () => Promise.reject(new Error("down")) };
    const key = await sessionKeyOfCall(failing, carrying(stored), { id: stored.id });
    expect(key).toBe(stored.sessionKey);
    expect(await sessionKeyOfCall(failing, carrying(stored), {})).toBeUndefined();
  });

  it.each([
    ["the id", ({ id }: StoredArtifact) => ({ id })],
    ["the id in lower case", ({ id }: StoredArtifact) => ({ id: id.toLowerCase() })],
    ["a path", ({ fileName }: StoredArtifact) => ({ file_path: `/tmp/${fileName}` })],
    ["an id beside a filter", ({ id }: StoredArtifact) => ({ filter: `{by: "${newest.id}"}`, id })],
    ["all arguments as one text", ({ id }: StoredArtifact) => JSON.stringify({ id })],
  ])("is that of the output which %s names", async (_, argsOf) => {
    // The newest one is another's.
    expect(await sessionKeyOfCall(store, carrying(stored, newest), argsOf(stored))).toBe(
      stored.sessionKey,
    );
  });

  it.each([
    ["one long text", { id: "A".repeat(LENGTH) }],
    ["a text that is no object", "A".repeat(LENGTH)],
    ["many texts", Object.fromEntries(TEXTS)],
    ["a list", TEXTS.map(([, text]) => text)],
  ])("is found with bounded work whatever is passed: %s", async (_, args) => {
    const place = carrying(...Array.from({ length: OUTPUTS }, () => ({ ...stored, ...named() })));
    const counter = await startWorkCounter();
    const work = await counter.count(() => sessionKeyOfCall(store, place, args));
    await counter.stop();
    expect(work).toBeLessThan(OUTPUTS * MAX_WORK_PER_OUTPUT);
  });
});

it("a drill-in that names thousands of outputs asks the store for a few of them", async () => {
  const stat = vi.fn<() => Promise<undefined>>(async () => undefined);
  const offloader = createOffloader({ store: { ...memoryStore(), stat } });
  const [read] = createDrillInTools(offloader);
  const ids = Array.from({ length: 5_000 }, (_, n) => [`a${n}`, newArtifactId(Date.now())]);
  await read?.invoke(Object.fromEntries(ids), carrying(stored) as never);
  await offloader.close();
  expect(stat.mock.calls.length).toBeLessThan(100);
});

function named(): { readonly id: string; readonly fileName: string } {
  const id = newArtifactId(Date.now());
  return { id, fileName: `atlatl-x-${id}.txt` };
}
