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
import { countTurns } from "../../count-turns.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");
const sessionId = "a thread";
const opened = openedOffloaders();
const redacting = (by: Redact = redact) => opened({ plugins: [redactPlugin(by)] });
const offload = ({ offloader }: { offloader: Offloader }, value: unknown, more: object = {}) =>
  offloader.offload({ toolName: "t", value, sessionId, ...more });

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
  it("is called once for the records beside the files of an artifact", async () => {
    const seen: string[] = [];
    const by: Redact = (of, { part }) => {
      if (part === "artifact") seen.push(of);
      return redact(of, { part, toolName: "t" });
    };
    const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
    await offload(redacting(by), "short", { artifact: [image, ...rows] });
    expect(seen).toHaveLength(1);
  });

  it("leaves an output alone in which it finds nothing: the same object comes back", async () => {
    const lists = [[{ a: 1 }], [{ type: "text", text: "a" }]];
    for (const value of [{ a: [1, 2, { b: "plain" }] }, ...lists]) {
      const result = await offload(redacting(), value, { artifact: [1] });
      expect(result).toEqual({ outcome: "inline", value });
      expect(result.outcome === "inline" && result.value === value).toBe(true);
    }
  });

  it("lets others run between writing a large artifact or value and cleaning it", async () => {
    const large = Array.from({ length: 9_000 }, (_, id) => ({ id, note: "nothing of interest" }));
    const counted = countTurns();
    const turnsBefore: number[] = [];
    const counting = redacting((given) => {
      if (given.length > 300_000) turnsBefore.push(counted.turns());
      return given;
    });
    await offload(counting, large, { artifact: large });
    counted.stop();
    expect(turnsBefore[0]).toBeGreaterThan(0);
    expect(turnsBefore[1]).toBeGreaterThan(turnsBefore[0] ?? 0);
  });

  it("keeps every byte of a stream in which it finds nothing, whatever they are and however they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
        async (pieces) => {
          const wanted = await offload(opened(), parts(pieces));
          expect(await offload(redacting(), parts(pieces))).toEqual(wanted);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("writes a Latin-1 line with a question mark for what Latin-1 lacks", async () => {
    const line = (of: string): AsyncGenerator => parts([Buffer.from(of, "latin1")]);
    const hide: Redact = (text) => text.replaceAll("key", "••");
    const wanted = await offload(opened(), line("caf\u00e9 ??"));
    expect(await offload(redacting(hide), line("caf\u00e9 key"))).toEqual(wanted);
  });

  it("is given a line of a stream without its end, and a record as JSON", async () => {
    const seen: [string, TextPart["part"]][] = [];
    const noting = redacting((part, { part: kind }) => (seen.push([part, kind]), part));
    await offload(noting, parts(["a\r", "\nb", "c\n", "d"]));
    await offload(noting, parts([{ a: 1 }]));
    expect(seen).toEqual([
      ["a", "line"],
      ["bc", "line"],
      ["d", "line"],
      ['{"a":1}', "record"],
    ]);
  });
});

const fail = (message: string): never => {
  throw new Error(message);
};
const failing: readonly (readonly [string, Redact])[] = [
  ["throws", () => fail(`no pattern for ${SECRET}`)],
  ["rejects", () => Promise.reject(new Error("no"))],
  ["gives no text", (() => undefined) as unknown as Redact],
  ["promises no text", (() => Promise.resolve({ text: SECRET })) as unknown as Redact],
];

describe.each(failing)("a redact function that %s", (_name, broken) => {
  it.each(values)(
    "leaves nothing of %s, stored or shown: a sentence stands for it",
    async (_kind, value) => {
      const { offloader, events } = redacting(broken);
      const result = await offload({ offloader }, value(), { toolName: "notes" });
      if (result.outcome !== "inline") throw new Error(result.outcome);
      expect(result.text).toContain("The output of notes is withheld");
      expect(JSON.stringify(result)).not.toContain(SECRET);
      expect((await offloader.store.list(sessionKeyOf(sessionId))).artifacts).toEqual([]);
      expect(events.map(({ type }) => type)).toContain("plugin-failed");
    },
  );

  it("makes put say that it cannot store", async () => {
    const { offloader } = redacting(broken);
    const putting = offloader.put(json, { sessionId });
    await expect(putting).rejects.toMatchObject({ code: "REDACT_FAILED" });
    // What it threw may have the text in it.
    await expect(putting).rejects.not.toThrow(SECRET);
    expect((await offloader.store.list(sessionKeyOf(sessionId))).artifacts).toEqual([]);
  });
});

