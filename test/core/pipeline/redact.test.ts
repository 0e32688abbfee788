import { inspect } from "node:util";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { offloadResult } from "../../../src/adapters/mcp/tool-result.js";
import type { TextPart } from "../../../src/core/types/plugin.js";
import type { Redact } from "../../../src/plugins/redact/redact.js";
import { MAX_LINE } from "../../../src/core/clean/clean-stream.js";
import type { Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";
import { internals } from "../../../src/core/pipeline/offloader.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");
const sessionId = "a thread";
const opened = openedOffloaders();

const rows = Array.from({ length: 900 }, (_, id) => ({ id, note: `${SECRET} of row ${id}` }));
const json = JSON.stringify(rows);
const text = rows.map(({ note }) => `It says ${note}`).join("\n");

async function* parts(of: Iterable<unknown>): AsyncGenerator {
  yield* of;
}

/** Everything that is kept of a session, as one text. */
async function stored({ store }: Offloader): Promise<string> {
  const { artifacts } = await store.list(sessionKeyOf(sessionId));
  const bodies = await Promise.all(
    artifacts.map(async (artifact) => Buffer.from(await store.read(artifact)).toString("latin1")),
  );
  return JSON.stringify([artifacts, bodies]);
}

const bytesOf = (of: string): Uint8Array => Buffer.from(of);
const values: readonly (readonly [string, () => unknown])[] = [
  ["a text", () => text],
  ["JSON", () => json],
  ["data", () => rows],
  ["blocks", () => [{ type: "text", text }]],
  ["a stream of text, cut anywhere", () => parts(text.match(/[\s\S]{1,7}/g) ?? [])],
  ["a stream of bytes, cut anywhere", () => parts((text.match(/[\s\S]{1,7}/g) ?? []).map(bytesOf))],
  ["a stream of records", () => parts(rows)],
  ["bytes", () => bytesOf(text)],
  ["a map", () => new Map([["notes", rows]])],
];

describe("redact", () => {
  it("leaves an output alone in which it finds nothing: the same object comes back", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const value = { a: [1, 2, { b: "plain" }] };
    const result = await offloader.offload({ toolName: "t", value, artifact: [1], sessionId });
    expect(result).toEqual({ outcome: "inline", value });
    expect(result.outcome === "inline" && result.value === value).toBe(true);
  });

  it("lets others run between writing a large artifact or value and cleaning it", async () => {
    const large = Array.from({ length: 9_000 }, (_, id) => ({ id, note: "nothing of interest" }));
    let turns = 0;
    const turnsBefore: number[] = [];
    const { offloader } = opened({
      plugins: [
        redactPlugin((given) => {
          if (given.length > 300_000) turnsBefore.push(turns);
          return given;
        }),
      ],
    });
    const turn = (): void => {
      turns += 1;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    await offloader.offload({ toolName: "t", value: large, artifact: large, sessionId });
    clearImmediate(timer);
    expect(turnsBefore[0]).toBeGreaterThan(0);
    expect(turnsBefore[1]).toBeGreaterThan(turnsBefore[0] ?? 0);
  });

  it("keeps every byte of a stream in which it finds nothing, whatever they are and however they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
        async (pieces) => {
          const { offloader: plain } = opened();
          const { offloader: redacting } = opened({ plugins: [redactPlugin(redact)] });
          const wanted = await plain.offload({ toolName: "t", value: parts(pieces), sessionId });
          const found = await redacting.offload({ toolName: "t", value: parts(pieces), sessionId });
          expect(found).toEqual(wanted);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("is given a line of a stream without its end, and a record as JSON", async () => {
    const seen: [string, TextPart["part"]][] = [];
    const noting: Redact = (part, { part: kind }) => {
      seen.push([part, kind]);
      return part;
    };
    const { offloader } = opened({ plugins: [redactPlugin(noting)] });
    await offloader.offload({ toolName: "t", value: parts(["a\r", "\nb", "c\n", "d"]), sessionId });
    await offloader.offload({ toolName: "t", value: parts([{ a: 1 }]), sessionId });
    expect(seen).toEqual([
      ["a", "line"],
      ["bc", "line"],
      ["d", "line"],
      ['{"a":1}', "record"],
    ]);
  });

  it("is called for texts in blocks beside, and not for the bytes of an image", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const image = { type: "image", data: Buffer.from(SECRET).toString("base64") };
    const resource = { type: "resource", resource: { uri: "a:b", text: `of ${SECRET}` } };
    const value = [{ type: "text", text }, image, resource];
    const result = await offloader.offload({ toolName: "t", value, sessionId });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result.keptBlocks).toContainEqual(image);
  });

  it("costs no call where it is not given", async () => {
    const { offloader } = opened();
    expect(internals(offloader).host.clean).toBe(undefined);
  });
});

