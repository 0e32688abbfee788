import { describe, expect, it } from "vitest";

import type { Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();

/** Everything is offloaded, and counted fast. */
const SMALL = { threshold: { tokens: 1 }, tokenizer: "characters" } as const;

const rows = Array.from({ length: 12 }, (_, id) => ({
  id,
  city: `city ${id % 3}`,
  note: "a note",
}));
const R = JSON.stringify(rows);
const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const map = Object.fromEntries(rows.map((row) => [`k${row.id}`, row]));
const members = Object.entries(map).map(([key, value]) => ({ key, value }));
const csv = `id,city\n${rows.map(({ id, city }) => `${id},${city}\n`).join("")}`;
const hits = (middle: number): string =>
  JSON.stringify(
    [0.1, middle, 0.9].map((score, id) => ({
      score,
      memory: { id: `m${id}`, memory_type: "semantic", namespace: "n", content: "c", title: "t" },
    })),
  );

/** Texts that are near each other: each pair differs by more than white space between tokens. */
const TEXTS: readonly string[] = [
  R,
  lines,
  JSON.stringify(map),
  JSON.stringify(members),
  ...["rows", "items"].map((key) => `{"${key}":${R}}`),
  `{"data":{"rows":${R}}}`,
  ...["running", "done", "d\\u006fne"].map((status) => `{"status":"${status}","rows":${R}}`),
  `{"rows":${R},"status":"done"}`,
  `{"rows":${R},"error":"partly"}`,
  `{"rows":${R},"error":null}`,
  ...["1", "1.0", "1e0", "9007199254740993"].map((next) => `{"next":${next},"rows":${R}}`),
  `{"rows":[],"rows":${R}}`,
  `{"rows":${R},"rows":[]}`,
  `{"total":12,"map":${JSON.stringify(map)}}`,
  `{"total":13,"map":${JSON.stringify(map)}}`,
  `{"note":"\ud800","rows":${R}}`,
  `{"note":"\\ud800","rows":${R}}`,
  hits(0.4),
  hits(0.5),
  csv,
  csv.replaceAll("\n", "\r\n"),
  csv.replaceAll(",", "\t"),
  `${csv}\n`,
  "a line of a text\n".repeat(40),
  " a line of a text\n".repeat(40),
  "2026-01-01 10:00:00 INFO started\n".repeat(20),
  `{"alone":${JSON.stringify("x".repeat(400))}}`,
  `"${"x".repeat(400)}"`,
];

async function idOf(offloader: Offloader, value: unknown): Promise<string> {
  const result = await offloader.offload({ toolName: "list", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  return result.storedArtifact.id;
}

describe("two outputs", () => {
  it.each(["lro", "json-lines", "original"] as const)(
    "that differ by more than white space between tokens are never one artifact, encoded as %s",
    async (fileFormat) => {
      const { offloader } = offloaderWith({ ...SMALL, fileFormat });
      const ids = new Map<string, string>();
      for (const text of TEXTS) {
        const id = await idOf(offloader, text);
        expect(ids.get(id), `${text.slice(0, 60)} is taken for another`).toBeUndefined();
        ids.set(id, text);
      }
      // And each is still known when it comes again.
      for (const [id, text] of ids) expect(await idOf(offloader, text)).toBe(id);
    },
  );

  it("are never one artifact when one of them is a stream that was stopped, or of another unit", async () => {
    const streamed = async (value: () => AsyncIterable<unknown>, maxBytes = 1_000_000) => {
      const { offloader } = offloaderWith({ ...SMALL, maxOutputBytes: maxBytes });
      return { offloader, id: await idOf(offloader, value()) };
    };
    async function* records() {
      yield* rows;
    }
    async function* text() {
      yield lines;
    }
    const { offloader, id } = await streamed(records);
    expect(await idOf(offloader, text())).not.toBe(id);
    expect(await idOf(offloader, R)).toBe(id);
    const stopped = await streamed(records, 300);
    const whole = rows.slice(0, 300 / JSON.stringify(rows[0]).length - 1);
    expect(await idOf(stopped.offloader, whole)).not.toBe(stopped.id);
  });
});
