import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeText } from "../../../src/util/text-encoding.js";
import { unescapeText } from "../drill-in/unescape-text.js";
import type { Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { atlatl, lro, mcpagent } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();
const SESSION = "s";

const words = fc
  .array(
    fc.constantFrom(
      "a word",
      "naïve",
      "漢字",
      "😀",
      "\u001b[31m",
      "\ufffd",
      "x".repeat(300),
      "\ud800",
      "\t",
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((all) => all.join(" "));

/** Lines of each kind of text, whatever they say. */
const LINES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  log: fc.oneof(
    words.map((said) => `2026-01-31T10:00:00Z INFO ${said}`),
    words.map((said) => `[ERROR] ${said}`),
    words.map((said) => `    at ${said}`),
  ),
  markdown: fc.oneof(
    words.map((said) => `\n# ${said}`),
    words.map((said) => `- ${said}`),
    words.map((said) => `\`\`\`\n${said}\n\`\`\``),
    words.map((said) => `[${said}](https://example.test/a)`),
  ),
  text: fc.oneof(words, fc.constantFrom("", " ", "so it goes.")),
};

function textOf(line: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .record({
      lines: fc.array(line, { minLength: 4, maxLength: 60 }),
      end: fc.constantFrom("\n", "\n", "\r\n", "\r"),
      last: fc.boolean(),
    })
    .map(({ lines, end, last }) => lines.join(end) + (last ? end : ""));
}

interface Told {
  readonly text: string;
  readonly artifact: StoredArtifact;
}

async function tell(offloader: Offloader, value: string): Promise<Told | undefined> {
  const result = await offloader.offload({ toolName: "t", value, sessionId: SESSION });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  const { text, storedArtifact: artifact } = result;
  return artifact.layout === "text" ? { text, artifact } : undefined;
}

async function firstLine(answer: Promise<{ readonly text: string }>): Promise<string> {
  return (await answer).text.split("\n")[0] ?? "";
}

/** What counts of a text a reader finds. */
async function checkCounts(
  { drillIn, store }: Offloader,
  { id, sessionKey, sizeBytes }: StoredArtifact,
  told: { readonly bytes: unknown; readonly lines: unknown; readonly value: string },
): Promise<void> {
  expect(told.bytes).toBe(sizeBytes);
  const body = await store.read({ id, sessionKey } as StoredArtifact, { start: 0, end: sizeBytes });
  expect(decodeText(body)).toBe(told.value);
  const last = await firstLine(drillIn.run("read", { id, start_line: -1 }, { sessionKey }));
  const lines = Number(told.lines).toLocaleString("en-US");
  expect(last).toMatch(
    lines === "1" ? /^The whole output, 1 line[:.]/ : new RegExp(`^Line ${lines} of ${lines}[:.]`),
  );
  const found = await firstLine(
    drillIn.run("grep", { id, pattern: "^", count_only: true }, { sessionKey }),
  );
  expect(found).toMatch(new RegExp(`^${lines} matching lines?[.,]`));
}

describe.each(Object.keys(LINES))(
  "what a descriptor states of a text of the kind %s is true",
  (kind) => {
    const texts = textOf(LINES[kind]!);
    const open = (preset: OffloadOptions): Offloader =>
      offloaderWith({
        ...preset,
        threshold: { bytes: 1 },
        drillIn: { maxAnswerTokens: 100_000 },
        store: memoryStore(),
      }).offloader;

    it("of its size, lines, kind and beginning (C8)", async () => {
      for (const preset of [lro, atlatl]) {
        const offloader = open({ preset: preset() });
        await fc.assert(
          fc.asyncProperty(texts, async (given) => {
            const value = given.toWellFormed();
            const told = await tell(offloader, given);
            if (told === undefined) return;
            const { summary = {}, preview = "" } = JSON.parse(told.text);
            const { size_bytes: bytes, lines } = summary;
            if (bytes !== undefined)
              await checkCounts(offloader, told.artifact, { bytes, lines, value });
            expect(summary.kind ?? told.artifact.kind).toBe(told.artifact.kind);
            // A line that is cut ends with a mark.
            const shown = value.startsWith(preview) ? preview : preview.replace(/…$/, "");
            expect(value.startsWith(shown)).toBe(true);
          }),
          { numRuns: 40 },
        );
      }
    });

    it("of its preview: reading on from its length misses nothing (C8)", async () => {
      const offloader = open({ preset: mcpagent() });
      await fc.assert(
        fc.asyncProperty(texts, async (given) => {
          const value = given.toWellFormed();
          const told = await tell(offloader, given);
          const stated = /Preview, the first (\d+) characters/.exec(told?.text ?? "");
          if (told === undefined || stated === null) return;
          const [, shown = ""] = /\n<preview \w+>\n([^]*)\n<\/preview/.exec(told.text) ?? [];
          const preview = told.text.includes("control characters as") ? unescapeText(shown) : shown;
          const { id, sessionKey } = told.artifact;
          const { text } = await offloader.drillIn.run(
            "read",
            { id, start: Number(stated[1]) },
            { sessionKey },
          );
          const after = text.slice(text.indexOf("\n") + 1);
          const rest = text.includes("Control characters are shown") ? unescapeText(after) : after;
          const isWhole = text.includes("is past the end");
          expect(preview.toWellFormed() + (isWhole ? "" : rest)).toBe(value);
        }),
        { numRuns: 60 },
      );
    });
  },
);
