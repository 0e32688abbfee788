import { extractTool } from "../../../../src/presets/lro/extract.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createDrillIn } from "../../../../src/core/drill-in/drill-in.js";
import { type ModelTool, modelTools } from "../../../../src/core/drill-in/model-tools.js";
import { createMeasure } from "../../../../src/core/measure/measure.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../../../src/presets/index.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import { OWN, question } from "./questions.js";
import { type Stop, stoppedEngines } from "./stopped-engines.js";
import { shownOf, strangersIn } from "./strangers.js";

const SESSION = "s";

const PRESETS: Readonly<Record<string, () => OffloadOptions>> = {
  default: () => ({}),
  lro: () => ({ preset: lro() }),
  atlatl: () => ({ preset: atlatl() }),
  mcpagent: () => ({ preset: mcpagent() }),
  vectara: () => ({ preset: vectara() }),
  "meta-cc": () => ({ preset: metaCc() }),
};
const FORMS = ["generic", "bare"] as const;

const RECORDS = Array.from({ length: 400 }, (_, n) => ({
  number: n,
  city: `city ${n % 7}`,
  note: n % 3 === 0 ? null : `a note that says ${n}`,
}));
const ROWS = RECORDS.map(({ number, city, note }) => `${number},${city},${note ?? ""}`);
/** Outputs of all layouts; none has a name of an argument in it. */
const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify(RECORDS),
  sets: JSON.stringify({ orders: RECORDS, refunds: RECORDS.slice(0, 200), page: 1 }),
  csv: `number,city,note\n${ROWS.join("\n")}\n`,
  text: RECORDS.map(({ number, note }) => `ERROR ${number} ${note}`).join("\n"),
  xml: `<root>\n${RECORDS.map(({ note }) => `<item>${note}</item>`).join("\n")}\n</root>`,
  "one line": RECORDS.map(({ note }) => `item ${note}`).join(" "),
};

/** Answers differ by the tools that a preset has; the forms are looked at where they are the library's own. */
const AGENTS = [
  ...Object.keys(PRESETS).map((preset) => [preset, "auto"] as const),
  ...FORMS.map((form) => ["default", form] as const),
];

const stop = fc.record({
  limit: fc.constantFrom<Stop["limit"]>("memory", "time"),
  results: fc.constantFrom(0, 1, 300),
});

/** What a model of an agent sees of the outputs, and its tools: as they are, and with engines that are stopped. */
async function slotOf(agent: string, form: (typeof AGENTS)[number][1]) {
  const preset = PRESETS[agent] ?? ((): OffloadOptions => ({}));
  const offloader = createOffloader({
    threshold: { bytes: 100 },
    ...preset(),
    store: memoryStore(),
    describe: { form },
  });
  const { toolNames, toolShapes, drillInLimits, store, now } = offloader.options;
  const seen = [];
  for (const [kind, value] of Object.entries(OUTPUTS)) {
    const result = await offloader.offload({ toolName: "search", value, sessionId: SESSION });
    // A preset leaves small outputs as they are.
    if (result.outcome === "offloaded")
      seen.push({ kind, descriptor: result.text, id: result.storedArtifact.id });
  }
  let stopped: Stop = { limit: "time", results: 0 };
  const drillIn = createDrillIn({
    store,
    measure: createMeasure(),
    limits: drillInLimits,
    names: toolNames,
    tools: [extractTool],
    shapes: toolShapes,
    now,
    ...stoppedEngines(() => stopped),
  });
  const toolsOf = (sources: Pick<typeof offloader, "drillIn">): readonly ModelTool[] =>
    modelTools({ ...offloader, ...sources, toolNames, toolShapes }).filter(
      ({ name }) => name !== "cleanup_temp_files",
    );
  return {
    seen,
    tools: toolsOf(offloader),
    stoppedTools(at: Stop) {
      stopped = at;
      return toolsOf({ drillIn });
    },
    async close() {
      await drillIn.close();
      await offloader.close();
    },
  };
}

const POSITIONS = ["start", "end"].flatMap((end) =>
  ["", "_line", "_record", "_character"].map((unit) => end + unit),
);

/** The arguments with the reference of an output in them. */
function about(id: string, args: object): object {
  return JSON.parse(JSON.stringify(args).replaceAll(OWN, id)) as object;
}

/** What a descriptor itself has by these names, where it is JSON. */
function membersOf(descriptor: string): readonly string[] {
  return descriptor.startsWith("{") ? Object.keys(Object(JSON.parse(descriptor))) : [];
}

describe("no text that a model reads names what is not there", () => {
  let calls = 0;
  it.each(AGENTS)("of %s, in the form %s", async (agent, form) => {
    const slot = await slotOf(agent, form);
    const { seen, tools } = slot;
    for (const { descriptor, kind } of seen)
      expect({
        kind,
        strangers: strangersIn(descriptor, tools, descriptor, membersOf(descriptor)),
      }).toEqual({
        kind,
        strangers: [],
      });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          output: fc.constantFrom(...seen),
          name: fc.constantFrom(...tools.map((tool) => tool.name)),
          question,
          stop: fc.option(stop, { freq: 3 }),
        }),
        async ({ output, name, question, stop }) => {
          const used = stop === null ? tools : slot.stoppedTools(stop);
          const tool = used.find((one) => one.name === name);
          if (tool === undefined) throw new Error(`no ${name}`);
          const [reference = "id"] = shownOf(tool);
          const args = about(output.id, { ...question.args, [reference]: question.reference });
          const { text } = await tool.run(args, { sessionKey: sessionKeyOf(SESSION) });
          calls += text.includes("Next call: ") ? 1 : 0;
          // A call that says where to read, by names that are shown or not, is answered by such names.
          const brought = POSITIONS.some((place) => place in args) ? POSITIONS : [];
          expect({
            text,
            strangers: strangersIn(text, tools, output.descriptor, brought, [
              ...Object.keys(args),
              ...brought,
            ]),
          }).toEqual({
            text,
            strangers: [],
          });
        },
      ),
      { numRuns: 20 },
    );
    await slot.close();
  });

  // Chance decides which of them.
  it("has calls in some of these answers to be looked at", () => expect(calls).toBeGreaterThan(0));
});

describe("a name that is not there is found", () => {
  it.each([
    ["with", "with: b cannot be a name."],
    ["with", "with.b: No stored output has this id."],
    ["with", "The outputs in with have 18 MB."],
    ["with", "The with has 70002 characters; at most 65536 are allowed."],
    ["id", "Pass the largest one as id, which is streamed."],
    ["slurp", "Stream instead, without slurp: inputs"],
    ["start_line", "Pass start_line 7."],
    ["limit", "Set limit to 7."],
    ["lro_extract", "Use lro_extract."],
  ])("%s in: %s", (name, text) => {
    expect(strangersIn(text, [], "")).toEqual([name]);
  });

  it("which words of a sentence are not", () => {
    const text = "Ask for less, or a limit; after the end, with no filter: start before.";
    expect(strangersIn(text, [], "")).toEqual([]);
  });
});
