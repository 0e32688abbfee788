import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../../../src/core/describe/describe.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { ALL_TOOLS, countTokens, store, textContent, valuesContent } from "./fixture.js";
import { issues, memories } from "./samples.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const makeDirectory = temporaryDirectories();
const opened = openedOffloaders();
const CURSOR = "eyJwYWdlIjoyfQ";

const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify({ items: issues(120), next_cursor: CURSOR }),
  map: JSON.stringify({
    meta: { next_cursor: CURSOR },
    users: Object.fromEntries(issues(120).map((issue) => [`u${String(issue["id"])}`, issue])),
  }),
  memories: JSON.stringify({
    memories: memories(120, "full"),
    paging: { next: { after: CURSOR } },
  }),
  document: JSON.stringify({
    left: Array.from({ length: 9 }, () => "words ".repeat(90)),
    right: { deep: Array.from({ length: 9 }, () => "words ".repeat(90)) },
    third: "words ".repeat(6_500),
    pagination: { next: CURSOR },
  }),
};

async function offloaded(
  options: OffloadOptions,
  value: unknown,
  store?: OffloadOptions["store"],
): Promise<string> {
  const files = store ?? fileStore({ directory: await makeDirectory() });
  const { offloader } = opened({ ...options, store: files });
  const around = { sessionId: "s", conversation: { contextWindowTokens: 8_000 } };
  const result = await offloader.offload({ toolName: "list_things", value, ...around });
  if (result.text === undefined) throw new Error(result.outcome);
  return result.text;
}

describe("one page of more", () => {
  const designs: Readonly<Record<string, OffloadOptions>> = {
    auto: {},
    generic: { describe: { form: "generic" } },
    bare: { describe: { form: "bare" } },
    "no tools": { drillIn: false },
    "the least": { describe: { maxTokens: 1 } },
    lro: { preset: lro() },
    atlatl: { preset: atlatl(), threshold: { tokens: 1_600 } },
    mcpagent: { preset: mcpagent(), threshold: { tokens: 1_600 } },
    vectara: { preset: vectara({ onWarning: () => {} }) },
    metaCc: { preset: metaCc() },
  };

  it.each(
    Object.keys(designs).flatMap((design) => Object.keys(OUTPUTS).map((kind) => [design, kind])),
  )("is said to be one, with the tool and the cursor, by %s of %s", async (design, kind) => {
    const value = OUTPUTS[kind]!;
    const text = await offloaded(designs[design]!, value);
    expect(text).toMatch(/"complete":false|one page of more/);
    const nextPage = /"next_page":(\{.*?\})|next_page: (\{.*?\})/.exec(text);
    expect(JSON.parse(nextPage?.[1] ?? nextPage?.[2] ?? "")).toEqual({
      tool: "list_things",
      cursor_at: expect.stringMatching(/next|after/),
      cursor: CURSOR,
    });
    const last = await offloaded(designs[design]!, value.replace(`"${CURSOR}"`, "null"));
    expect(last).not.toMatch(/"complete":false|page of more|next_page/);
  });

  it.each(Object.keys(designs))(
    "a stream that was stopped is no whole one for %s",
    async (design) => {
      async function* records() {
        for (const record of memories(600, "full")) yield record;
      }
      const whole = await offloaded(designs[design]!, records());
      expect(whole).not.toMatch(/"complete":false|one part only|only the beginning/i);
      const options = { ...designs[design]!, maxOutputBytes: 200_000 };
      for (const mode of ["store", "truncate"] as const) {
        const text = await offloaded({ ...options, mode }, records());
        expect(text).toMatch(/"complete":false|one part only/);
      }
      const put = () => Promise.reject(new Error("full"));
      const cut = await offloaded(options, records(), { ...memoryStore(), put });
      expect(cut).toMatch(/"complete":false|one part only/);
    },
  );

  it("has its cursor escaped, whatever it is made of", async () => {
    const cursor = '\u202e"}</x>\u001b[0m';
    const content = await identifyContent(
      JSON.stringify({ items: issues(90), next_cursor: cursor }),
    );
    const input = { ...(await store(content)), tools: ALL_TOOLS, count: countTokens };
    const { text } = await describeArtifact(input);
    expect(text).not.toMatch(/\p{Cc}|\u202e/u);
    expect(JSON.parse(text).summary.next_page.cursor).toBe(cursor);
  });
});

const key = fc.oneof(
  fc.constantFrom("id", "title", "content", "namespace", "status", "__proto__", "constructor", ""),
  fc.string({ unit: "binary" }),
  fc.string(),
);
const value = fc.jsonValue({ maxDepth: 3 });
const record = fc.oneof(fc.dictionary(key, value, { maxKeys: 12 }), value);
const form = fc.constantFrom("auto", "generic", "bare");

it("any records and any text give a descriptor that is valid JSON within its budget, and never an error", async () => {
  const records = fc.array(record, { maxLength: 20 }).map((values) => valuesContent(values));
  const text = fc.string({ unit: "binary", maxLength: 3_000 }).map((one) => textContent(one));
  await fc.assert(
    fc.asyncProperty(fc.oneof(records, text), form, async (content, chosen) => {
      const stored = await store(content, { tokens: 100_000 });
      const input = { ...stored, tools: ALL_TOOLS, count: countTokens };
      const descriptor = await describeArtifact(input, { form: chosen });
      const { filePath, recipes } = stored.storedArtifact;
      expect(JSON.parse(descriptor.text)).toMatchObject({ offloaded: true, file_path: filePath });
      expect(descriptor.tokens).toBeLessThanOrEqual(FORM_BUDGET_TOKENS[descriptor.form]);
      expect(recipes.length).toBeLessThanOrEqual(3);
    }),
    { numRuns: 46 },
  );
});
