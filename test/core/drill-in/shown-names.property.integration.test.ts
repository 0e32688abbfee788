import { extractTool } from "../../../src/presets/lro/extract.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type ModelTool, modelTools } from "../../../src/core/drill-in/model-tools.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { CORE_TOOLS } from "../../../src/core/drill-in/tools.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";

const SESSION = "s";

const ALL_TOOLS = [...CORE_TOOLS, extractTool];
const ALL_ARGUMENTS = [
  ...new Set([
    ...ALL_TOOLS.flatMap((tool) => Object.keys((tool.understood ?? tool.schema).shape)),
    "case_sensitive",
    "artifact_id",
    "filename",
  ]),
];
/** Names of arguments that are no words of a sentence. */
const PLAIN_NAMES = ["slurp", "literal", "invert", "filename"];
const TOOL_WORD = /\b(?:\w+_tool_output|lro_extract|artifact_(?:read|grep|jq)|\w+_large_output)\b/g;

/** The arguments that a tool's definition shows. */
function shownOf({ parameters }: ModelTool): readonly string[] {
  return Object.keys(Object(parameters["properties"]));
}

/** Everything that a text names and that is not there: arguments, tools, and in calls what they are on. */
function strangersIn(
  text: string,
  tools: readonly ModelTool[],
  seen: string,
  members: readonly string[] = [],
  brought: readonly string[] = [],
): readonly string[] {
  const shown = new Set([...tools.flatMap(shownOf), ...members]);
  const hidden = ALL_ARGUMENTS.filter((name) => !shown.has(name));
  const names = (text.match(TOOL_WORD) ?? []).filter(
    (name) => !tools.some((tool) => tool.name === name),
  );
  return [
    ...hidden.filter((name) => isNamed(name, text)),
    ...names,
    ...callsIn(text).flatMap((call) => strangersOfCall(call, tools, seen, brought)),
  ];
}

/** Whether a text speaks of an argument; a name that is a word too must stand as one is named. */
function isNamed(name: string, text: string): boolean {
  if (name.includes("_") || PLAIN_NAMES.includes(name))
    return new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text);
  return new RegExp(
    `(?<![\\w.{ ] ?)${name}(?:\\.\\w+)?: |\\b(?:[Pp]ass|[Ss]et|without|in|as|both) ${name}(?=[,.;:]| (?:to|and|or|in|has|have|is|are)\\b|$)|\\bThe ${name} has `,
    "m",
  ).test(text);
}

/** Calls that a text states, each with its arguments as JSON. */
function callsIn(text: string): readonly (readonly [tool: string, json: string])[] {
  return [...text.matchAll(/\b(\w+) (\{"\w+":.*\})(?= \(|[.,]?$)/gm)].map(
    ([, tool = "", json = ""]) => [tool, json],
  );
}

function strangersOfCall(
  [name, json]: readonly [tool: string, json: string],
  tools: readonly ModelTool[],
  seen: string,
  brought: readonly string[],
): readonly string[] {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return [];
  const args: Record<string, unknown> = JSON.parse(json);
  const reference = String(args[shownOf(tool)[0] ?? ""]);
  return [
    // What the call before had is taken again, shown or not.
    ...Object.keys(args).filter((key) => !shownOf(tool).includes(key) && !brought.includes(key)),
    ...(seen.includes(reference) ? [] : [reference]),
  ];
}

/** What a call may pass for a number: right, out of range, too large, misspelt, empty. */
const NUMBERS: readonly unknown[] = [1, 300, 0, -1, 99_999, 1e300, 2.5, "7", "x", "", null, [1]];
const number = fc.constantFrom(...NUMBERS);
const flag = fc.constantFrom<unknown>(true, false, "true", "yes", null, 7);
const LONG = "x".repeat(20_000);
const pattern = fc.constantFrom<unknown>(
  ..."note~item~note|item~nothing at all~^~x*~(?=a)~(a)\\1~(~[~a{2000}~".split("~"),
  LONG,
  7,
);
const filter = fc.constantFrom<unknown>(
  ...".~inputs~.city~.[]~keys~[inputs] | length~sort_by(.number)~.city.name~.nothing".split("~"),
  ...'.citty~select(.city == "city")~empty~.orders[] | .city~.root.item~$x~$b'.split("~"),
  ...'$b | length~foo~(~jq .~"\\x"~error~.note | test("a")~limit(3; inputs)~'.split("~"),
  LONG,
  ["."],
);
const query = fc.oneof(
  filter,
  fc.constantFrom<unknown>(
    ..."SELECT * FROM output~SELECT citty FROM output~SELECT * FROM b~SELECT FROM".split("~"),
    ..."SELECT * FROM orders~DROP TABLE output~SELECT * FROM read_csv('a.csv')".split("~"),
    ..."SELECT sum(city) FROM output~SELECT 1; SELECT 2".split("~"),
    "SELECT * FROM output WHERE false",
  ),
);

/** Stands for the reference of the output that is asked. */
const OWN = "<own>";
const OTHERS: readonly unknown[] = [
  { b: OWN, c: OWN },
  { b: "no id" },
  { b: 7 },
  { output: OWN },
  { x: OWN },
  { "": OWN },
  { b: OWN, B: OWN },
  "b",
  null,
  Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`b${n}`, OWN])),
];
const others = fc.constantFrom(...OTHERS);
const VARIABLES: readonly unknown[] = [{ x: 1 }, { b: 1 }, '{"x": 1}', "x", null];
const variables = fc.constantFrom(...VARIABLES, { x: "x".repeat(70_000) });
const recipe = fc.oneof(fc.constantFrom<unknown>(1, 2, 3, 99, "x"), number);

