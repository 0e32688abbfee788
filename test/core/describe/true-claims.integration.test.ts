import { describe, expect, it, onTestFinished } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { resultText } from "../../../src/core/pipeline/inline.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { extract } from "../../../src/presets/lro/extract.js";
import { times } from "./samples.js";

interface Told {
  readonly summary: Record<string, unknown>;
  readonly outline?: readonly string[];
  readonly line_schema?: Record<string, string>;
  readonly guidance: string;
}

function opened(options: OffloadOptions = {}) {
  const offloader = createOffloader({ store: memoryStore(), ...options });
  onTestFinished(() => offloader.close());
  let id = "";
  const text = async (value: unknown): Promise<string> => {
    const result = await offloader.offload({ toolName: "t", sessionId: "s", value });
    if (result.outcome === "offloaded") ({ id } = result.storedArtifact);
    return resultText(result);
  };
  return {
    text,
    told: async (value: unknown): Promise<Told> => JSON.parse(await text(value)) as Told,
    async ask(key: string, args: object): Promise<string> {
      const tool = offloader
        .tools("s")
        .find(({ name }) => name === offloader.options.toolNames[key]);
      return (await tool?.run({ id, ...args }))?.text ?? "";
    },
  };
}

describe("what a descriptor says", () => {
  it("of cells with exponents is what SQL computes with", async () => {
    const rows = times(400, (id) => `G${id},${id % 4 ? (0.001 * (id + 1)).toFixed(4) : "1.5e-10"}`);
    const { told, ask } = opened();
    const { line_schema } = await told(`gene,pvalue\n${rows.join("\n")}`);
    expect(line_schema?.["pvalue"]).toMatch(/^number .* to 0\.4/);
    const query = "SELECT max(pvalue) = 0.4 AS is FROM output";
    expect(await ask("sql", { query })).toContain("true");
  });

  it("of records that are not all objects says so", async () => {
    const { told } = opened();
    const page = { page: 1, total: 500 };
    const { line_schema } = await told([page, times(500, (id) => ({ id, name: `name ${id}` }))]);
    expect(line_schema?.["(record)"]).toMatch(/1× \{page/);
    expect(line_schema?.["[].name"]).toMatch(/^text/);
  });

  it.each([
    ["is not done yet", { complete: false }],
    ["has steps", { step: 3, next: 4 }],
  ])("of data that %s claims no other page", async (_, around) => {
    const tasks = times(500, (id) => ({ id, title: `Task ${id}` }));
    const { summary } = await opened().told({ ...around, tasks });
    expect(summary).not.toHaveProperty("complete");
    expect(summary).not.toHaveProperty("next_page");
  });

  it.each([
    ["Kubernetes", "X1128 10:00:12.123456 1 c.go:12] m", /levels: I .*W .*E /],
    ["Ruby", "X, [2026-01-01T10:00:12.1 #12]  INFO -- : m", /400 lines have a time/],
  ])("of a log of %s is its outline", async (_, line, expected) => {
    const { told } = opened({ threshold: { tokens: 1_000 } });
    const log = times(400, (id) => line.replace("X", "IWE"[id % 3] ?? "")).join("\n");
    expect(JSON.stringify((await told(log)).outline)).toMatch(expected);
  });

  it.each([
    ["a shell script", "#!/bin/bash\n", (id: number) => `# Step ${id}\necho "${id}"\n`],
    ["a configuration file", "", (id: number) => `# Option ${id}\noption_${id}=1\n`],
  ])("of %s does not call its comments headings", async (_, start, line) => {
    const { told } = opened({ threshold: { tokens: 500 } });
    const { summary } = await told(start + times(900, line).join("\n"));
    expect(summary["kind"]).not.toBe("markdown");
  });

  it("of TypeScript lists its definitions and no imports", async () => {
    const line = (id: number): string =>
      `export function f${id}(a: number): number {\n  return a;\n}`;
    const imports = 'import {\n  type Foo,\n  type Bar as Baz,\n} from "./x.js";\n\n';
    const { outline } = await opened().told(imports + times(600, line).join("\n"));
    expect(outline?.join("\n")).not.toMatch(/type (?:Foo|Bar)/);
    expect(outline?.join("\n")).toContain("function f0");
  });

  it("of templates that are no YAML offers no jq", async () => {
    const text = times(900, (id) => `key${id}:\n  a: {{ .Values.x${id} }}\n  b: 1\n`).join("");
    expect((await opened({ describe: { form: "bare" } }).told(text)).guidance).not.toContain(
      "jq_tool",
    );
  });
});

describe("what SQL computes with", () => {
  it("keeps texts apart that are one number, and prices stay numbers", async () => {
    const { told, ask } = opened();
    const version = (id: number): string => ["3.9", "3.10", "3.1"][id % 3] ?? "";
    const rows = times(600, (id) => `p${id},${version(id)},${(id / 4).toFixed(2)}`);
    const { line_schema } = await told(`pkg,python,price\n${rows.join("\n")}`);
    expect(line_schema?.["python"]).toMatch(/^text/);
    expect(line_schema?.["price"]).toMatch(/^number/);
    const query = "SELECT count(DISTINCT python) AS n, max(price) AS most FROM output";
    expect(await ask("sql", { query })).toContain("3 | 149.75");
  });

  it("is typed in deep objects", async () => {
    const { told, ask } = opened();
    const deep = (n: number) => ({ a: { b: { c: { d: { e: { f: { n } } } } } } });
    await told(times(400, (id) => ({ id, name: `name of ${id}`, ...deep(id) })));
    const sum = "SELECT sum(a.b.c.d.e.f.n) AS n FROM output";
    expect(await ask("sql", { query: sum })).toContain("79800");
  });

  it("is one column of JSON where there are too many fields, and nothing else is said", async () => {
    const { text, ask } = opened();
    const described = await text(times(1_500, (id) => ({ id, [`k${id}`]: id, t: "x" })));
    expect(described).toContain("its one column, record");
    expect(described).not.toContain("DESCRIBE");
    expect(await ask("sql", { query: "SELECT count(record) AS n FROM output" })).toContain("1500");
  });
});

describe("where the only query is that of the extract tool", () => {
  const records = JSON.stringify(times(800, (id) => ({ id, name: `name ${id}` })));
  const text = times(4_000, (id) => `note ${id}`).join("\n");

  it.each([
    ["records", records, "runs a jq filter on each record"],
    ["text", text, "sees each line as a string"],
  ])("%s name it, and it works", async (_, value, on) => {
    const drillIn = { names: { jq: false, sql: false } } as const;
    const { told, ask } = opened({ plugins: [extract()], drillIn, threshold: { tokens: 1_000 } });
    expect((await told(value)).guidance).toContain(`(file_path, query) ${on}`);
    expect(await ask("extract", { query: "[inputs] | length" })).toMatch(/^(?:800|4000)\b/);
  });
});

describe("scores of search hits", () => {
  const about = { memory_type: "semantic", content: "text ".repeat(30) };
  const hits = times(100, (id) => ({
    memory: { id: `m${id}`, title: `Title ${id}`, ...about },
    score: id / 100,
  }));

  it.each(["generic", "bare"] as const)("are told as a range in the form %s", async (form) => {
    const { summary } = await opened({ describe: { form } }).told(hits);
    expect(summary["score_range"]).toEqual([0, 0.99]);
  });
});

describe("a descriptor of several sets", () => {
  it("writes long paths whole, and tells sets apart that differ at their end", async () => {
    const records = (count: number, field: string): object[] =>
      times(count, (id) => ({ id, [field]: `${field} ${id}` }));
    const long = "segment".repeat(12);
    const { summary, line_schema } = await opened().told({
      [`${long}_one`]: records(400, "first"),
      [`${long}_two`]: records(290, "second"),
      [`${long}_three`]: "a",
      [`${long}_four`]: "b",
    });
    const [one, two] = summary["records_at"] as { path: string; table: string }[];
    expect([one?.path, two?.path]).toEqual([`.${long}_one`, `.${long}_two`]);
    expect(Object.keys(line_schema ?? {})).toEqual([one?.table, two?.table]);
    expect(JSON.stringify(line_schema)).toMatch(/first.*second/);
    expect(summary["rest"]).toEqual({ [`.${long}_three`]: "a", [`.${long}_four`]: "b" });
  });
});
