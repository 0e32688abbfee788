import { describe, expect, it } from "vitest";

import { artifactOf, call, DETAILS, memories, responseOf, store } from "./offload-call.js";

describe("native extraction", () => {
  it("70 MAY extraction is a tool of the agent, by the preset", async () => {
    expect((await call(memories())).boundTools).toContain("lro_extract");
  });

  it("71 MAY it takes a path with a recipe or a query, never both, and params", async () => {
    const { extract } = await store();
    const params = { namespace: "_episodic" };
    const episodic = memories().filter((memory) =>
      String(memory["namespace"]).startsWith("_episodic"),
    );
    const recipe = await extract({ recipe: 2, query: null, params });
    expect(recipe).toMatchObject({ failed: false });
    expect(recipe.text).toContain(String(episodic[0]?.["id"]));
    expect(await extract({ query: "length" })).toMatchObject({ failed: false });
    for (const wrong of [{}, { recipe: 1, query: "." }, { recipe: 11 }, { recipe: 0 }]) {
      expect(await extract(wrong)).toMatchObject({ failed: true });
    }
    for (const limit of ["1,000", "0x", "5 best", " "])
      expect(await extract({ recipe: 8, params: { limit } })).toMatchObject({ failed: true });
    const limited = await extract({ recipe: 8, params: { limit: "5" } });
    expect(limited.text.match(/"created"/g)).toHaveLength(5);
  });

  it("72 it skips the header and returns what the filter gives for the memories alone", async () => {
    const { extract } = await store();
    const header = await extract({ query: 'select(.type == "lro_header")' });
    expect(header.text).not.toContain("schema_version");
    const [memory] = memories().filter(({ title }) => String(title).startsWith("Atlas"));
    const query = `select(.id == "${String(memory?.["id"])}") | .title`;
    const { text } = await extract({ query });
    expect(text).toBe(`${JSON.stringify(memory?.["title"])}\n1 result.`);
    const { text: foreign, failed } = await extract({ file_path: "/etc/passwd", query: "." });
    expect(failed).toBe(true);
    expect(foreign).not.toContain("root:");
  });

  it("73 MUST jq_recipes are in the descriptor with the tool and without", async () => {
    for (const drillIn of [{ names: { extract: "lro_extract" } }, {}, false] as const) {
      const { jq_recipes: recipes } = responseOf(await call(memories(), { drillIn }));
      expect(recipes).toHaveLength(10);
      expect(recipes.every(({ command }) => command.startsWith("tail -n +2 "))).toBe(true);
    }
  });

  it("74 MUST the guidance points at the tool, under the name that it has here", async () => {
    // With room for the template, and without.
    for (const maxTokens of [3000, 1300]) {
      const drillIn = { names: { extract: "memory_query" } };
      const called = await call(memories(), { drillIn, describe: { maxTokens } });
      expect(responseOf(called).guidance).toContain("Use the `memory_query` tool");
      expect(called.message.text).not.toContain("lro_extract");
      expect(called.boundTools).toContain("memory_query");
    }
  });

  it("75 SHOULD it is the native template, its sample filter one of the level", async () => {
    const samples = {
      light: 'select(.memory_type == \\"semantic\\")',
      medium: "select(.confidence > 0.8)",
      full: "select(.provenance.confidence > 0.8)",
    };
    for (const detail of DETAILS) {
      // In a long directory the path is named once instead, to stay within the form's budget.
      const options = { args: { detail }, describe: { maxTokens: 3000 } };
      const called = await call(memories(60, detail), options);
      const { filePath = "", tokens } = artifactOf(called);
      const of = `lro_extract(file_path=${JSON.stringify(filePath)}`;
      expect(responseOf(called).guidance)
        .toBe(`Results offloaded to JSONL (60 memories, ~${tokens} tokens saved).
Detail level: ${detail}

Use the \`lro_extract\` tool to query this result set. Examples:
- Browse: ${of}, recipe=1)
- Filter by namespace: ${of}, recipe=2, params={"namespace": "_semantic"})
- Search by keyword: ${of}, recipe=3, params={"keyword": "your term"})
- Custom filter: ${of}, query="${samples[detail]}")

Available recipes: 1=titles+namespaces, 2=filter namespace, 3=search titles,
4=IDs+titles, 5=filter type, 6=count by namespace, 7=filter tag, 8=sort by date,
9=detail-adaptive, 10=detail-adaptive.`);
    }
  });

  it("76 MUST each example of the guidance is a call that the tool answers", async () => {
    for (const detail of DETAILS) {
      const { extract } = await store(detail);
      const { guidance } = responseOf(await call(memories(60, detail), { args: { detail } }));
      const query = JSON.parse(/query=("(?:[^"\\]|\\.)*")/.exec(guidance)?.[1] ?? "null");
      const filtered = { recipe: 2, params: { namespace: "_semantic" } };
      const searched = { recipe: 3, params: { keyword: "cache" } };
      for (const example of [{ recipe: 1 }, filtered, searched, { query }])
        expect(await extract(example)).toMatchObject({ failed: false });
    }
  });

  it("77 the tool is listed from the start, whatever has been offloaded", async () => {
    expect((await call("small")).boundTools).toContain("lro_extract");
  });
});

describe("agents without a shell", () => {
  it("80 MUST NOT a shell be assumed: the summary answers alone, and recipes are an offer", async () => {
    for (const drillIn of [{ names: { extract: "lro_extract" } }, {}, false] as const) {
      const called = await call(memories(200), { drillIn });
      const { summary, guidance } = responseOf(called);
      expect(summary).toMatchObject({ count: 200, detail: "light" });
      expect(summary["top_namespaces"]).toHaveLength(5);
      expect(guidance).not.toMatch(/\b(bash|run the|execute)\b/i);
      for (const tool of drillIn === false ? ["lro_extract", "jq_tool_output"] : []) {
        expect(called.message.text).not.toContain(tool);
        expect(called.boundTools).not.toContain(tool);
      }
    }
  });
});