/** Arguments that may stand beside what is asked for, shown by the tool or not. */
const more: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(
    ["start", "end", "start_line", "end_line", "start_record", "end_record", "start_character"]
      .concat(["max_tokens", "before", "after", "max_results", "skip", "limit", "last"])
      .map((name) => [name, number]),
  ),
  ...Object.fromEntries(
    [
      "ignore_case",
      "literal",
      "invert",
      "only_matching",
      "count_only",
      "slurp",
      "raw",
      "compact",
    ].map((name) => [name, flag]),
  ),
  with: others,
  args: variables,
  params: variables,
  [LONG]: fc.constantFrom<unknown>(1, { x: LONG.repeat(4) }),
};

/** What a model may pass to any drill-in, by the drill-ins' own names. */
const question = fc.record({
  reference: fc.oneof(
    { weight: 12, arbitrary: fc.constant<unknown>(OWN) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>("", `${OWN}x`, "no id", 7, null) },
  ),
  args: fc
    .tuple(
      fc.record({ pattern, filter, query, recipe }, { requiredKeys: ["pattern", "filter"] }),
      fc
        .subarray(Object.keys(more), { maxLength: 3 })
        .chain((names) =>
          fc.record(Object.fromEntries(names.map((name) => [name, more[name] ?? number]))),
        ),
    )
    .map(([asked, beside]) => ({ ...asked, ...beside })),
});

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

/** What a model of an agent sees of the outputs, and its tools. */
async function slotOf(agent: string, form: (typeof AGENTS)[number][1]) {
  const preset = PRESETS[agent] ?? ((): OffloadOptions => ({}));
  const offloader = createOffloader({
    threshold: { bytes: 100 },
    ...preset(),
    store: memoryStore(),
    describe: { form },
  });
  const { toolNames, toolShapes } = offloader.options;
  const seen = [];
  for (const [kind, value] of Object.entries(OUTPUTS)) {
    const result = await offloader.offload({ toolName: "search", value, sessionId: SESSION });
    // A preset leaves small outputs as they are.
    if (result.outcome === "offloaded")
      seen.push({ kind, descriptor: result.text, id: result.storedArtifact.id });
  }
  const tools = modelTools({ ...offloader, toolNames, toolShapes }).filter(
    ({ name }) => name !== "cleanup_temp_files",
  );
  return { seen, tools, close: () => offloader.close() };
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
        }),
        async ({ output, name, question }) => {
          const tool = tools.find((one) => one.name === name);
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
