import { describe, expect, it } from "vitest";

import type { Offloader } from "../src/core/pipeline/create-offloader.js";
import { openedOffloaders } from "./opened-offloaders.js";

const offloaderWith = openedOffloaders();
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

async function stored(offloader: Offloader, value: unknown) {
  const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  const { storedArtifact, text } = result;
  const { kind, layout, recordCount, lineCount, headerBytes, sizeBytes } = storedArtifact;
  const bytes = await offloader.store.read(storedArtifact, { start: headerBytes, end: sizeBytes });
  const told = { kind, layout, recordCount, lineCount };
  return { told, body: Buffer.from(bytes), text, artifact: storedArtifact };
}

/** Texts of more than is held of a stream. */
const TEXTS: readonly (readonly [string, string])[] = [
  ["documents on lines", `${LINES.join("\n")}\n`],
  ["documents without a last line end", LINES.join("\n")],
  ["blank lines between documents (C16)", LINES.join("\n\n \r\n")],
  ["a byte order mark (C16)", `\uFEFF${LINES.join("\n")}\n`],
  ["carriage returns", LINES.join("\r\n")],
  ["documents over several lines", LINES.join("\n").replaceAll(",", ",\n ")],
  ["spaces between tokens", LINES.join("\n").replaceAll(":", ": ")],
  ["lists on lines", LINES.map((line) => `[${line}]`).join("\n")],
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
  it.each(TEXTS)("is what the same text is as a value: %s", async (_, text) => {
    expect(text.length).toBeGreaterThan(4_194_304);
    for (const fileFormat of ["lro", "original"] as const) {
      const { offloader } = offloaderWith({ fileFormat });
      const value = await stored(offloader, text);
      const stream = await stored(offloader, parts(text));
      // An array keeps its text with that encoding: it is not held to be split.
      if (fileFormat === "original" && value.told.kind === "json-array") continue;
      expect(stream.told).toEqual(value.told);
      expect(stream.body.equals(value.body)).toBe(true);
    }
  });
});

describe("a stream that is stopped at its limit (C7)", () => {
  const withLimit = (maxOutputBytes: number) => offloaderWith({ maxOutputBytes }).offloader;
  const csv = (id: number): string => `${id},"city\n${id}",a note on it\n`;
  const table = `id,city,note\n${Array.from({ length: 400_000 }, (_, id) => csv(id)).join("")}`;
  const lines = `${LINES.join("\n")}\n${LINES.join("\n")}\n`;
  const prose = "some words that are no table\n".repeat(300_000);

  async function* records() {
    for (const line of LINES) yield JSON.parse(line);
  }

  describe.each([100_003, 3_000_001, 5_000_002])("of %i bytes", (maxBytes) => {
    const stopped = async (value: unknown) => {
      const { body, text, told, artifact } = await stored(withLimit(maxBytes), value);
      expect(JSON.parse(text).summary).toMatchObject({ complete: false });
      const { count } = JSON.parse(text).summary;
      return { body: body.toString(), told, artifact, count };
    };

    it("says so of text, and keeps all of it", async () => {
      const { body, told } = await stopped(parts(prose));
      expect(told.layout).toBe("text");
      expect(body).toBe(prose.slice(0, maxBytes));
    });

    it("is the documents on lines that came whole", async () => {
      const { body, told } = await stopped(parts(lines));
      const whole = lines.slice(0, lines.lastIndexOf("\n", maxBytes - 1) + 1);
      expect(body).toBe(whole);
      expect(told).toMatchObject({ kind: "json-lines", recordCount: whole.split("\n").length - 1 });
    });

    it("is the elements of an array that came whole", async () => {
      const array = `[${LINES.join(",\n")},${LINES.join(",\n")}]`;
      const { body, told, count } = await stopped(parts(array));
      expect(count).toBe(told.recordCount);
      const whole = array.slice(1, array.lastIndexOf("}", maxBytes - 2) + 1);
      expect(body).toBe(`${whole.replaceAll("},\n", "}\n")}\n`);
      expect(told).toMatchObject({ kind: "json-array", layout: "records" });
    });

    it("is the rows of a table that came whole", async () => {
      const { body, told, artifact } = await stopped(parts(table));
      expect(told).toMatchObject({ kind: "csv", layout: "rows" });
      expect(table.startsWith(body)).toBe(true);
      expect(body.endsWith("a note on it\n")).toBe(true);
      expect(maxBytes - body.length).toBeLessThan(60);
      expect(told.recordCount).toBe(body.split("a note on it\n").length - 1);
      expect(artifact.sizeBytes).toBe(body.length);
    });

    it("is the records that came whole", async () => {
      const { body, told, count } = await stopped(records());
      expect(told).toMatchObject({ kind: "json-array", recordCount: count });
      expect(`${LINES.join("\n")}\n`.startsWith(body)).toBe(true);
    });
  });

  it("says so inline too", async () => {
    const inline = async (value: unknown): Promise<string> => {
      const result = await withLimit(200).offload({ toolName: "t", value, sessionId: "s" });
      return result.outcome === "inline" ? String(result.value) : result.outcome;
    };
    expect(await inline(parts(prose))).toContain("stopped at its limit of 200 bytes");
    expect(await inline(parts(table))).toContain("stopped at its limit of 200 bytes");
    expect(JSON.parse(await inline(records()))).toMatchObject({ complete: false });
  });
});