const failing: readonly (readonly [string, Redact])[] = [
  [
    "throws",
    () => {
      throw new Error(`no pattern for ${SECRET}`);
    },
  ],
  ["rejects", () => Promise.reject(new Error("no"))],
  ["gives no text", (() => undefined) as unknown as Redact],
  ["promises no text", (() => Promise.resolve({ text: SECRET })) as unknown as Redact],
];

describe.each(failing)("a redact function that %s", (_name, broken) => {
  it.each(values)(
    "leaves nothing of %s, stored or shown: a sentence stands for it",
    async (_kind, value) => {
      const { offloader, events } = opened({ plugins: [redactPlugin(broken)] });
      const result = await offloader.offload({ toolName: "notes", value: value(), sessionId });
      if (result.outcome !== "inline") throw new Error(result.outcome);
      expect(result.text).toContain("The output of notes is withheld");
      expect(JSON.stringify(result)).not.toContain(SECRET);
      expect((await offloader.store.list(sessionKeyOf(sessionId))).artifacts).toEqual([]);
      expect(events.map(({ type }) => type)).toContain("plugin-failed");
    },
  );

  it("makes put say that it cannot store", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(broken)] });
    const putting = offloader.put(json, { sessionId });
    await expect(putting).rejects.toMatchObject({ code: "REDACT_FAILED" });
    // What it threw may have the text in it.
    await expect(putting).rejects.not.toThrow(SECRET);
    expect((await offloader.store.list(sessionKeyOf(sessionId))).artifacts).toEqual([]);
  });
});

describe("a stream that is redacted", () => {
  it("is cleaned where it is UTF-16", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    const value = parts([bytes.subarray(0, 1_001), bytes.subarray(1_001)]);
    await offloader.offload({ toolName: "t", value, sessionId });
    const kept = await stored(offloader);
    expect(kept).toContain("It says [gone] of row 899");
    expect(kept).not.toContain(SECRET);
  });

  it("is withheld when a line of it is too long to be held", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const piece = "x".repeat(1_048_576);
    const long = parts(Array.from({ length: MAX_LINE / piece.length + 1 }, () => piece));
    const result = await offloader.offload({ toolName: "t", value: long, sessionId });
    expect(result.outcome === "inline" && result.text).toContain("is withheld");
  });

  it("is withheld when what was the JSON of a record is none any more", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(() => "no JSON")] });
    const result = await offloader.offload({ toolName: "t", value: parts(rows), sessionId });
    expect(result.outcome === "inline" && result.text).toContain("is withheld");
  });

  it("throws what the tool's own stream throws", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    async function* broken(): AsyncGenerator<string> {
      yield "a\n";
      await Promise.reject(new Error("the tool's own"));
    }
    const walking = offloader.offload({ toolName: "t", value: broken(), sessionId });
    await expect(walking).rejects.toThrow("the tool's own");
  });
});

