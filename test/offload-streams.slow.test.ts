import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../src/core/options/options.js";
import { openedOffloaders } from "./opened-offloaders.js";

const offloaderWith = openedOffloaders();

const record = (id: number) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  note: `visit ${id * 7919}, which was as long as the one before`,
});

/** Some 9 MB, so that it is not held in memory. */
const COUNT = 100_000;

async function* records() {
  for (let id = 0; id < COUNT; id += 1) yield record(id);
}

async function offloaded(value: unknown, options?: OffloadOptions) {
  const { offloader } = offloaderWith(options);
  const result = await offloader.offload({ toolName: "export", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  const { storedArtifact, text, descriptor } = result;
  const { headerBytes, sizeBytes } = storedArtifact;
  const read = (start: number, end: number) => offloader.store.read(storedArtifact, { start, end });
  const header = Buffer.from(await read(0, headerBytes)).toString();
  const body = Buffer.from(await read(headerBytes, sizeBytes));
  return { storedArtifact, text, descriptor, header, body };
}

describe("a stream that is too large to be held", () => {
  it("is stored record by record, with exact counts, and a profile from all over it", async () => {
    const { storedArtifact, text, descriptor, header, body } = await offloaded(records());
    expect(storedArtifact).toMatchObject({
      kind: "json-array",
      layout: "records",
      recordCount: COUNT,
      lineCount: COUNT + 1,
      fields: ["id", "city", "note"],
      tokensExact: false,
    });
    const all = Array.from({ length: COUNT }, (_, id) => `${JSON.stringify(record(id))}\n`);
    expect(body.equals(Buffer.from(all.join("")))).toBe(true);
    expect(JSON.parse(header)).toMatchObject({ type: "lro_header", count: COUNT });
    expect(JSON.parse(text)).toMatchObject({ offloaded: true, summary: { count: COUNT } });
    expect(descriptor.tokens).toBeLessThanOrEqual(600);
    // Some 27 tokens a record.
    expect(storedArtifact.tokens / COUNT).toBeGreaterThan(20);
    expect(storedArtifact.tokens / COUNT).toBeLessThan(35);
  });

  it("takes bytes as they come, and writes what is no text as JSON on a line of its own", async () => {
    const block = Buffer.from("a line of a log that goes on\n".repeat(2_000));
    async function* parts() {
      for (let part = 0; part < 100; part += 1) yield new Uint8Array(block);
      yield { status: 1n, self: undefined };
    }
    const { body } = await offloaded(parts());
    expect(body.length).toBe(100 * block.length + 16);
    expect(body.subarray(-17).toString()).toBe('\n\n{"status":"1"}\n');
  });

  it("is described by all kinds of its records where they come in turns", async () => {
    async function* turns() {
      for (let id = 0; id < 60_000; id += 1) {
        yield id % 2 === 0
          ? { type: "request", url: `https://example.org/orders/${id}/with/a/long/path/of/its/own` }
          : { type: "response", status: 200 + (id % 300), error: `what went wrong with ${id}` };
      }
    }
    const { storedArtifact, text } = await offloaded(turns());
    expect(storedArtifact.fields?.toSorted()).toEqual(["error", "status", "type", "url"]);
    expect(text).toMatch(/request.*response|response.*request/s);
  });

  it.each([990_000, 1_100_000])(
    "is stored where most of its records are too long to be looked at: 1,100,000 and %i",
    async (other) => {
      async function* long() {
        for (let id = 0; id < 19; id += 1)
          yield { id, text: "x".repeat(id % 2 === 0 ? 1_100_000 : other) };
        yield { id: 19, text: "short" };
      }
      const { storedArtifact } = await offloaded(long());
      expect(storedArtifact.recordCount).toBe(20);
    },
  );

  it("of parts that are empty lets others run, and hears of an abort", async () => {
    const { offloader } = offloaderWith();
    async function* empty() {
      for (let part = 0; part < 10_000_000; part += 1) yield "";
    }
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("no longer wanted")), 20);
    const call = { toolName: "export", value: empty(), sessionId: "s", signal: controller.signal };
    await expect(offloader.offload(call)).rejects.toThrow("no longer wanted");
  });
});

describe("a stream below the limits", () => {
  it("is stored when more than 4 MiB came, even if nothing limits it", async () => {
    const { storedArtifact } = await offloaded(Readable.from(records()), { gates: [] });
    expect(storedArtifact.recordCount).toBe(COUNT);
  });
});
