import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { Offloader } from "../src/core/pipeline/create-offloader.js";
import type { StoredArtifact } from "../src/core/types/artifact.js";
import { openedOffloaders } from "./opened-offloaders.js";

const offloaderWith = openedOffloaders();

const record = (id: number) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  note: `visit ${id * 7919}, which was as long as the one before`,
});

/** Some 9 MB, so that it is not held in memory. */
const COUNT = 100_000;

async function* records(count = COUNT) {
  for (let id = 0; id < count; id += 1) yield record(id);
}

async function bodyOf(offloader: Offloader, artifact: StoredArtifact): Promise<Buffer> {
  const range = { start: artifact.headerBytes, end: artifact.sizeBytes };
  return Buffer.from(await offloader.store.read(artifact, range));
}

async function offloaded(offloader: Offloader, value: unknown) {
  const result = await offloader.offload({ toolName: "export", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  return result;
}

describe("a stream that is too large to be held", () => {
  it("is stored record by record, with exact counts, and a profile from all over it", async () => {
    const { offloader } = offloaderWith();
    const { storedArtifact, text, descriptor } = await offloaded(offloader, records());
    expect(storedArtifact).toMatchObject({
      kind: "json-array",
      layout: "records",
      recordCount: COUNT,
      lineCount: COUNT + 1,
      fields: ["id", "city", "note"],
      tokensExact: false,
    });
    const all = Array.from({ length: COUNT }, (_, id) => `${JSON.stringify(record(id))}\n`).join(
      "",
    );
    expect((await bodyOf(offloader, storedArtifact)).equals(Buffer.from(all))).toBe(true);
    const header = await offloader.store.read(storedArtifact, {
      start: 0,
      end: storedArtifact.headerBytes,
    });
    expect(JSON.parse(Buffer.from(header).toString())).toMatchObject({
      type: "lro_header",
      count: COUNT,
    });
    expect(JSON.parse(text)).toMatchObject({ offloaded: true, summary: { count: COUNT } });
    expect(descriptor.tokens).toBeLessThanOrEqual(600);
    // Some 27 tokens a record.
    expect(storedArtifact.tokens / COUNT).toBeGreaterThan(20);
    expect(storedArtifact.tokens / COUNT).toBeLessThan(35);
  });

  it("takes bytes as they come, and writes what is no text as JSON on a line of its own", async () => {
    const { offloader } = offloaderWith();
    const block = Buffer.from("a line of a log that goes on\n".repeat(2_000));
    async function* parts() {
      for (let part = 0; part < 100; part += 1) yield new Uint8Array(block);
      yield { status: 1n, self: undefined };
    }
    const { storedArtifact } = await offloaded(offloader, parts());
    const body = await bodyOf(offloader, storedArtifact);
    expect(body.length).toBe(100 * block.length + 16);
    expect(body.subarray(-17).toString()).toBe('\n\n{"status":"1"}\n');
  });

  it("is described by all kinds of its records where they come in turns", async () => {
    const { offloader } = offloaderWith();
    async function* turns() {
      for (let id = 0; id < 60_000; id += 1) {
        yield id % 2 === 0
          ? { type: "request", url: `https://example.org/orders/${id}/with/a/long/path/of/its/own` }
          : { type: "response", status: 200 + (id % 300), error: `what went wrong with ${id}` };
      }
    }
    const { storedArtifact, text } = await offloaded(offloader, turns());
    expect(storedArtifact.fields?.toSorted()).toEqual(["error", "status", "type", "url"]);
    expect(text).toMatch(/request.*response|response.*request/s);
  });

  it("is stored where most of its records are too long to be looked at", async () => {
    const { offloader } = offloaderWith();
    for (const lengths of [
      [1_100_000, 990_000],
      [1_100_000, 1_100_000],
    ]) {
      async function* long() {
        for (let id = 0; id < 19; id += 1) yield { id, text: "x".repeat(lengths[id % 2]!) };
        yield { id: 19, text: "short" };
      }
      const { storedArtifact } = await offloaded(offloader, long());
      expect(storedArtifact.recordCount).toBe(20);
    }
  });

  it("of parts that are empty lets others run, and hears of an abort", async () => {
    const { offloader } = offloaderWith();
    async function* empty() {
      for (let part = 0; part < 10_000_000; part += 1) yield "";
    }
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("no longer wanted")), 20);
    await expect(
      offloader.offload({
        toolName: "export",
        value: empty(),
        sessionId: "s",
        signal: controller.signal,
      }),
    ).rejects.toThrow("no longer wanted");
  });
});

describe("a stream below the limits", () => {
  it("is stored when more than 4 MiB came, even if nothing limits it", async () => {
    const { offloader } = offloaderWith({ gates: [] });
    const result = await offloader.offload({
      toolName: "t",
      value: Readable.from(records()),
      sessionId: "s",
    });
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    expect(result.storedArtifact.recordCount).toBe(COUNT);
  });
});