describe("a stream that is redacted", () => {
  it("is cleaned where it is UTF-16", async () => {
    const { offloader } = redacting();
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    await offload({ offloader }, parts([bytes.subarray(0, 1_001), bytes.subarray(1_001)]));
    const kept = await stored(offloader);
    expect(kept).toContain("It says [gone] of row 899");
    expect(kept).not.toContain(SECRET);
  });

  const piece = "x".repeat(1_048_576);
  it.each<[string, () => unknown, Redact]>([
    [
      "a line of it is too long to be held",
      () => parts(Array.from({ length: MAX_LINE / piece.length + 1 }, () => piece)),
      redact,
    ],
    ["what was the JSON of a record is none any more", () => parts(rows), () => "no JSON"],
  ])("is withheld when %s", async (_, value, by) => {
    const result = await offload(redacting(by), value());
    expect(result.outcome === "inline" && result.text).toContain("is withheld");
  });

  it("throws what the tool's own stream throws", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "a\n";
      await Promise.reject(new Error("the tool's own"));
    }
    await expect(offload(redacting(), broken())).rejects.toThrow("the tool's own");
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
  const blocks: Readonly<Record<string, object>> = {
    "a record": { name: "a row", note: SECRET },
    "a result of a search": { type: "search_result", content: [{ type: "text", text: SECRET }] },
    "what is deep": { type: "x", a: [{ b: [{ c: [{ d: [{ e: [{ f: SECRET }] }] }] }] }] },
    "what is called type in data": { type: "json", json: { type: `of ${SECRET}` } },
    "what is called as a file is": { type: "json", json: { blob: SECRET, file_data: SECRET } },
    "JSON beside its media type": { mimeType: "application/json", data: `{"n":"${SECRET}"}` },
    "text behind an address": { type: "file", url: `data:text/plain,${SECRET}` },
  };
  const beside: readonly (readonly [string, Partial<ToolOutput>])[] = [
    ...Object.entries(blocks).map(
      ([name, block]) => [`${name} of a block`, { value: [...small, block] }] as const,
    ),
    ["a set of words as the artifact", { value: "small", artifact: new Set([SECRET]) }],
    ["an error in the artifact", { value: "small", artifact: { error: new Error(SECRET) } }],
    ["the text of memories", { value: `For ${SECRET}: 1 of 2.`, artifact: [memory, memory] }],
  ];

  it.each(beside)("has nothing of it in %s", async (_name, given) => {
    const result = await offload(redacting(), undefined, given);
    // Where the pipeline says nothing of the artifact, the message keeps the one it had.
    const artifact = result.outcome === "inline" && !("artifact" in result) && given.artifact;
    const told = inspect([result, artifact], { depth: 20 });
    expect(told).not.toContain(SECRET);
    expect(told).toMatch(/\[gone\]/);
  });

  it("stays as it came but for the secret, without the data of its artifact", async () => {
    const artifact = [{ type: "mcp_structured_content", data: { rows: [1, 2] } }];
    const _meta = { [`of/${SECRET}`]: 1 };
    const wrapped = { type: "text", text: SECRET, structuredContent: { a: 1 }, _meta };
    const blocks = [wrapped, ...small, { type: "text", text: "caption", citations: [SECRET] }];
    const cited = [1, 2].map((page) => ({ type: "text", text: SECRET, metadata: { page } }));
    const record = { type: "document", id: 1, data: SECRET };
    for (const value of [SECRET, blocks, cited, [record], JSON.stringify(wrapped)]) {
      const wanted = JSON.stringify({ outcome: "inline", value }).replaceAll(SECRET, "[gone]");
      expect(JSON.stringify(await offload(redacting(), value, { artifact }))).toBe(wanted);
    }
  });

  const round: Record<string, unknown> = { id: 1n };
  round["self"] = round;
  it.each<[string, unknown, object]>([
    ["dates, addresses and bytes", [new Date(0), new URL("https://e.com"), bytesOf("a")], {}],
    ["a map", new Map([["a", 1]]), { artifact: { a: 1 } }],
    ["a big integer", { id: 9007199254740993n }, {}],
    ["a cycle", round, { artifact: { id: "1", self: "[Circular]" } }],
  ])(
    "passes on an artifact as JSON only where JSON has no word for it: %s",
    async (_, own, told) => {
      const result = await offload(redacting(), "a", { artifact: own });
      expect(result).toEqual({ outcome: "inline", value: "a", ...told });
    },
  );

  it("keeps the records beside a file as a text where they are no JSON any more", async () => {
    const hits = [1, 2].map((card) => ({ type: "text", text: "a", metadata: { card: 7 * card } }));
    const cards = redacting((given) => given.replaceAll(/\b(?:7|14)\b/g, "[card]"));
    const chart = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const value = [{ type: "text", text: expect.stringContaining(":[card]}") }, chart];
    expect(await offload(cards, [...hits, chart])).toEqual({ outcome: "inline", value });
  });

  it("replaces a number of a block, and leaves the others numbers", async () => {
    const block = { type: "json", json: { card: 4_111_111_111_111_111, paid: [7, 2.5] } };
    const cards = redacting((given) => given.replaceAll(/\d{16}/g, "[card]"));
    const result = await offload(cards, [...small, block]);
    expect(JSON.stringify(result)).toContain('{"card":"[card]","paid":[7,2.5]}');
    expect(JSON.stringify(result)).not.toContain("4111111111111111");
  });

  it.each<[string, object]>([
    ["LangChain", { type: "image", source_type: "base64", mime_type: "image/svg+xml" }],
    ["the Model Context Protocol", { type: "audio", mimeType: "audio/wav" }],
    ["OpenAI", { type: "input_audio", format: "wav" }],
  ])("leaves a file in a block of %s as it is", async (_name, fields) => {
    const block = { ...fields, data: "AAAA".repeat(100) };
    const result = await offload(
      redacting((given) => given.replaceAll("A", "")),
      [...small, block],
    );
    expect(JSON.stringify(result)).toContain(block.data);
  });
});

it("a result of MCP is an error without data when it cannot be redacted", async () => {
  const { offloader } = redacting(() => Promise.reject(new Error("no")));
  const call = { toolName: "t", args: undefined, toolCallId: "1", sessionId };
  const result = { content: [{ type: "text", text: SECRET }], structuredContent: { a: SECRET } };
  const answer = await offloadResult(offloader, JSON.stringify(result), result, call);
  expect(JSON.parse(answer)).toMatchObject({ isError: true });
  expect(answer).not.toContain(SECRET);
});
