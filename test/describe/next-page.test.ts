import { describe, expect, it } from "vitest";
import { identifyContent } from "../../src/content/identify.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../../src/describe/describe.js";
import { truncateOutput } from "../../src/describe/truncate.js";
import { createOffloader, type Offloader } from "../../src/offload.js";
import type { OffloadOptions } from "../../src/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import { fileStore } from "../../src/store/file.js";
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
    third: "words ".repeat(900),
    pagination: { next: CURSOR },
  }),
};

async function walked(options: OffloadOptions, value: string): Promise<string> {
  const offloader: Offloader = createOffloader({
    ...options,
    store: fileStore({ directory: await makeDirectory() }),
  });
  const around = { conversation: { contextWindowTokens: 8_000 } };
  const result = await offloader.offload({
    toolName: "list_things",
    value,
    sessionId: "s",
    ...around,
  });
  await offloader.close();
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
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
    atlatl: { ...atlatl(), decide: { threshold: { tokens: 1_600 } } },
    mcpagent: { ...mcpagent(), decide: { threshold: { tokens: 1_600 } } },
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
          expect(guidance).toContain("whole in line 1");
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
