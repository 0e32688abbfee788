import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { fileStore } from "../../src/store/file/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import type { OffloadResult } from "../../src/types/result.js";
import { openedOffloaders } from "../opened-offloaders.js";

const folder = mkdtempSync(join(tmpdir(), "offload-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = openedOffloaders();
const offloaderWith: typeof open = (options) =>
  open({ store: fileStore({ directory: folder }), ...options });

const output = (
  value: unknown,
  toolName = "search",
  sessionId = "s1",
): Parameters<Offloader["offload"]>[0] => ({
  toolName,
  value,
  toolCallId: "call_1",
  args: { query: "all" },
  sessionId,
});

function stored(result: OffloadResult): StoredArtifact {
  if (result.outcome !== "offloaded")
    throw new Error(`expected an offloaded output, got ${result.outcome}`);
  return result.storedArtifact;
}

const records = (count: number): { id: number; name: string; kind: string }[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${id}`,
    kind: id % 3 === 0 ? "a" : "b",
  }));

describe("the threshold", () => {
  // " token" is one o200k token, so N repetitions cost N.
  it.each([
    [1599, "inline"],
    [1600, "inline"],
    [1601, "offloaded"],
  ])("with %i tokens gives %s", async (tokens, outcome) => {
    const { offloader } = offloaderWith({ threshold: { tokens: 1600 } });
    const value = " token".repeat(tokens);
    const result = await offloader.offload(output(value));
    expect(result.outcome).toBe(outcome);
    if (result.outcome === "inline") expect(result.value).toBe(value);
    else expect(stored(result)).toMatchObject({ tokens, tokensExact: true });
  });

  it.each([
    [6399, "inline"],
    [6400, "inline"],
    [6401, "offloaded"],
  ])(
    "counts %i characters as a quarter each with the tokenizer off: %s",
    async (characters, outcome) => {
      const { offloader } = offloaderWith({
        threshold: { tokens: 1600 },
        measure: { tokenizer: "characters" },
      });
      const result = await offloader.offload(output("é".repeat(characters)));
      expect(result.outcome).toBe(outcome);
    },
  );

  it("passes the same object on when it stays inline", async () => {
    const { offloader } = offloaderWith();
    const value = { rows: records(3) };
    const result = await offloader.offload(output(value));
    expect(result.outcome === "inline" && result.value).toBe(value);
  });
});

describe("what is left alone", () => {
  const large = JSON.stringify(records(5000));

  it.each<[string, OffloadOptions, string, unknown]>([
    ["everything when switched off", { enabled: false }, "search", large],
    ["an excluded tool", { scope: { exclude: ["search"] } }, "search", large],
    ["a drill-in tool", {}, "jq_tool_output", large],
    ["an empty string", {}, "search", ""],
    ["nothing at all", {}, "search", undefined],
    ["an empty list", {}, "search", []],
  ])("%s", async (_, options, toolName, value) => {
    const { offloader, events } = offloaderWith(options);
    const result = await offloader.offload(output(value, toolName));
    expect(result.outcome === "inline" && result.value).toBe(value);
    expect(events).toEqual([]);
  });

  it("an image, however large; the text beside it is offloaded", async () => {
    const { offloader } = offloaderWith();
    const image = {
      type: "image_url",
      image_url: { url: `data:image/png;base64,${"A".repeat(100_000)}` },
    };
    expect((await offloader.offload(output([image]))).outcome).toBe("inline");
    const both = await offloader.offload(output([{ type: "text", text: large }, image]));
    expect(both.outcome === "offloaded" && both.keptBlocks[0]).toBe(image);
  });
});

describe("an offloaded output", () => {
  it("is in a file that begins with the header and has one record a line", async () => {
    const { offloader, events } = offloaderWith();
    const artifact = stored(await offloader.offload(output(records(1000))));
    expect(artifact.filePath).toMatch(/atlatl-search-[0-9A-HJKMNP-TV-Z]{26}\.jsonl$/);
    const [header, ...lines] = readFileSync(artifact.filePath ?? "", "utf8")
      .trimEnd()
      .split("\n");
    expect(JSON.parse(header ?? "")).toMatchObject({
      type: "lro_header",
      operation: "search",
      query: "all",
      count: 1000,
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual(records(1000));
    expect(events.map((event) => event.type)).toEqual(["offloaded"]);
  });

  it("keeps what is around the records", async () => {
    const { offloader } = offloaderWith();
    const result = await offloader.offload(output({ total: 900, items: records(900), next: "p2" }));
    const artifact = stored(result);
    const [header] = readFileSync(artifact.filePath ?? "", "utf8").split("\n", 1);
    expect(JSON.parse(header ?? "")).toMatchObject({
      records_path: ["items"],
      envelope: { total: 900, items: [], next: "p2" },
    });
    expect(result.outcome === "offloaded" && result.text).toContain("p2");
  });

  it("costs less than 80 % of what it replaces and says the same twice but for the path", async () => {
    const { offloader } = offloaderWith();
    const results = [1, 2].map(async () => {
      const result = await offloader.offload(output(records(200)));
      if (result.outcome !== "offloaded") throw new Error("inline");
      const { storedArtifact, descriptor } = result;
      expect(descriptor.tokens).toBeLessThanOrEqual(storedArtifact.tokens * 0.8);
      return descriptor.text.replaceAll(storedArtifact.id, "ID");
    });
    const [first, second] = await Promise.all(results);
    expect(first).toBe(second);
  });

  it.each<[string, Record<string, unknown>]>([
    ["with a big integer", { n: 1n }],
    ["that are no JSON", { toJSON: () => undefined }],
    ["of 2 MB", { text: "x".repeat(2_000_000) }],
  ])("is stored for arguments %s", async (_, args) => {
    const { offloader } = offloaderWith();
    const artifact = stored(await offloader.offload({ ...output(records(1000)), args }));
    expect(artifact.args).toBeUndefined();
  });

  it("is found by its own session only", async () => {
    const { offloader } = offloaderWith();
    const artifact = stored(await offloader.offload(output(records(1000), "search", "mine")));
    const own = await offloader.drillIn.jq(
      { id: artifact.id, filter: "length", slurp: true },
      scopeOf("mine"),
    );
    expect(own).toMatchObject({ failed: false });
    expect(own.text).toContain("1000");
    const foreign = await offloader.drillIn.jq(
      { id: artifact.id, filter: "length" },
      scopeOf("theirs"),
    );
    const unknown = await offloader.drillIn.jq(
      { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", filter: "length" },
      scopeOf("theirs"),
    );
    expect(foreign.failed && unknown.failed).toBe(true);
    expect(foreign.text.replaceAll(artifact.id, "ID")).toBe(
      unknown.text.replaceAll("01ARZ3NDEKTSV4RRFFQ69G5FAV", "ID"),
    );
  });

  it("gets its own file in 200 parallel calls", async () => {
    const { offloader } = offloaderWith();
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, call) =>
        offloader.offload(
          output(
            records(400).map((record) => ({ ...record, call })),
            `tool_${call}`,
          ),
        ),
      ),
    );
    const artifacts = results.map((result) => stored(result));
    expect(new Set(artifacts.map((artifact) => artifact.filePath)).size).toBe(200);
    for (const [call, artifact] of artifacts.entries()) {
      const lines = readFileSync(artifact.filePath ?? "", "utf8")
        .trimEnd()
        .split("\n")
        .slice(1);
      expect(lines.every((line) => JSON.parse(line).call === call)).toBe(true);
    }
  });

  it("ends with its time, and the sweep says so", async () => {
    let now = 1_000_000;
    const store = memoryStore({ now: () => now });
    const { offloader, events } = offloaderWith({ store, now: () => now });
    const artifact = stored(await offloader.offload(output(records(1000))));
    now += 3_600_000 - 1;
    expect(await offloader.sweep()).toEqual([]);
    now += 1;
    const answer = await offloader.drillIn.read({ id: artifact.id }, artifact.scope);
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(/expired.*search/is);
    expect((await offloader.sweep()).map(({ id }) => id)).toEqual([artifact.id]);
    expect(events.at(-1)).toMatchObject({ type: "expired", specName: "OffloadFileExpired" });
  });
});

describe("when the output cannot be stored", () => {
  it("the model gets whole records within the threshold and a warning, and events tell why", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const { offloader, events } = offloaderWith({
      store: fileStore({ directory: join(file, "below") }),
    });
    const result = await offloader.offload(output(records(2000)));
    expect(result.outcome).toBe("truncated");
    if (result.outcome !== "truncated") return;
    const shown = JSON.parse(result.text);
    expect(shown).toMatchObject({ truncated: true, total_count: 2000 });
    expect(shown.records.length).toBe(shown.returned_count);
    expect(shown.records).toEqual(records(shown.returned_count));
    expect(events).toMatchObject([
      { type: "write-failed", specName: "OffloadWriteFailed", fallback: "truncated" },
      { type: "truncated" },
    ]);
    const returned = events[1]?.type === "truncated" ? events[1].returnedTokens : Infinity;
    expect(returned).toBeLessThanOrEqual(1600);
  });

  it("a listener that throws changes nothing", async () => {
    const { offloader } = offloaderWith({
      onEvent: () => {
        throw new Error("listener");
      },
    });
    expect((await offloader.offload(output(records(1000)))).outcome).toBe("offloaded");
  });

  it("a rule that throws leaves the output inline", async () => {
    const { offloader, events } = offloaderWith({
      scope: {
        include: () => {
          throw new Error("rule");
        },
      },
    });
    expect((await offloader.offload(output(records(1000)))).outcome).toBe("inline");
    expect(events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
  });
});

describe("properties", () => {
  const scope = scopeOf("s1");
  const always = createOffloader({
    decide: { threshold: { tokens: 0 } },
    store: memoryStore({ maxBytes: 1e9 }),
  });
  afterAll(async () => await always.close());

  const storedText = async (artifact: StoredArtifact): Promise<string> => {
    const bytes = await always.store.read(artifact);
    return Buffer.from(bytes).toString("utf8");
  };

  it("arbitrary text is kept byte for byte, or as the records that it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 1, maxLength: 2000 }),
        async (text) => {
          const artifact = stored(await always.offload(output(text)));
          if (artifact.layout === "text" && artifact.encoding === "utf-8")
            expect(await storedText(artifact)).toBe(text);
          expect((await always.store.stat(artifact.id, scope))?.sizeBytes).toBe(artifact.sizeBytes);
        },
      ),
      { numRuns: 37 },
    );
  });

  it("arbitrary values come back as records in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 30 }),
        async (values) => {
          const artifact = stored(await always.offload(output(JSON.stringify(values))));
          expect(artifact.recordCount).toBe(values.length);
          const lines = (await storedText(artifact)).trimEnd().split("\n").slice(1);
          expect(lines).toEqual(values.map((value) => JSON.stringify(value)));
        },
      ),
      { numRuns: 37 },
    );
  });

  it.each([
    ["big integers", "[12345678901234567890123,-0,1e400,1E-2]"],
    ["duplicate keys", '[{"a":1,"a":2},{"__proto__":{"x":1}}]'],
    ["a NUL and a lone surrogate", '["\\u0000","\\ud800"]'],
    ["100,000 levels", `[${"[".repeat(100_000)}${"]".repeat(100_000)}]`],
    ["10 MB in one line", JSON.stringify([{ text: "x y ".repeat(2_500_000) }])],
  ])("%s are stored as they came", async (_, text) => {
    const artifact = stored(await always.offload(output(text)));
    const body = (await storedText(artifact)).slice(artifact.headerBytes);
    expect(body === text || `[${body.trimEnd().split("\n").join(",")}]` === text).toBe(true);
  });
});

it("leaves nothing but files of its own, each with its record", () => {
  const names = readdirSync(folder).filter((name) => name !== "a-file");
  expect(names.every((name) => /^\.?atlatl-/.test(name))).toBe(true);
  expect(names.some((name) => name.endsWith(".part"))).toBe(false);
});
