import { describe, expect, it } from "vitest";

import type { Offloader } from "../src/core/pipeline/create-offloader.js";

import { HOSTILE_VALUES } from "./hostile-values.js";
import { openedOffloaders } from "./opened-offloaders.js";

const offloaderWith = openedOffloaders();

const offload = (offloader: Offloader, value: unknown, more: object = {}) =>
  offloader.offload({ toolName: "t", value, sessionId: "s", ...more });

it.each(HOSTILE_VALUES)("never fails the tool call: %s", async (_, make) => {
  const large = "a text that is long enough to leave. ".repeat(400);
  for (const { offloader } of [offloaderWith(), offloaderWith({ threshold: { tokens: 1 } })])
    for (const value of [make(), [make()], { large, value: make() }, [large, make()]]) {
      await expect(offload(offloader, value)).resolves.toHaveProperty("outcome");
      await expect(offload(offloader, "x", { artifact: value })).resolves.toBeDefined();
    }
});

describe("a value of any kind", () => {
  it.each<[string, unknown]>([
    ["a map", new Map([["a", 1]])],
    ["a set", new Set([1])],
    ["an error", new TypeError("no")],
    ["numbers", new Uint16Array([1, 2])],
    ["what JSON tells all of", { a: [1, new Date(0), null] }],
    ["a block", [{ type: "image", url: "https://e" }]],
  ])("stays the object that came (R15): %s", async (_, value) => {
    const result = await offload(offloaderWith().offloader, value);
    expect(result.outcome === "inline" && result.value).toBe(value);
  });

  it("is records when it is a large map or set of them", async () => {
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, city: `city ${id}` }));
    const { offloader } = offloaderWith();
    for (const [value, kind] of [
      [new Map(rows.map((row) => [`k${row.id}`, row])), "json-map"],
      [new Set(rows), "json-array"],
      [{ found: new Set(rows) }, "json-object"],
    ] as const) {
      const result = await offload(offloader, value);
      expect(result).toMatchObject({ storedArtifact: { kind, recordCount: 400 } });
    }
  });
});

/** All bytes from 0 to 255 in an order without a pattern, and some lines. */
const BYTES = Buffer.from(
  Array.from({ length: 60_000 }, (_, at) => (at * 7919 + (at >> 8)) & 0xff),
);
const BROKEN = Buffer.concat([
  Buffer.from("日本語のログ行\n".repeat(1_600)),
  Buffer.from([0xe6, 0x97]),
]);

async function stored(offloader: Offloader, value: unknown) {
  const result = await offload(offloader, value);
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  const { storedArtifact: artifact, text } = result;
  const range = { start: artifact.headerBytes, end: artifact.sizeBytes };
  return { artifact, text, body: Buffer.from(await offloader.store.read(artifact, range)) };
}

async function* parts(bytes: Buffer, size = 1_009) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("bytes that are no UTF-8", () => {
  it.each([
    ["data", BYTES, { kind: "binary" }],
    ["a text with one broken character", BROKEN, { kind: "text" }],
  ] as const)(
    "are stored as they came, small or large, in one part or many: %s",
    async (_, bytes, told) => {
      const { offloader } = offloaderWith();
      const many = Buffer.concat(
        Array.from({ length: Math.ceil(5_000_000 / bytes.length) }, () => bytes),
      );
      for (const [value, expected] of [
        [bytes, bytes],
        [new Blob([bytes]), bytes],
        [parts(bytes), bytes],
        [parts(bytes, 1), bytes],
        [parts(many, 65_537), many],
      ] as const) {
        const { artifact, body } = await stored(offloader, value);
        expect(body.equals(expected)).toBe(true);
        expect(artifact).toMatchObject(told);
      }
    },
  );

  it("are told of where reading shows U+FFFD for them, and no U+FFFD of the text is", async () => {
    const { offloader } = offloaderWith({ threshold: { bytes: 1 } });
    const line = Buffer.from("größer als ein Wort, \ufffd und 日本\n");
    const broken = Buffer.concat([
      Buffer.from([0xff]),
      line,
      Buffer.from([0xf0, 0x9f, 0x98, 0x0a]),
    ]);
    const { artifact } = await stored(
      offloader,
      Buffer.concat([...Array(60).fill(line), broken, ...Array(60).fill(line)]),
    );
    const { id, sessionKey } = artifact;
    const read = async (args: object) =>
      (await offloader.drillIn.run("read", { id, ...args }, { sessionKey })).text;
    expect(await read({})).toContain("not UTF-8");
    expect(await read({ start_line: 61, end_line: 61 })).toContain("not UTF-8");
    expect(await read({ start_line: 1, end_line: 60 })).not.toContain("not UTF-8");
  });
});
