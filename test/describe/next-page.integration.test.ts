import { describe, expect, it } from "vitest";
import { identifyContent } from "../../src/content/identify.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../../src/describe/describe.js";
import { truncateOutput } from "../../src/describe/truncate.js";
import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import { fileStore } from "../../src/store/file/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { ALL_TOOLS, countTokens, store } from "./fixture.js";
import { issues, memories } from "./samples.js";

const makeDirectory = temporaryDirectories();
const CURSOR = "eyJwYWdlIjoyfQ";

const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify({ items: issues(120), next_cursor: CURSOR }),
  map: JSON.stringify({
    meta: { next_cursor: CURSOR },
    users: Object.fromEntries(issues(120).map((issue) => [`u${String(issue["id"])}`, issue])),
  }),
  memories: JSON.stringify({
    memories: memories(120, "full"),
    paging: { cursors: { after: CURSOR } },
  }),
  document: JSON.stringify({
    left: Array.from({ length: 9 }, () => "words ".repeat(90)),
    right: { deep: Array.from({ length: 9 }, () => "words ".repeat(90)) },
    third: "words ".repeat(6_500),
    pagination: { next: CURSOR },
  }),
};

async function walked(
  options: OffloadOptions,
  value: unknown,
  store?: OffloadOptions["store"],
): Promise<string> {
  const offloader: Offloader = createOffloader({
    ...options,
    store: store ?? fileStore({ directory: await makeDirectory() }),
  });
  const around = { conversation: { contextWindowTokens: 8_000 } };
  const result = await offloader.offload({
    toolName: "list_things",
    value,
    sessionId: "s",
    ...around,
  });
  await offloader.close();
  if (result.text === undefined) throw new Error(result.outcome);
  return result.text;
}

