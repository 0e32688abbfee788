import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { artifactTools, vectara, type VectaraOptions } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { at, eventsOf, type Step, talk, type Talk, THREAD, words } from "./rig.js";

const rows = Array.from({ length: 500 }, (_, id) => ({
  id,
  name: `customer ${id}`,
  city: "Oslo",
  score: id / 500,
  active: id % 2 === 0,
  note: "",
}));
const output = JSON.stringify({ rows, next_cursor: "" });
const preset = (given: VectaraOptions = {}): OffloadOptions => ({
  preset: vectara({ onWarning: () => {}, ...given }),
  store: memoryStore(),
});

/** A conversation in a window of 8,000 tokens, of which an output of 8,000 bytes is a quarter. */
async function ask(
  value: unknown,
  steps: readonly Step[] = [[["search"]]],
  options: OffloadOptions = preset(),
  windowTokens = 8_000,
): Promise<Talk> {
  return await talk({ options, tools: { search: () => value }, windowTokens }, steps);
}

/** The answers of artifact tools, one call a turn after the search; the first is the envelope. */
async function askArtifact(
  value: unknown,
  ...calls: readonly (readonly [tool: string, args: object])[]
): Promise<Talk> {
  const steps = calls.map(([tool, args]): Step => (answers) => [
    [tool, { artifact_id: idIn(answers), ...args }],
  ]);
  return await ask(value, [[["search"]], ...steps]);
}

const envelopeOf = ({ answers }: Talk): Record<string, unknown> => JSON.parse(at(answers, 0));
const idIn = (answers: readonly string[]): string => JSON.parse(at(answers, 0)).artifact_id;
const isWhole = ({ answers }: Talk, value: string): boolean => answers[0] === value;
const text = (bytes: number): string => "word ".repeat(400_000).slice(0, bytes);

