import { afterEach, expect, it } from "vitest";

import type { OffloadOptions } from "../src/core/options/options.js";
import { openedOffloaders } from "./opened-offloaders.js";

const open = openedOffloaders();
const value = Array.from({ length: 400 }, (_, id) => ({ id, name: `record ${id}` }));
const output = { toolName: "search", value, sessionId: "s" };

/** What nobody caught while a test ran: Node ends a process for it. */
const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const [first] = unhandled.splice(0);
  if (first !== undefined) throw first;
});

const rejecting = (): never => Promise.reject(new Error("no model")) as never;

// oxlint-disable-next-line unicorn/no-thenable -- what hostile code gives.
const thenable: never = Object.defineProperty({}, "then", {
  get() {
    throw new Error("no");
  },
}) as never;

it.each<[string, (text: string) => number]>([
  ["fractions", (text) => text.length / 4 + 0.1],
  ["more than 2^53", (text) => text.length * 1e300],
  ["more than can be added up", () => Number.MAX_VALUE],
  ["a bigint", () => 7n as never],
  ["a promise", (text) => Promise.resolve(text.length) as never],
  ["a promise that rejects", rejecting],
  ["an object whose then throws", () => thenable],
])("a tokenizer of the caller's that returns %s loses no output (C1, C2)", async (_, tokenizer) => {
  const { offloader, events } = open({ tokenizer });
  const result = await offloader.offload(output);
  expect(events.filter(({ type }) => type === "write-failed")).toEqual([]);
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  expect(Number.isSafeInteger(result.storedArtifact.tokens)).toBe(true);
  const body = await offloader.store.read(result.storedArtifact);
  expect(Buffer.from(body).toString()).toContain('{"id":399,"name":"record 399"}');
});

it.each<[string, OffloadOptions]>([
  ["a gate", { gates: [rejecting] }],
  ["the rule of file names", { fileName: rejecting }],
  ["what wraps small outputs", { describe: { wrapInline: rejecting } }],
  ["the clock", { now: rejecting }],
  ["the rule of tools", { include: rejecting }],
  ["the listener", { onEvent: rejecting }],
  ["the result set", { selectResultSet: rejecting }],
])(
  "%s that gives a promise or object where it has to give a value ends no process and loses no output",
  async (_, options) => {
    const { offloader } = open(options);
    for (const given of [value, "small"]) {
      const result = await offloader.offload({ ...output, value: given });
      if (result.outcome === "inline") {
        expect(result.value).toBe(given);
        expect(typeof (result.text ?? "")).toBe("string");
      } else {
        expect(result.outcome).toBe("offloaded");
      }
    }
  },
);
