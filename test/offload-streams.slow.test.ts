import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { Offloader } from "../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../src/core/store/memory.js";
import { sessionKeyOf } from "../src/core/store/naming.js";
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

async function* lines(write: (id: number) => string) {
  for (let id = 0; id < COUNT; id += 100) {
    yield Array.from({ length: 100 }, (_, index) => write(id + index)).join("");
  }
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

  it("has records when all lines of its text are JSON, also without a last line end", async () => {
    const { offloader } = offloaderWith();
    const write = (id: number) => `${id === 0 ? "" : "\n"}${JSON.stringify(record(id))}`;
    const { storedArtifact } = await offloaded(offloader, lines(write));
    expect(storedArtifact).toMatchObject({ kind: "json-lines", recordCount: COUNT });
  });

  it("is the table that it is as one value when it is a table, cut anywhere", async () => {
    const row = (id: number) => `${id},"city ${id % 3}, or\nnot",visit ${id * 7919}\r\n`;
    const all = `id,city,note\r\n${Array.from({ length: COUNT * 2 }, (_, id) => row(id)).join("")}`;
    async function* parts() {
      for (let at = 0, step = 1; at < all.length; at += step) {
        step = (step * 7919) % 65_537;
        yield all.slice(at, at + step);
      }
    }
    const { offloader } = offloaderWith();
    const whole = await offloaded(offloader, all);
    const { storedArtifact, text } = await offloaded(offloader, parts());
    const { kind, layout, recordCount, lineCount, sizeBytes, headerBytes, fields } = storedArtifact;
    expect({ kind, layout, recordCount, lineCount, sizeBytes, headerBytes, fields }).toEqual({
      kind: "csv",
      layout: "rows",
      recordCount: COUNT * 2,
      lineCount: whole.storedArtifact.lineCount,
      sizeBytes: Buffer.byteLength(all),
      headerBytes: 0,
      fields: whole.storedArtifact.fields,
    });
    expect(whole.storedArtifact).toMatchObject({ kind, layout, recordCount, sizeBytes });
    const names = (artifact: StoredArtifact) => artifact.recipes.map((each) => each.description);
    expect(names(storedArtifact)).toEqual(names(whole.storedArtifact));
    expect((await bodyOf(offloader, storedArtifact)).toString()).toBe(all);
    expect(JSON.parse(text).summary).toMatchObject({
      count: COUNT * 2,
      looked_at: expect.stringContaining(`a sample of 1000 of ${COUNT * 2} records`),
    });
  });

  it("is split into records when it is one JSON array, cut anywhere", async () => {
    const all = JSON.stringify(Array.from({ length: COUNT }, (_, id) => record(id)));
    async function* parts() {
      for (let at = 0, step = 1; at < all.length; at += step) {
        step = (step * 7919) % 65_537;
        yield all.slice(at, at + step);
      }
    }
    const { offloader } = offloaderWith();
    const whole = await offloaded(offloader, all);
    const { storedArtifact } = await offloaded(offloader, parts());
    const { kind, layout, recordCount, lineCount, fields } = whole.storedArtifact;
    expect(storedArtifact).toMatchObject({ kind, layout, recordCount, lineCount, fields });
    expect(recordCount).toBe(COUNT);
    const body = await bodyOf(offloader, storedArtifact);
    expect(body.equals(await bodyOf(offloader, whole.storedArtifact))).toBe(true);
    // What the model would have paid is the text as it came.
    expect(storedArtifact.tokens / whole.storedArtifact.tokens).toBeCloseTo(1, 1);
  });

  it("is text when an array of JSON is not over at its end", async () => {
    const { offloader } = offloaderWith();
    const write = (id: number) => `${id === 0 ? "[" : ","}${JSON.stringify(record(id))}`;
    const { storedArtifact } = await offloaded(offloader, lines(write));
    expect(storedArtifact.layout).toBe("text");
    const all = Array.from({ length: COUNT }, (_, id) => write(id)).join("");
    expect((await bodyOf(offloader, storedArtifact)).toString()).toBe(all);
  });

  it("is text when one row far in has another width", async () => {
    const { offloader } = offloaderWith();
    const write = (id: number) =>
      id === 0 ? "id,text\n" : `${id},${id === 90_000 ? "," : ""}${"long ".repeat(10)}\n`;
    const { storedArtifact } = await offloaded(offloader, lines(write));
    expect(storedArtifact.layout).toBe("text");
    expect(storedArtifact.recordCount).toBeUndefined();
  });

  it("is text byte for byte when one line far in is no JSON", async () => {
    const { offloader } = offloaderWith();
    const write = (id: number) => (id === 90_000 ? "oops\n" : `${JSON.stringify(record(id))}\n`);
    const { storedArtifact } = await offloaded(offloader, lines(write));
    expect(storedArtifact).toMatchObject({ layout: "text", lineCount: COUNT, headerBytes: 0 });
    const all = Array.from({ length: COUNT }, (_, id) => write(id)).join("");
    expect((await bodyOf(offloader, storedArtifact)).toString()).toBe(all);
  });

  it("keeps characters that are cut between two parts, with U+FFFD for half of one", async () => {
    const { offloader } = offloaderWith();
    async function* parts() {
      for (let part = 0; part < 50_000; part += 1) {
        yield `${"long enough to be stored ".repeat(5)}\ud83d`;
        yield `\ude00${part === 49_999 ? "\ud800" : "\n"}`;
      }
    }
    const { storedArtifact } = await offloaded(offloader, parts());
    const body = await bodyOf(offloader, storedArtifact);
    expect(body.subarray(-7)).toEqual(Buffer.from([0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd]));
    const read = await offloader.drillIn.run(
      "read",
      { id: storedArtifact.id, start_line: 2, end_line: 2 },
      { sessionKey: storedArtifact.sessionKey },
    );
    expect(read.text).toContain("😀");
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

  it("is stopped at the size limit, and the descriptor says so", async () => {
    let asked = 0;
    async function* endless() {
      for (;;) yield record((asked += 1));
    }
    const { offloader } = offloaderWith({ maxOutputBytes: 6_000_000 });
    const { storedArtifact, text } = await offloaded(offloader, endless());
    expect(storedArtifact.sizeBytes - storedArtifact.headerBytes).toBeLessThanOrEqual(6_000_000);
    expect(storedArtifact.recordCount).toBe(asked - 1);
    expect(JSON.parse(text).summary).toMatchObject({ complete: false });
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

  it("rejects with what the stream throws far in, and leaves nothing in the store", async () => {
    const { offloader, events } = offloaderWith();
    async function* failing() {
      yield* records();
      throw new Error("the source went away");
    }
    await expect(offloaded(offloader, failing())).rejects.toThrow("the source went away");
    expect((await offloader.store.list(sessionKeyOf("s"))).artifacts).toEqual([]);
    expect(events).toEqual([]);
  });

  it("rejects with the signal's reason, even while a part never comes", async () => {
    const { offloader } = offloaderWith();
    const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const signal = AbortSignal.timeout(20);
    const run = offloader.offload({ toolName: "t", value: stuck, sessionId: "s", signal });
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("comes back as its beginning with a warning when the store fails", async () => {
    const put = () => Promise.reject(new Error("disk full"));
    const { offloader, events } = offloaderWith({ store: { ...memoryStore(), put } });
    const result = await offloader.offload({ toolName: "t", value: records(), sessionId: "s" });
    if (result.outcome !== "truncated") throw new Error(`got ${result.outcome}`);
    expect(result.text).toMatch(/^\{"id":0,/);
    expect(result.text).toMatch(/ of 8874854 bytes are missing here, of \d{7} tokens in all/);
    expect(events.map(({ type }) => type)).toEqual(["write-failed", "truncated"]);
  });

  it("is cut to its head and tail when outputs are to be cut", async () => {
    const { offloader } = offloaderWith({ mode: "truncate" });
    const text = lines((id) => `line ${id} of a log that is too long for a model\n`);
    const result = await offloader.offload({ toolName: "t", value: text, sessionId: "s" });
    if (result.outcome !== "truncated") throw new Error(`got ${result.outcome}`);
    expect(result.text).toMatch(/^line 0 of/);
    expect(result.text).toContain("[truncated 4.9 MB; head and tail preserved]");
    expect(result.text).toMatch(/line 99999 of a log that is too long for a model\n$/);
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

  it("says so when it was stopped at the size limit", async () => {
    const { offloader } = offloaderWith({ maxOutputBytes: 20 });
    const inline = async (value: unknown) =>
      await offloader.offload({ toolName: "t", value, sessionId: "s" });
    expect(await inline(Readable.from(["twelve bytes", "and twelve more"]))).toMatchObject({
      value: "twelve bytesand twel\n[The stream was stopped at its limit of 20 bytes.]",
    });
    expect(await inline(Readable.from([{ id: 1 }, { id: 2 }, { id: 3 }]))).toMatchObject({
      value: expect.stringMatching(/^\{"complete":false,.*"records":\[\{"id":1\},\{"id":2\}\]\}$/),
    });
  });
});