describe("vectara, promise by promise", () => {
  it("1 Overview: it is on by default, and in artifact mode parks the output and hands over a compact reference", async () => {
    const told = await ask(output);
    expect(eventsOf(told, "offloaded")).toHaveLength(1);
    expect(at(told.answers, 0).length).toBeLessThan(output.length / 20);
  });

  it("2 Overview: the mode is artifact with any one of the artifact tools", async () => {
    for (const tool of ["artifact_read", "artifact_grep", "artifact_jq"] as const) {
      const told = await ask(output, [[["search"]]], preset({ tools: [tool] }));
      expect(Object.keys(envelopeOf(told)["how_to_access"] ?? {})).toEqual([tool]);
      expect(told.tools[0]).toEqual([tool]);
    }
  });

  it("3 Overview: the mode is truncate without artifact tools", async () => {
    const told = await ask(output, [[["search"]]], preset({ tools: [] }));
    expect(eventsOf(told, "truncated")).toHaveLength(1);
    expect(told.tools[0]).toEqual([]);
  });

  it("4 Two gates: context_percentage of the window is the limit of one output", async () => {
    expect(isWhole(await ask(text(8_000)), text(8_000))).toBe(true);
    expect(isWhole(await ask(text(8_001)), text(8_001))).toBe(false);
  });

  it("5 Two gates: that limit is clamped between min_threshold_bytes and max_threshold_bytes", async () => {
    const small = await ask(text(4_096), undefined, preset({ headroomFraction: 1 }), 100);
    expect(isWhole(small, text(4_096))).toBe(true);
    const large = await ask(text(1_048_577), undefined, preset(), 100_000_000);
    expect(isWhole(large, text(1_048_577))).toBe(false);
  });

  it("6 Two gates: the headroom offloads what would push the conversation past headroom_percentage", async () => {
    const fill = words(5_000);
    const options = preset({ contextFraction: 1, maxBytes: 10_000_000 });
    const told = await ask(fill, [[["search"]], [["search"]]], options, 10_000);
    expect(told.answers[0]).toBe(fill);
    expect(at(told.answers, 1)).toContain("artifact_id");
    expect(eventsOf(told, "offloaded")[0]?.reason).toContain("headroom of 0.7");
  });

  it("7 Two gates: the headroom is of cumulative input tokens, so parallel outputs of a turn share it", async () => {
    const options = preset({ contextFraction: 1 });
    const calls = Array.from({ length: 6 }, () => ["search"] as const);
    const told = await ask(words(5_450), [calls], options, 20_000);
    const whole = told.answers.filter((answer) => !answer.includes("artifact_id"));
    // Six of them are 32,700 tokens, and each by itself is within the headroom of 14,000.
    expect(whole).toHaveLength(2);
    for (const { reason } of eventsOf(told, "offloaded")) expect(reason).toMatch(/^turn budget/);
  });

  it("8 Two gates: many medium-sized outputs that pile up across a session are caught, counted as outputs are", async () => {
    // Of 3,000 characters some 2,300 tokens, which would be 750 at four a token.
    const chinese = "漢字仮名交文".repeat(500);
    const options = preset({ contextFraction: 1 });
    const turns = Array.from({ length: 4 }, () => [["search"] as const]);
    const told = await ask(chinese, turns, options, 10_000);
    const count = told.answers.filter((answer) => answer === chinese).length;
    const { tokens } = eventsOf(told, "offloaded")[0]?.storedArtifact ?? { tokens: 0 };
    expect(tokens).toBeGreaterThan(1_500);
    expect(count).toBe(Math.floor((7_000 - 60) / tokens));
  });

  it("9 Two gates: what is below min_threshold_bytes always passes, also beside others of its turn", async () => {
    const small = text(4_095);
    const calls = Array.from({ length: 12 }, () => ["search"] as const);
    const told = await ask(small, [calls], preset(), 2_000);
    expect(new Set(told.answers)).toEqual(new Set([small]));
  });

  it("10 Two gates: a headroom that is not below the compaction threshold is warned of", () => {
    const warnings: string[] = [];
    const onWarning = (warning: string): void => void warnings.push(warning);
    for (const summarizationFraction of [0.6, 0.8]) vectara({ summarizationFraction, onWarning });
    expect(warnings).toEqual([expect.stringContaining("Set the headroom below")]);
  });

  it("11 What the agent sees: artifact_id, size_bytes, line_count, shape and how_to_access", async () => {
    const envelope = envelopeOf(await ask(output));
    expect(envelope).toEqual({
      artifact_id: expect.stringMatching(/^art_tool_output_[0-9A-Z]{26}$/),
      size_bytes: output.length,
      line_count: 1,
      shape: { rows: "array(500) of object(6 keys)", next_cursor: "string" },
      how_to_access: {
        artifact_read: "Read full content or a line range (start_line/end_line)",
        artifact_grep: "Search for patterns with grep",
        artifact_jq: "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'",
      },
    });
    // A shape tells lists from maps, whatever their keys.
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}` }));
    const users = Object.fromEntries(rows.map((row) => [`u${row.id}`, row]));
    const days = [1, 2, 3, 4].map((day) => [`2026-01-0${day}`, rows] as const);
    for (const of of [{ users, rows, events: rows }, Object.fromEntries(days)]) {
      const { shape } = envelopeOf(await ask(JSON.stringify(of)));
      for (const key of Object.keys(of).filter((one) => one !== "users"))
        expect(shape).toMatchObject({ [key]: "array(500) of object(2 keys)" });
    }
  });

  it("11 of rows and lines, says that jq runs on each record", async () => {
    const rows = `host,score\n${"a,0.5\n".repeat(3_000)}`;
    const { artifact_jq: words } = envelopeOf(await ask(rows))["how_to_access"] as never;
    expect(words).toMatch(/each record.*\[inputs\] \| length/);
  });

  it("11 of plain text, shows no use of jq", async () => {
    expect(envelopeOf(await ask(text(9_000)))["how_to_access"]).not.toHaveProperty("artifact_jq");
  });

  it("12 What the agent sees: how_to_access lists only the tools that the agent has", async () => {
    const { drillIn } = vectara({ onWarning: () => {} });
    const names = { read: false } as const;
    const told = await ask(output, undefined, { ...preset(), drillIn: { ...drillIn, names } });
    expect(told.tools[0]).toEqual(["artifact_grep", "artifact_jq"]);
    expect(Object.keys(envelopeOf(told)["how_to_access"] ?? {})).toEqual(told.tools[0]);
    const part = { ...drillIn, tools: artifactTools().slice(0, 1) };
    const mixed = await ask(output, undefined, { ...preset(), drillIn: part });
    const listed = Object.keys(envelopeOf(mixed)["how_to_access"] ?? {});
    expect(listed.toSorted()).toEqual(mixed.tools[0]?.toSorted());
    const twice = { ...drillIn, names: { read: "my_read" } };
    await expect(ask(output, undefined, { ...preset(), drillIn: twice })).rejects.toThrow(
      "drillIn names the tool read twice: my_read and artifact_read",
    );
  });

  it("13 What the agent sees: artifact tools are never offloaded, their outputs come back inline", async () => {
    const told = await askArtifact(output, ["artifact_jq", { filter: ".rows", max_tokens: 8_000 }]);
    expect(at(told.answers, 1)).toContain('"customer 3"');
    expect(eventsOf(told, "offloaded")).toHaveLength(1);
  });

  it("14 What the agent sees: in truncate mode head and tail stay with a notice of how much was dropped", async () => {
    const told = await ask(output, undefined, preset({ mode: "truncate" }));
    expect(at(told.answers, 0)).toMatch(
      /^\{"rows":\[\{"id":0,.*\n\.\.\. \[truncated [\d.]+ kB; head and tail preserved\] \.\.\.\n.*"next_cursor":""\}$/s,
    );
  });

  it("15 What the agent sees: the truncated form is final, nothing is stored and no tool is named", async () => {
    const told = await ask(output, undefined, preset({ mode: "truncate" }));
    const { artifacts } = await told.offloader.store.list("any");
    expect(artifacts).toEqual([]);
    expect(at(told.answers, 0)).not.toMatch(/artifact_(?:id|read|grep|jq)/);
    expect(eventsOf(told, "offloaded")).toEqual([]);
  });

  it("16 Artifact tools: artifact_read reads a range of lines, or all of it", async () => {
    const lines = Array.from({ length: 4_000 }, (_, line) => `line ${line + 1} of the report`);
    const range = { start_line: 7, end_line: 8 };
    const told = await askArtifact(lines.join("\n"), ["artifact_read", range]);
    expect(at(told.answers, 1)).toContain("line 7 of the report\nline 8 of the report");
    expect(at(told.answers, 1)).not.toContain("line 9 of the report");
  });

  it("17 Artifact tools: artifact_grep finds regular expressions, artifact_jq takes the envelope's expressions", async () => {
    const told = await askArtifact(
      output,
      ["artifact_grep", { pattern: 'customer 49\\d"' }],
      ["artifact_jq", { filter: ".rows[0].name" }],
      ["artifact_jq", { filter: ".rows[] | select(.score > 0.995) | .id" }],
    );
    expect(at(told.answers, 1)).toContain("10 occurrences");
    expect(at(told.answers, 2)).toContain('"customer 0"');
    expect(at(told.answers, 3)).toMatch(/^498\n499\n/);
  });

  it("18 Artifact tools: next calls name the artifact by the id of the envelope", async () => {
    const query = ["artifact_jq", { filter: ".rows[]" }] as const;
    const told = await askArtifact(output, ["artifact_read", {}], query);
    const id = idIn(told.answers);
    for (const answer of told.answers.slice(1)) {
      expect(answer).toContain(`{"artifact_id":"${id}",`);
      expect(answer.replaceAll(id, "")).not.toMatch(/art_tool_output|\.json/);
    }
  });

  it("19 Artifact tools: advice on a wrong field knows those of the document around the records", async () => {
    const told = await askArtifact(output, ["artifact_jq", { filter: ".next_curser" }]);
    expect(at(told.answers, 1)).toContain("nearest first: .next_cursor");
  });

  it("20 Refinable tools: an answer that is too long says how to ask for less", async () => {
    const told = await askArtifact(output, ["artifact_jq", { filter: ".rows[]" }]);
    expect(at(told.answers, 1)).toContain("For less, pick fields, select or count.");
  });

  it("21 The knobs: enabled false is pass-through", async () => {
    expect(isWhole(await ask(output, undefined, preset({ enabled: false })), output)).toBe(true);
  });

  it("22 The knobs: mode overrides what the tools say, and a field that there is not is refused", async () => {
    const told = await ask(output, undefined, preset({ mode: "truncate" }));
    expect(at(told.answers, 0)).toContain("head and tail preserved");
    const unknown = { context_percentage: 0.5 } as unknown as VectaraOptions;
    expect(() => ({ preset: vectara(unknown) })).toThrow('There is no option "context_percentage"');
  });

  it("23 The knobs: headroom_percentage 1 switches the cumulative gate off", async () => {
    const options = preset({ headroomFraction: 1, contextFraction: 1 });
    const calls = Array.from({ length: 6 }, () => ["search"] as const);
    const told = await ask(words(5_450), [calls], options, 20_000);
    expect(eventsOf(told, "offloaded")).toEqual([]);
  });

  it("24 Trade-offs: artifacts live for the session and are cleaned up when it ends", async () => {
    const { offloader, messages } = await ask(output);
    const { id, sessionKey } = messages[0]?.artifact ?? {};
    expect(await offloader.store.stat(id, sessionKey)).toBeDefined();
    await offloader.endSession(THREAD);
    expect(await offloader.store.stat(id, sessionKey)).toBeUndefined();
  });

  it("25 Trade-offs: offloaded outputs share storage with a user's uploads, which the tools read by name", async () => {
    async function* upload(): AsyncGenerator<string> {
      yield "region,sum\n";
      for (let row = 0; row < 300; row += 1) yield `north,${row}\n`;
    }
    const sales = { artifact_id: "sales.csv" };
    const { answers } = await talk(
      {
        options: preset(),
        tools: { search: () => output },
        windowTokens: 8_000,
        before: async ({ put }) =>
          void (await put(upload(), { sessionId: THREAD, title: "sales.csv" })),
      },
      [
        [["artifact_jq", { ...sales, filter: "[inputs.sum | tonumber] | add" }]],
        [["artifact_read", { ...sales, end_line: 3 }]],
        [["artifact_read", { artifact_id: "wages.csv" }]],
      ],
    );
    expect(at(answers, 0)).toMatch(/^44850\n/);
    expect(at(answers, 1)).toContain("north,1");
    expect(at(answers, 2)).toContain("No stored output has this id or name.");
  });
});