describe("what stands beside an output", () => {
  const small = [{ type: "text", text: "Two of them." }];
  const memory = {
    id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    type: "semantic",
    title: "a",
    namespace: "a/b",
    content: "b",
    created: "2026-01-01T00:00:00Z",
  };
  const beside: readonly (readonly [string, Partial<ToolOutput>])[] = [
    ["a record", { value: [...small, { name: "a row", note: SECRET }] }],
    [
      "a document of text",
      {
        value: [
          ...small,
          { type: "document", source: { type: "text", media_type: "text/plain", data: SECRET } },
        ],
      },
    ],
    [
      "a result of a search",
      { value: [...small, { type: "search_result", content: [{ type: "text", text: SECRET }] }] },
    ],
    [
      "what a link says",
      { value: [...small, { type: "resource_link", uri: "file:///a", name: "a", title: SECRET }] },
    ],
    [
      "what is deep",
      {
        value: [...small, { type: "x", a: [{ b: [{ c: [{ d: [{ e: [{ f: SECRET }] }] }] }] }] }],
      },
    ],
    ["a map in the artifact", { value: "small", artifact: [new Map([["note", SECRET]])] }],
    ["a set of words as the artifact", { value: "small", artifact: new Set([SECRET]) }],
    ["an error in the artifact", { value: "small", artifact: { error: new Error(SECRET) } }],
    ["the text of memories", { value: `For ${SECRET}: 1 of 2.`, artifact: [memory, memory] }],
    [
      "the cursor of the next page",
      { value: "a line\n".repeat(4_000), nextPage: { path: ["next"], value: SECRET } },
    ],
  ];

  it.each(beside)("has nothing of it in %s", async (_name, given) => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const output: ToolOutput = { toolName: "t", value: undefined, sessionId, ...given };
    const result = await offloader.offload(output);
    // Where the runPipeline says nothing of the artifact, the message keeps the one it had.
    const artifact = result.outcome === "inline" && !("artifact" in result) && output.artifact;
    const told = inspect([result, artifact], { depth: 20 });
    expect(told).not.toContain(SECRET);
    expect(told).toMatch(/\[gone\]/);
  });

  it("keeps an artifact that JSON has no word for from being passed on as it is, and all other ones as they are", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const own = { at: new Date(0), found: [new URL("https://example.com"), bytesOf("a")] };
    const kept = await offloader.offload({ toolName: "t", value: "a", artifact: own, sessionId });
    expect(kept).toEqual({ outcome: "inline", value: "a" });
    const artifact = new Map([["a", 1]]);
    const told = await offloader.offload({ toolName: "t", value: "a", artifact, sessionId });
    expect(told).toEqual({ outcome: "inline", value: "a", artifact: { a: 1 } });
    const big = { id: 9007199254740993n };
    const same = await offloader.offload({ toolName: "t", value: "a", artifact: big, sessionId });
    expect(same).toEqual({ outcome: "inline", value: "a" });
    const round: Record<string, unknown> = { id: 1n };
    round["self"] = round;
    const flat = await offloader.offload({ toolName: "t", value: "a", artifact: round, sessionId });
    expect(flat).toMatchObject({ artifact: { id: "1", self: "[Circular]" } });
  });
});

describe("a result of MCP", () => {
  const call = { toolName: "t", args: undefined, toolCallId: "1", sessionId };

  it("is an error without data when it cannot be redacted", async () => {
    const { offloader } = opened({
      plugins: [redactPlugin(() => Promise.reject(new Error("no")))],
    });
    const result = { content: [{ type: "text", text: SECRET }], structuredContent: { a: SECRET } };
    const answer = await offloadResult(offloader, JSON.stringify(result), result, call);
    expect(JSON.parse(answer)).toMatchObject({ isError: true });
    expect(answer).not.toContain(SECRET);
  });
  it.each<[string, Record<string, unknown>]>([
    ["an error", { content: [{ type: "text", text: SECRET }], isError: true }],
    [
      "a cursor",
      { content: [{ type: "text", text: "a line\n".repeat(4_000) }], nextCursor: SECRET },
    ],
    ["metadata", { content: [], _meta: { about: SECRET } }],
  ])("has nothing of it in %s", async (_name, result) => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const answer = await offloadResult(offloader, JSON.stringify(result), result, call);
    expect(answer).toContain("[gone]");
    expect(answer).not.toContain(SECRET);
  });
});