describe("one page of more", () => {
  const designs: Readonly<Record<string, OffloadOptions>> = {
    auto: {},
    full: { describe: { form: "full" } },
    generic: { describe: { form: "generic" } },
    bare: { describe: { form: "bare" } },
    shell: { describe: { shell: true } },
    "no tools": { drillIn: false },
    "the least": { describe: { maxTokens: 1 } },
    lro: lro(),
    atlatl: { ...atlatl(), threshold: { tokens: 1_600 } },
    mcpagent: { ...mcpagent(), threshold: { tokens: 1_600 } },
    vectara: vectara({ onWarning: () => {} }),
    metaCc: metaCc({ environment: {} }),
  };

  it.each(
    Object.keys(designs).flatMap((design) => Object.keys(OUTPUTS).map((kind) => [design, kind])),
  )("is said to be one, with the tool and the cursor, by %s of %s", async (design, kind) => {
    const value = OUTPUTS[kind]!;
    const text = await walked(designs[design]!, value);
    expect(text).toMatch(/"complete":false|one page of more/);
    const nextPage = /"next_page":(\{.*?\})|next_page: (\{.*?\})/.exec(text);
    expect(JSON.parse(nextPage?.[1] ?? nextPage?.[2] ?? "")).toEqual({
      tool: "list_things",
      cursor_at: expect.stringMatching(/next|after/),
      cursor: CURSOR,
    });
    const last = await walked(designs[design]!, value.replace(`"${CURSOR}"`, "null"));
    expect(last).not.toMatch(/"complete":false|page of more|next_page/);
  });

  it.each(Object.keys(designs))(
    "a stream that was stopped is no whole one for %s",
    async (design) => {
      async function* records() {
        for (const record of memories(600, "full")) yield record;
      }
      const whole = await walked(designs[design]!, records());
      expect(whole).not.toMatch(/"complete":false|one part only|only the beginning/i);
      for (const mode of ["artifact", "truncate"] as const) {
        const options = { ...designs[design]!, streams: { maxBytes: 200_000 } };
        const text = await walked({ ...options, decide: { ...options.decide, mode } }, records());
        expect(text).toMatch(/"complete":false|one part only/);
      }
      const put = () => Promise.reject(new Error("full"));
      const options = { ...designs[design]!, streams: { maxBytes: 200_000 } };
      const cut = await walked(options, records(), { ...memoryStore(), put });
      expect(cut).toMatch(/"complete":false|one part only/);
    },
  );

  it.each(["artifact", "truncate"] as const)(
    "is told by hand of a text and of a long stream, which then are no replays: %s",
    async (mode) => {
      const line = "words that are no JSON ".repeat(5_000);
      async function* stream() {
        for (let at = 0; at < 45; at += 1) yield line;
      }
      const offloader = createOffloader({ store: memoryStore(), decide: { mode } });
      for (const value of [() => line, stream]) {
        for (const cursor of ["a", "b", undefined]) {
          const nextPage = cursor && { path: ["nextCursor"], value: cursor, cut: false };
          const given = {
            toolName: "t",
            value: value(),
            sessionId: "s",
            ...(nextPage && { nextPage }),
          };
          const { text = "" } = await offloader.offload(given);
          const told = /next_page"?: ?(\{[^}]*\})/.exec(text)?.[1];
          const page = { tool: "t", cursor_at: "nextCursor", cursor };
          expect(told && JSON.parse(told)).toEqual(cursor && page);
        }
      }
      await offloader.close();
    },
  );

  it("a long stream that was stopped is none when it is cut, by choice and after a failure", async () => {
    async function* words() {
      for (;;) yield "words that never end ".repeat(5_000);
    }
    const streams = { maxBytes: 5_000_000 };
    const put = () => Promise.reject(new Error("full"));
    const part = "This is one part only: the output was not complete.";
    expect(await walked({ streams, decide: { mode: "truncate" } }, words())).toContain(part);
    expect(await walked({ streams }, words(), { ...memoryStore(), put })).toContain(part);
  });

  it("a message of the user that was stopped is no whole one", async () => {
    async function* words() {
      for (let at = 0; at < 5_000; at += 1) yield `word ${at} `;
    }
    const messageWith = async (maxBytes: number): Promise<string> => {
      const offloader = createOffloader({ store: memoryStore(), streams: { maxBytes } });
      const { text } = await offloader.put(words(), { sessionId: "s", origin: "user" });
      await offloader.close();
      return text;
    };
    expect(await messageWith(30_000)).toMatch(/"complete":false.*only the beginning came/);
    expect(await messageWith(300_000)).not.toMatch(/"complete":false|only the beginning/);
  });

  it.each(Object.keys(OUTPUTS))("keeps its cursor when %s is cut by choice", async (kind) => {
    const value = OUTPUTS[kind]!;
    for (const tokens of [60, 300, 1_600]) {
      const decide = { mode: "truncate", threshold: { tokens } } as const;
      // In the middle, which is left out.
      const middle = value.replace(/^\{("\w+":.*),("\w+":[^,]*)\}$/s, '{$1,$2,"rest":[1]}');
      const text = await walked({ decide }, middle);
      expect(text).toContain('"tool":"list_things"');
      expect(text).toContain(`"cursor":"${CURSOR}"`);
      const last = await walked({ decide }, middle.replace(`"${CURSOR}"`, "null"));
      expect(last).not.toMatch(/page of more|next_page/);
    }
  });

  it("keeps as much of a long cursor as half of what an output is cut to has room for", async () => {
    const cursor = "aZ9_x-".repeat(3_000);
    const value = JSON.stringify({
      a: "words ".repeat(9_000),
      next_cursor: cursor,
      b: "words ".repeat(9_000),
    });
    const shown = async (tokens: number): Promise<string> => {
      const text = await walked({ decide: { mode: "truncate", threshold: { tokens } } }, value);
      expect(countTokens(text)).toBeLessThanOrEqual(tokens);
      return /"cursor":"([^"…]*)…"/.exec(text)?.[1] ?? "";
    };
    for (const [tokens, least, most] of [
      [200, 5, 16],
      [600, 190, 200],
      [6_000, 1_990, 2_000],
    ] as const) {
      const { length } = await shown(tokens);
      expect(length).toBeGreaterThanOrEqual(least);
      expect(length).toBeLessThanOrEqual(most);
    }
  });

  it.each(["full", "generic", "bare"] as const)(
    "is within the budget of the %s form with a cursor of any length",
    async (form) => {
      for (const length of [1, 30, 190, 260, 5_000, 20_000]) {
        const cursor = Array.from({ length }, (_, at) => "aZ9_x-"[(at * 7) % 6]).join("");
        const value = JSON.stringify({ next_cursor: cursor, items: issues(300) });
        const stored = await store(await identifyContent(value));
        const input = { ...stored, tools: ALL_TOOLS, count: countTokens };
        const descriptor = await describeArtifact(input, { form });
        expect(descriptor.form === "bare" || descriptor.form === form || form === "full").toBe(
          true,
        );
        expect(descriptor.tokens).toBeLessThanOrEqual(FORM_BUDGET_TOKENS[descriptor.form]);
        const { summary, guidance } = JSON.parse(descriptor.text);
        const shown: string = summary.next_page.cursor;
        if (shown !== cursor) {
          expect(cursor.startsWith(shown.replace(/…$/, ""))).toBe(true);
          const { layout } = stored.storedArtifact;
          const place = layout === "records" ? "line 1" : "what is stored";
          expect(guidance).toContain(`whole in ${place}`);
        }
      }
    },
  );

  it("has its cursor escaped, whatever it is made of", async () => {
    const cursor = '\u202e"}</x>\u001b[0m';
    const stored = await store(
      await identifyContent(JSON.stringify({ items: issues(90), next: cursor })),
    );
    const { text } = await describeArtifact({ ...stored, tools: ALL_TOOLS, count: countTokens });
    expect(text).not.toMatch(/\p{Cc}|\u202e/u);
    expect(JSON.parse(text).summary.next_page.cursor).toBe(cursor);
  });

  it.each(Object.keys(OUTPUTS))("keeps its cursor when %s cannot be stored (C18)", async (kind) => {
    const text = OUTPUTS[kind]!;
    for (const limitTokens of [400, 1_600]) {
      const cut = await truncateOutput({
        content: await identifyContent(text),
        text,
        totalTokens: 9_999,
        limit: { tokens: limitTokens },
        count: countTokens,
        toolName: "list_things",
      });
      expect(countTokens(cut.text)).toBeLessThanOrEqual(limitTokens);
      expect(cut.text).toContain('"tool":"list_things"');
      expect(cut.text).toContain(`"cursor":"${CURSOR}"`);
    }
  });
});
