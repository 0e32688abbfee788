import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../src/core/options/options.js";
import { openedOffloaders } from "./opened-offloaders.js";

const opened = openedOffloaders();
const COUNT = 80_000;
const row = (id: number): string =>
  JSON.stringify({ id, note: `visit ${id * 7919}, and what was said there ` });
const LINES = Array.from({ length: COUNT }, (_, id) => row(id));

const ROWS = [
  "id,note\n",
  ...LINES.map((_, id) => `${id},"visit ${id}\n, ${"again ".repeat(9)}"\n`),
];

async function* parts(text: string, size = 65_537) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function* records() {
  for (const line of LINES) yield JSON.parse(line);
}

async function stored(value: unknown, options: OffloadOptions = {}) {
  const { offloader } = opened(options);
  const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  const { storedArtifact: artifact, text, descriptor } = result;
  const { kind, layout, recordCount, lineCount, headerBytes } = artifact;
  const bytes = Buffer.from(await offloader.store.read(artifact));
  const header = bytes.subarray(0, headerBytes).toString();
  const body = bytes.subarray(headerBytes);
  return {
    told: { kind, layout, recordCount, lineCount },
    header,
    body,
    text,
    descriptor,
    artifact,
  };
}

/** Texts of more than is held of a stream. */
const TEXTS: readonly (readonly [string, string])[] = [
  ["JSON on lines", `${LINES.join("\n")}\n`],
  ["blank lines between documents (C16)", LINES.join("\n\n \r\n")],
  ["a byte order mark (C16)", `\uFEFF${LINES.join("\n")}\n`],
  ["documents over several lines", LINES.join("\n").replaceAll(",", ",\n ")],
  ["lone surrogates in documents", LINES.join("\n").replaceAll("visit", "vi\ud800sit")],
  ["a lone surrogate in an array", `[${LINES.join(",").replace("visit", "vi\udc00sit")}]`],
  ["an array with a byte order mark", `\uFEFF[${LINES.join(",\n")}]\n`],
  ["a line that is no document", `${LINES.slice(1).join("\n")}\noops\n`],
  ["a number among documents", `${LINES.join("\n")}\n17\n`],
  ["an array that is not over", `[${LINES.join(",")}`],
  ["a table with one row of another width", `${ROWS.join("")}1,2,3\n${ROWS.slice(1, 9).join("")}`],
  ["two documents on one line", `${LINES.join("\n")}\n${row(1)} ${row(2)}\n`],
  ["a table", ROWS.join("")],
];

describe("a stream that is too large to be held", () => {
  it("is stored record by record, with exact counts and a profile, also where nothing limits it", async () => {
    const { artifact, text, descriptor, header, body } = await stored(records());
    expect(artifact).toMatchObject({
      kind: "json-array",
      layout: "records",
      recordCount: COUNT,
      lineCount: COUNT + 1,
      fields: ["id", "note"],
      tokensExact: false,
    });
    expect(body.equals(Buffer.from(`${LINES.join("\n")}\n`))).toBe(true);
    expect(JSON.parse(header)).toMatchObject({ type: "lro_header", count: COUNT });
    expect(JSON.parse(text)).toMatchObject({ offloaded: true, summary: { count: COUNT } });
    expect(descriptor.tokens).toBeLessThanOrEqual(600);
    // Some 22 tokens a record.
    expect(artifact.tokens / COUNT).toBeGreaterThan(17);
    expect(artifact.tokens / COUNT).toBeLessThan(27);
    const unlimited = await stored(Readable.from(records()), { gates: [] });
    expect(unlimited.told.recordCount).toBe(COUNT);
  });

  it("takes bytes as they come, and writes what is no text as JSON on a line of its own", async () => {
    const block = Buffer.from("a line of a log that goes on\n".repeat(2_000));
    async function* pieces() {
      for (let part = 0; part < 100; part += 1) yield new Uint8Array(block);
      yield { status: 1n, self: undefined };
    }
    const { body } = await stored(pieces());
    expect(body.length).toBe(100 * block.length + 16);
    expect(body.subarray(-17).toString()).toBe('\n\n{"status":"1"}\n');
  });

  it.each([990_000, 1_100_000])(
    "is stored where most of its records are too long to be looked at: 1,100,000 and %i",
    async (other) => {
      async function* long() {
        for (let id = 0; id < 19; id += 1)
          yield { id, text: "x".repeat(id % 2 === 0 ? 1_100_000 : other) };
        yield { id: 19, text: "short" };
      }
      const { told } = await stored(long());
      expect(told.recordCount).toBe(20);
    },
  );

  it("of parts that are empty lets others run, and hears of an abort", async () => {
    const { offloader } = opened();
    async function* empty() {
      for (let part = 0; part < 10_000_000; part += 1) yield "";
    }
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("no longer wanted")), 20);
    const call = { toolName: "export", value: empty(), sessionId: "s", signal: controller.signal };
    await expect(offloader.offload(call)).rejects.toThrow("no longer wanted");
  });

  it.each(TEXTS)("is what the same text is as a value: %s", async (_, text) => {
    expect(text.length).toBeGreaterThan(4_194_304);
    for (const fileFormat of ["lro", "original"] as const) {
      const value = await stored(text, { fileFormat });
      const stream = await stored(parts(text), { fileFormat });
      expect(stream.told).toEqual(value.told);
      expect(stream.body.equals(value.body)).toBe(true);
    }
  });
});

describe("a stream that is stopped at its limit (C7)", () => {
  const csv = (id: number): string => `${id},"city\n${id}",a note on it\n`;
  const table = `id,city,note\n${Array.from({ length: 400_000 }, (_, id) => csv(id)).join("")}`;
  const lines = `${LINES.join("\n")}\n${LINES.join("\n")}\n`;
  const array = `[${LINES.join(",\n")},${LINES.join(",\n")}]`;
  const prose = "some words that are no table\n".repeat(300_000);
  /** A text up to the last end of a record that lies within so many bytes. */
  const upTo = (text: string, end: string, max: number): string =>
    text.slice(0, text.lastIndexOf(end, max - end.length) + end.length);

  const STOPPED: readonly (readonly [string, () => unknown, object, (max: number) => string])[] = [
    ["text, all of it", () => parts(prose), { layout: "text" }, (max) => prose.slice(0, max)],
    ["JSON on lines", () => parts(lines), { kind: "json-lines" }, (max) => upTo(lines, "\n", max)],
    [
      "elements of an array",
      () => parts(array),
      { kind: "json-array", layout: "records" },
      (max) =>
        `${upTo(array, "}", max - 1)
          .slice(1)
          .replaceAll("},\n", "}\n")}\n`,
    ],
    [
      "rows of a table",
      () => parts(table),
      { kind: "csv", layout: "rows" },
      (max) => upTo(table, "a note on it\n", max),
    ],
    ["records", records, { kind: "json-array" }, (max) => upTo(lines, "\n", max)],
  ];

  it.each(
    STOPPED.flatMap((row) => [100_003, 3_000_001, 5_000_002].map((max) => [max, ...row] as const)),
  )("of %i bytes has what came whole, and says so: %s", async (max, _, make, kind, whole) => {
    const { body, text, told } = await stored(make(), { maxOutputBytes: max });
    expect(told).toMatchObject(kind);
    const { complete, count } = JSON.parse(text).summary;
    expect(complete).toBe(false);
    expect(body.toString()).toBe(whole(max));
    if (told.layout === "text") return;
    const end = told.kind === "csv" ? "a note on it\n" : "\n";
    expect(told.recordCount).toBe(body.toString().split(end).length - 1);
    if (told.kind === "json-array") expect(count).toBe(told.recordCount);
  });

  it("says so inline too", async () => {
    const inline = async (value: unknown): Promise<string> => {
      const { offloader } = opened({ maxOutputBytes: 200 });
      const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
      return result.outcome === "inline" ? String(result.value) : result.outcome;
    };
    expect(await inline(parts(prose))).toContain("stopped at its limit of 200 bytes");
    expect(await inline(parts(table))).toContain("stopped at its limit of 200 bytes");
    expect(JSON.parse(await inline(records()))).toMatchObject({ complete: false });
  });
});
